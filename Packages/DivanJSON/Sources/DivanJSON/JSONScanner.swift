/// Checks a JSON text in one pass without building values.
///
/// Strict: exactly RFC 8259, exact UTF-8, no lone surrogates, no number beyond a double.
/// Needs memory only for the keys of the objects that are open.
///
/// A key may occur twice in one object, as RFC 8259 §4 allows: the last value counts, as in
/// Sync Gateway and in browsers. Such a text is not canonical, and the summary says so: it must not
/// be passed on to others in that form.
public enum JSONScanner {
    /// Checks `bytes` and returns what a receiver needs to know about a document's body.
    ///
    /// - Parameters:
    ///   - bytes: The text, as UTF-8.
    ///   - limits: How long and deep it may be.
    ///   - checksSpelling: Whether `isCanonical` is needed. Without it the result is `false`
    ///     and faster, since fractions are not converted.
    /// - Returns: What the text contains.
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
