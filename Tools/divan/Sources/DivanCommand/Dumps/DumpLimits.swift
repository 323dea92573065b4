import DivanCommandLine
import DivanJSON

/// Bounds on what a dump may make us hold; every member is a maximum.
enum DumpLimits {
    /// Bytes of a line: a document with all bodies that are kept of it.
    static let lineByteCount = FileLines.longestLine
    /// Bytes of a blob that stand in one line.
    static let blobPieceByteCount = 3 << 20
    /// Revisions of a document; an index in a tree of Couchbase Lite has two bytes.
    static let revisionCount = 65_535
    /// Remotes: numbers above stand for damage.
    static let remoteCount: Int64 = 65_535
    /// Bytes of the last line of a dump, which names every collection.
    static let endByteCount = 4 << 20
    /// Bytes of documents that are stored in one transaction.
    static let batchByteCount = 8 << 20
    /// Documents that are stored in one transaction.
    static let batchCount = 1_000
    /// Runs of unchanged documents, and expirations, that one line holds.
    static let standingCount = 4_096
    /// Indexes of one collection.
    static let indexCount = 4_096
    /// Blobs that the last line names as lacking; where there are so many, nothing goes on from it.
    static let lackingCount = 50_000
    /// What is lost and told one by one; the rest is counted.
    static let toldLossCount = 40

    /// A body may be as deep as everywhere else; a line is a few containers around it.
    static let json = JSONLimits(depth: JSONLimits.default.depth + 8, byteCount: lineByteCount)
}
