import DivanJSON

/// Bounds on what an input may make us hold in memory; every member is a maximum.
public enum ExchangeLimits {
    /// Bytes of a line: in a dump, a document with all of its bodies that are kept.
    public static let lineByteCount = 64 << 20
    /// Bytes of the text of one document; more is refused before it fills the memory.
    public static let documentByteCount = 64 << 20
    /// Bytes of a key on the way to the documents, or of one that is an ID.
    public static let keyByteCount = 64 << 10
    /// Bytes of documents that are stored in one transaction.
    public static let batchByteCount = 8 << 20
    /// Documents that are stored in one transaction.
    public static let batchCount = 1_000
    /// Bytes of a blob in one line of a dump.
    public static let blobPieceByteCount = 3 << 20
    /// Revisions of a document in a dump; an index in Couchbase Lite's tree has two bytes.
    public static let revisionCount = 65_535
    /// Remotes in a dump: higher numbers are damage.
    public static let remoteCount: Int64 = 65_535
    /// Bytes of the last line of a dump, which names every collection.
    public static let endByteCount = 4 << 20
    /// Runs of unchanged documents, and expirations, in one line of a dump.
    public static let unchangedCount = 4_096
    /// Indexes of one collection in a dump.
    public static let indexCount = 4_096
    /// Missing blobs that the last line of a dump lists; with that many, no dump can continue from it.
    public static let missingBlobCount = 50_000
    /// Columns of a table in SQLite; SQLite's own limit is 2,000.
    public static let tableColumnCount = 500
    /// Columns of comma-separated values.
    public static let csvColumnCount = 2_000
    /// Different properties that are counted for columns; if documents use data as keys, later ones are left out.
    public static let propertyCount = 10_000
    /// Damaged documents whose names are kept; the rest is counted.
    public static let namedDamageCount = 40

    /// A body may be as deep as anywhere else; a line adds a few containers around it.
    static let json: JSONLimits = {
        JSONLimits(depth: JSONLimits.default.depth + 8, byteCount: lineByteCount)
    }()
}
