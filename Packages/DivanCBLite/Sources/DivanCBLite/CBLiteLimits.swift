/// Limits on what a foreign database may make us hold; every member is a maximum.
public enum CBLiteLimits {
    /// Bytes of JSON for one body: the largest document that Sync Gateway accepts.
    ///
    /// A few hundred bytes of Fleece can represent 2⁴⁰ values.
    public static let bodyByteCount = 20 << 20
    /// Values examined for one body.
    public static let valueCount = 20 << 20
    /// Bytes of JSON for all bodies of a document; their values are also counted together.
    public static let recordByteCount = 256 << 20
    /// Bytes of keys compared to write the members of a document in order.
    ///
    /// Keys may be one long text, referred to again and again.
    public static let comparedByteCount = 64 << 20
    /// Bytes of version vectors that are read for one document.
    public static let vectorByteCount = 16 << 20
    /// Tree IDs that are ancestors of the revisions of one document.
    public static let pastCount = 1 << 20
    /// Nesting of containers, the same as for JSON.
    public static let depth = 128
    /// Shared keys; Couchbase Lite stops at 2,048.
    public static let sharedKeyCount = 65_536
    /// Bytes of all shared keys.
    public static let sharedKeyByteCount = 4 << 20
    /// Revisions of a document; an index in a tree has two bytes.
    public static let revisionCount = 65_535
    /// Remotes: higher numbers are damage.
    public static let remoteCount = 65_535
    /// Sequences are below this, since others must follow.
    public static let sequenceBound: Int64 = 1 << 62
    /// Bytes of a column that is read; SQLite's own limit is higher.
    public static let columnByteCount = 256 << 20
    /// Damaged records that are reported individually; further ones are only counted.
    public static let toldDamageCount = 1_000
    /// How often files are copied again because they were being written.
    public static let copyCount = 3
}
