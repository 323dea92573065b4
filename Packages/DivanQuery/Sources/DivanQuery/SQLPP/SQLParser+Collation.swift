import DivanJSON

extension SQLParser {
    /// Reads what follows `COLLATE`: one word, or several in parentheses.
    mutating func collation() throws(QueryError) -> QueryCollationChange {
        var change = QueryCollationChange()
        guard tokens.take(.openParenthesis) else {
            try collationWord(into: &change)
            return change
        }
        repeat { try collationWord(into: &change) } while !tokens.isAt(.closeParenthesis)
        tokens.advance()
        return change
    }

    private mutating func collationWord(
        into change: inout QueryCollationChange
    ) throws(QueryError) {
        let expected = "UNICODE, NOUNICODE, CASE, NOCASE, DIAC or NODIAC"
        if tokens.take(.case) {
            change.isCaseSensitive = true
            return
        }
        guard tokens.current.form == .word else { throw tokens.unexpected(expected) }
        switch tokens.text(tokens.current).uppercased() {
        case "UNICODE": change.isUnicode = true
        case "NOUNICODE": change.isUnicode = false
        case "NOCASE": change.isCaseSensitive = false
        // The long words are from the manual; the reference engine does not accept them.
        case "DIAC", "DIACRITIC", "DIACRITICS": change.isAccentSensitive = true
        case "NODIAC", "NODIACRITIC", "NODIACRITICS": change.isAccentSensitive = false
        default: throw tokens.unexpected(expected)
        }
        tokens.advance()
        if change.isUnicode == true, tokens.take(.colon) {
            change.locale = try tokens.expectName("a language, such as sv")
        }
    }
}
