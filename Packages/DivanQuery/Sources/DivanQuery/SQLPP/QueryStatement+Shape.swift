extension QueryStatement {
    /// The statement as SQL++ text with `?` in place of each text and number, for logs: it distinguishes queries
    /// without revealing user input.
    ///
    /// - Parameter byteCount: The text is truncated after this many bytes, and then ends with `…`.
    /// - Returns: The text.
    public func shape(upTo byteCount: Int) -> String {
        var lexer = SQLLexer(sql)
        var shape = ""
        var end = 0
        while shape.utf8.count < byteCount {
            let token = lexer.next()
            if token.range.lowerBound > end { shape += " " }
            end = token.range.upperBound
            switch token.form {
            case .end: return shape
            case .string, .integer, .double: shape += "?"
            default: shape += lexer.text(token.range)
            }
        }
        return String(decoding: shape.utf8.prefix(byteCount), as: UTF8.self) + "…"
    }
}
