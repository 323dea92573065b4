/// Limits on the memory that a foreign database can use; every member is a maximum.
public enum CBLiteLimits {
    /// Bytes of JSON for one body: the largest document that Sync Gateway accepts.
    ///
    /// A few hundred bytes of Fleece can represent 2⁴⁰ values.
    public static let bodyByteCount = 20 << 20
    /// Values that are read for one body.
    public static let valueCount = 20 << 20
    /// Bytes of JSON for all bodies of a document; the limit on values also applies to all of them together.
    public static let recordByteCount = 256 << 20
    /// Bytes of keys that are compared to sort the members of a document.
    ///
    /// One long key can be referred to many times.
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
    /// Remotes; higher numbers are treated as damage.
    public static let remoteCount = 65_535
    /// The upper bound of sequences, because others must follow.
    public static let sequenceBound: Int64 = 1 << 62
    /// Bytes of a column that is read; SQLite's own limit is higher.
    public static let columnByteCount = 256 << 20
    /// Damaged records that are reported individually; further records are only counted.
    public static let toldDamageCount = 1_000
    /// The number of attempts to copy files that are being written.
    public static let copyCount = 3
}
