/// What one scan tells about a JSON text.
public struct JSONSummary: Equatable, Sendable {
    /// What the text holds; a document body must be an `object`.
    public internal(set) var kind: JSON.Kind = .null
    /// Whether the text is byte for byte what the canonical writer would write, where that was
    /// asked for.
    public internal(set) var isCanonical = true
    /// Whether an object anywhere has a key twice, which has one meaning only where everybody
    /// takes the last value; where keys were looked at.
    public internal(set) var hasRepeatedKey = false
    /// Whether the outermost object has a key that begins with `_` (`revisions.md` §3).
    public internal(set) var hasUnderscoreKey = false
    /// Whether an object anywhere has a key `digest`.
    public internal(set) var hasDigestKey = false
    /// Whether an object anywhere may be a blob: `"@type":"blob"` (`blobs.md` §1).
    ///
    /// True also for an `@type` that is spelled with escapes, whatever it says.
    public internal(set) var mayHaveBlobs = false
}

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
