import DivanCommandLine
import DivanJSON

/// Bounds on what a dump may make us hold in memory; every member is a maximum.
enum DumpLimits {
    /// Bytes of a line: a document with all of its bodies that are kept.
    static let lineByteCount = FileLines.longestLine
    /// Bytes of a blob in one line.
    static let blobPieceByteCount = 3 << 20
    /// Revisions of a document; an index in Couchbase Lite's tree has two bytes.
    static let revisionCount = 65_535
    /// Remotes: higher numbers are damage.
    static let remoteCount: Int64 = 65_535
    /// Bytes of the last line of a dump, which names every collection.
    static let endByteCount = 4 << 20
    /// Bytes of documents that are stored in one transaction.
    static let batchByteCount = 8 << 20
    /// Documents that are stored in one transaction.
    static let batchCount = 1_000
    /// Runs of unchanged documents, and expirations, in one line.
    static let standingCount = 4_096
    /// Indexes of one collection.
    static let indexCount = 4_096
    /// Missing blobs that the last line lists; with that many, no dump can continue from it.
    static let lackingCount = 50_000
    /// Losses that are listed individually; the rest is counted.
    static let toldLossCount = 40

    /// A body may be as deep as anywhere else; a line adds a few containers around it.
    static let json = JSONLimits(depth: JSONLimits.default.depth + 8, byteCount: lineByteCount)
}
