/// The limits of the SQLite engine; every member is a maximum unless it says otherwise.
public enum SQLiteEngineLimits {
    /// Bytes of pages that a reader caches while it follows the changes feed: a push reads bodies about 2 MiB
    /// behind the feed, and both need the same pages.
    public static let readerCacheByteCount = 3 << 20
    /// Bytes of pages that a reader caches once it looks up documents: enough for 1,000 documents found with an
    /// index.
    ///
    /// A larger cache would only slow down scans, whose pages would no longer fit the processor's cache.
    public static let seekingCacheByteCount = 10 << 20
    /// Bytes of pages that a reader caches while it scans a database with more than `seekingCacheByteCount`.
    public static let scanCacheByteCount = 512 << 10
    /// Documents that a reader looks up before it caches more pages.
    public static let soughtDocumentCount = 64
    /// Bytes of pages that the writer caches.
    public static let writerCacheByteCount = 4 << 20
    /// Bytes of pages that the writer caches if documents are indexed.
    public static let indexedWriterCacheByteCount = 16 << 20
    /// Bytes of pages, and of keys sorted at a time, that the writer keeps while it creates an index of values.
    public static let sortedIndexCacheByteCount = 4 << 20
    /// Damaged documents that one read of the changes feed skips; if there are more, the read fails.
    public static let passedDamageCount = 10_000
    /// The minimum size of a body that is worth compressing: shorter bodies have little repetition.
    public static let packedBodyByteCount = 64
    /// Bytes of each sample in a dictionary: a few long documents would fill it.
    public static let sampledByteCount = 4 << 10
    /// Dictionaries that a connection keeps, about 64 KiB each; the least recently used is released.
    public static let keptDictionaryCount = 8
    /// Bytes of the decompression buffer that a connection keeps between two queries.
    public static let keptBodyByteCount = 1 << 20
    /// Collections whose prepared statements a connection keeps, about 11 KiB each; those of the least recently
    /// used collection are released.
    public static let keptCollectionCount = 64
    /// Idle compiled queries that a connection keeps: applications repeat a few queries.
    public static let keptQueryCount = 24
    /// Bytes of SQL, including literals, of a query that is kept: a compiled query takes about ten times as many,
    /// and a longer query costs more to run than to compile.
    public static let keptQueryByteCount = 64 << 10
    /// Bytes of a block of vector codes, about three pages of a file.
    public static let vectorBlockByteCount = 24_000
    /// Bytes of the codes that the readers of a database keep from earlier vector searches.
    public static let vectorCellCacheByteCount = 64 << 20
    /// Vectors that are moved into cells at a time: each is a row that may be written.
    public static let placedVectorCount = 1 << 16
    /// Blocks of codes that a transaction removes.
    public static let removedVectorBlockCount = 256
    /// Documents that meet the conditions of a vector search and whose distances are all computed: more of them take
    /// longer than a search that tests each candidate.
    public static let fewFilteredVectorCount = 1_000
}
