/// Checks JSON text in one pass without building values.
///
/// Strict: exactly RFC 8259, valid UTF-8, no lone surrogates, no numbers beyond the range of a double. Needs memory
/// only for the keys of the enclosing objects, four bytes each; so a text may have up to 4 GiB.
///
/// A key can occur twice in one object, as RFC 8259 §4 allows: the last value is used, as in Sync Gateway and in
/// browsers. Such text is not canonical, which the summary reports: it must not be sent to others in this form.
public enum JSONScanner {
    /// Checks `bytes` and returns the properties that a receiver needs of a document's body.
    ///
    /// - Parameters:
    ///   - bytes: The text, as UTF-8.
    ///   - limits: The limits on its length and depth.
    ///   - checksSpelling: Whether `isCanonical` is needed. Without it `isCanonical` is `false`, and the scan is
    ///     faster, because fractions are not converted.
    /// - Returns: The properties of the text.
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
        var limits = limits
        limits.byteCount = min(limits.byteCount, Int(UInt32.max))
        return try Lexer.read(bytes, limits: limits) { [limits] lexer throws(JSONError.Reason) in
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
