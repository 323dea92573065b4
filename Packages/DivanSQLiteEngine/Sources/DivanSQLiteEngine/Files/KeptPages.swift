internal import DivanSQLite
internal import DivanStorage

/// The pages that a connection keeps in memory.
///
/// A reader keeps few while it follows the feed, and more once it looks up documents, since such a reader
/// needs the same pages again.
struct KeptPages {
    // `nil` if the number stays as it is.
    private var countToMore: Int?
    private var isScanning = false

    /// Makes a connection keep few pages until documents are looked up.
    mutating func begin(on connection: StoreConnection) throws(StoreError) {
        try Self.keep(SQLiteEngineLimits.readerCacheByteCount, on: connection)
        countToMore = SQLiteEngineLimits.soughtDocumentCount
    }

    /// Makes a connection keep the few pages that a long scan needs until `endScan`; no effect in a database whose
    /// pages it could keep.
    ///
    /// A scan reads each page once. The memory of a few pages stays in the processor's own cache while it is filled
    /// again and again; with as many as look-ups need, a scan takes a third longer, and pushes out all of them
    /// anyway.
    mutating func beginScan(on connection: StoreConnection) throws(StoreError) {
        let count = Int(clamping: try connection.integer("PRAGMA page_count") ?? 0)
        let (byteCount, overflow) = count.multipliedReportingOverflow(by: connection.pageByteCount)
        guard overflow || byteCount > SQLiteEngineLimits.seekingCacheByteCount else { return }
        try Self.keep(SQLiteEngineLimits.scanCacheByteCount, on: connection)
        (isScanning, countToMore) = (true, nil)
    }

    /// Lets a connection keep pages again.
    mutating func endScan(on connection: StoreConnection) throws(StoreError) {
        guard isScanning else { return }
        isScanning = false
        try begin(on: connection)
    }

    /// Notes that one document was looked up.
    mutating func noteSought(on connection: StoreConnection) throws(StoreError) {
        guard let count = countToMore else { return }
        countToMore = count - 1
        if count <= 1 { try keepMore(on: connection) }
    }

    /// Makes the connection keep more pages from now on.
    mutating func keepMore(on connection: StoreConnection) throws(StoreError) {
        guard countToMore != nil else { return }
        countToMore = nil
        try Self.keep(SQLiteEngineLimits.seekingCacheByteCount, on: connection)
    }

    /// Makes the writer's connection keep the pages that a transaction changes, including those of any
    /// indexes: each of these may change anywhere.
    static func begin(onWriter connection: StoreConnection) throws(StoreError) {
        guard try connection.integer(SQLiteSchema.anyIndex) == nil else {
            return try keepIndexPages(on: connection)
        }
        try keep(SQLiteEngineLimits.writerCacheByteCount, on: connection)
    }

    /// Makes the writer's connection keep few pages while it creates an index, which reads each row once; what SQLite
    /// sorts at a time then fits into the processor's cache, too.
    static func keepSortedPages(on connection: StoreConnection) throws(StoreError) {
        try keep(SQLiteEngineLimits.sortedIndexCacheByteCount, on: connection)
    }

    static func keepIndexPages(on connection: StoreConnection) throws(StoreError) {
        try keep(SQLiteEngineLimits.indexedWriterCacheByteCount, on: connection)
    }

    private static func keep(
        _ byteCount: Int,
        on connection: StoreConnection
    ) throws(StoreError) {
        try connection.execute("PRAGMA cache_size = -\(byteCount >> 10)")
    }
}
