/// Checks a JSON text in one pass without building values.
///
/// Strict: RFC 8259 to the letter, exact UTF-8, no lone surrogates, no number beyond a double.
/// Needs memory only for the keys of the objects that are open.
///
/// A key may occur twice in one object, as RFC 8259 §4 allows: the last value counts, as it does
/// for Sync Gateway and in browsers. Such a text is not canonical, and the summary tells of it: what
/// others are to read must not go on like that.
public enum JSONScanner {
    /// Checks `bytes` and tells what a receiver needs to know about a document's body.
    ///
    /// - Parameters:
    ///   - bytes: The text, as UTF-8.
    ///   - limits: How long and deep it may be.
    ///   - checksSpelling: Whether `isCanonical` is asked for. Without it the answer is `false`,
    ///     and comes sooner: fractions are not converted.
    /// - Returns: What stands in the text.
    /// - Throws: `JSONError` with the first problem.
    public static func validate(
        _ bytes: Span<UInt8>,
        limits: JSONLimits = .default,
        checksSpelling: Bool = true
    ) throws(JSONError) -> JSONSummary {
        if !checksSpelling, bytes.count <= limits.byteCount,
            let summary = bytes.withUnsafeBufferPointer({
                PlainScan.summary(of: $0, depthLimit: limits.depth)
            })
        {
            return summary
        }
        return try Lexer.read(bytes, limits: limits) { lexer throws(JSONError.Reason) in
            var scan = ValidatingScan(
                lexer: lexer,
                depthLimit: limits.depth,
                checksSpelling: checksSpelling,
                checksKeys: true
            )
            defer { lexer.position = scan.lexer.position }
            try scan.scanText()
            return scan.summary
        }
    }
}
