public import DivanJSON

/// The limits that a storage engine and its callers share; every member is a maximum unless it says otherwise.
public enum StorageLimits {
    /// Bytes in the name of a scope or collection (`behaviour.md` §2).
    public static let nameByteCount = 251
    /// Bytes in a body.
    ///
    /// Half of SQLite's limit for a row, because the tree in the same row may contain other bodies. The
    /// replicator's limit is much lower.
    public static let bodyByteCount = 512 << 20
    /// The size from which a body counts as long: a replaced one is read without a second copy in SQLite, and is
    /// not kept while its successor is written.
    public static let longBodyByteCount = 1 << 20
    /// The limits for parsing a stored body: every body that was stored can be read.
    public static let bodyText = JSONLimits(byteCount: bodyByteCount)
    /// Bytes of the name of a custom storage engine: enough for any name, and little to store and log.
    public static let engineNameByteCount = 64
    /// Documents of a collection that are sampled for a dictionary, which takes about a millisecond.
    public static let sampleCount = 256
    /// Bytes that the running queries of a process can use in SQLite, unless configured otherwise; a single query
    /// can use half.
    public static let queryByteCount = 1 << 30
    /// Vectors that are in no cell of a trained index before a query moves them there: each query reads all of them.
    public static let freshVectorCount = 1_024
    /// Bytes of the vectors with which an index is trained.
    public static let vectorSampleByteCount = 48 << 20
    /// Bytes of the vectors that are moved into cells at a time.
    public static let placedVectorByteCount = 16 << 20
    /// Multiplications for which a query waits before it searches a vector index, about half a second; what needs
    /// more, or concerns more than `fullySearchedVectorCount` vectors, is done in the background.
    public static let quickVectorProductCount = 1 << 32
    /// Vectors of an index whose cells are all searched by default, which takes about a millisecond.
    public static let fullySearchedVectorCount = 10_000
    /// Rows of new documents added by one statement, which divides the fixed cost of a statement by sixteen.
    public static let addedTogetherCount = 16
    /// The minimum number of documents for a dictionary: with fewer, it would not be typical.
    public static let sampledDocumentCount = 64
}
