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
