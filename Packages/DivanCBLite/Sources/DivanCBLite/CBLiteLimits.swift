/// Bounds on what a foreign database may make us hold; every member is a maximum.
public enum CBLiteLimits {
    /// Bytes of JSON that one body may become: the largest document that Sync Gateway takes.
    ///
    /// A few hundred bytes of Fleece can stand for 2⁴⁰ values.
    public static let bodyByteCount = 20 << 20
    /// Values that are looked at for one body.
    public static let valueCount = 20 << 20
    /// Bytes of JSON that all bodies of a document may become; values, too, are counted together.
    public static let recordByteCount = 256 << 20
    /// Bytes of keys that are compared to write the members of a document in their order.
    ///
    /// Keys may be one long text, named again and again.
    public static let comparedByteCount = 64 << 20
    /// Bytes of version vectors that are read for one document.
    public static let vectorByteCount = 16 << 20
    /// IDs in trees that stand behind the revisions of one document.
    public static let pastCount = 1 << 20
    /// Containers inside each other; as JSON is read here.
    public static let depth = 128
    /// Shared keys; Couchbase Lite stops at 2,048.
    public static let sharedKeyCount = 65_536
    /// Bytes of all shared keys.
    public static let sharedKeyByteCount = 4 << 20
    /// Revisions of a document; an index in a tree has two bytes.
    public static let revisionCount = 65_535
    /// Remotes: numbers above stand for damage.
    public static let remoteCount = 65_535
    /// Change numbers are below: others follow.
    public static let sequenceBound: Int64 = 1 << 62
    /// Bytes of a column that is read; SQLite's own bound is above.
    public static let columnByteCount = 256 << 20
    /// Damaged records that are told one by one; further ones are counted.
    public static let toldDamageCount = 1_000
    /// Times that files are copied anew because their writer was at work.
    public static let copyCount = 3
}
