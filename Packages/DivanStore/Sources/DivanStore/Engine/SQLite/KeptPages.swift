/// The pages that a connection keeps in memory.
///
/// A reader keeps few while it follows the feed, and more once it looks for documents, since who does meets the
/// same ones again.
struct KeptPages {
    // `nil` where the number stays as it is.
    private var countToMore: Int?

    /// Has a connection keep few, until documents are looked for.
    mutating func begin(on connection: SQLiteConnection) throws(StoreError) {
        try Self.keep(StoreLimits.readerCacheByteCount, on: connection)
        countToMore = StoreLimits.soughtDocumentCount
    }

    /// Notes that one document was looked for.
    mutating func noteSought(on connection: SQLiteConnection) throws(StoreError) {
        guard let count = countToMore else { return }
        countToMore = count - 1
        if count <= 1 { try keepMore(on: connection) }
    }

    /// Has the connection keep more pages from now on.
    mutating func keepMore(on connection: SQLiteConnection) throws(StoreError) {
        guard countToMore != nil else { return }
        countToMore = nil
        try Self.keep(StoreLimits.seekingCacheByteCount, on: connection)
    }

    /// Has the writer's connection keep what a transaction changes, of the pages of indexes too where there are
    /// any: each of them may change anywhere.
    static func begin(onWriter connection: SQLiteConnection) throws(StoreError) {
        guard try connection.integer(SQLiteSchema.anyIndex) == nil else {
            return try keepThoseOfIndexes(on: connection)
        }
        try keep(StoreLimits.writerCacheByteCount, on: connection)
    }

    static func keepThoseOfIndexes(on connection: SQLiteConnection) throws(StoreError) {
        try keep(StoreLimits.indexedWriterCacheByteCount, on: connection)
    }

    private static func keep(
        _ byteCount: Int,
        on connection: SQLiteConnection
    ) throws(StoreError) {
        try connection.execute("PRAGMA cache_size = -\(byteCount >> 10)")
    }
}
