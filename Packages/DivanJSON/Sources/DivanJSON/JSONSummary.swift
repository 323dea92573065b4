/// The result of one scan of JSON text.
public struct JSONSummary: Equatable, Sendable {
    /// The kind of the value; a document body must be an `object`.
    public internal(set) var kind: JSON.Kind = .null
    /// Whether the text is identical to the output of the canonical writer; only if this was requested.
    public internal(set) var isCanonical = true
    /// Whether any object has a key twice, which is unambiguous only if all readers use the last value; only if
    /// keys were checked.
    public internal(set) var hasRepeatedKey = false
    /// Whether the outermost object has a key that begins with `_` (`revisions.md` §3).
    public internal(set) var hasUnderscoreKey = false
    /// Whether any object has a key `digest`.
    public internal(set) var hasDigestKey = false
    /// Whether any object may be a blob: `"@type":"blob"` (`blobs.md` §1).
    ///
    /// Also true for an `@type` whose value contains escapes.
    public internal(set) var mayHaveBlobs = false
}
