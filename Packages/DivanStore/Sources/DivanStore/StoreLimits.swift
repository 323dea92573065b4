public import DivanJSON

/// The limits of a store; every member is a maximum.
public enum StoreLimits {
    /// Bytes in the name of a scope or collection (`behaviour.md` §2).
    public static let nameByteCount = 251
    /// Revisions kept per branch, counted from the leaf up: the same as current Couchbase Lite (`revisions.md` §5).
    public static let treeDepth = 50
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
    /// Bytes in a body that is synced: 20 MiB, the limit of Sync Gateway.
    ///
    /// A larger body can be stored, but is not synced.
    public static let syncedBodyByteCount = 20 << 20
    /// Blobs that a local body can reference, which is the limit of a replicator: the peer looks up each blob
    /// before it stores the document.
    public static let documentBlobsCount = 10_000
    /// Documents recorded for a blob that is not downloaded: some of them may be deleted before the blob is
    /// requested.
    public static let absentBlobNamesCount = 16
    /// Old bodies of a document that are kept as sources of deltas during a `DeltaSourceHold`.
    ///
    /// A client that missed two updates still gets the third as a delta. Each body is compressed again at every
    /// save, which takes tens of microseconds for a few kilobytes.
    public static let deltaSourcesCount = 3
    /// The minimum number of consecutive changes whose marks are kept as a range.
    public static let knownRunCount = 16
    /// Ranges of marks for one remote in a collection: with more ranges, reading and writing the set with every
    /// batch costs more than the saved row updates.
    public static let knownRangesCount = 64
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
    /// Milliseconds that a transaction may take before it is logged at verbose level.
    public static let quickTransactionMilliseconds = 50
    /// Bytes that a blob reader or a copy processes at a time.
    public static let blobPieceByteCount = 128 << 10
    /// Bytes of a blob that are written and hashed on the caller's thread; the rest is handled by another thread.
    public static let takenAtOnceByteCount = 1 << 20
    /// Bytes that one thread writes and hashes at a time, in about half a millisecond, twenty times as long as
    /// starting the thread; twice as many are in memory.
    public static let intakeBatchByteCount = 512 << 10
    /// Blobs that are written by separate threads at the same time, in the whole process; others are handled on the
    /// caller's thread.
    public static let intakeThreadsCount = 4
    /// Bytes of a blob after which the system starts writing them to disk, so that little is left to write at the
    /// end.
    public static let writtenOutByteCount = 8 << 20
    /// Blobs being sent that keep their file open between two pieces, over all connections; other files are
    /// reopened for each piece, which costs a few microseconds.
    public static let openCursorCount = 32
    /// Checkpoints stored for one owner (a user, or an address without user names); the oldest are deleted.
    ///
    /// A device has one checkpoint for each replicated collection, and a hundred devices may share an address.
    public static let ownedCheckpointCount = 2_000
    /// Bytes of these checkpoints, including names; one takes about a hundred bytes.
    public static let ownedCheckpointByteCount = 16 << 20
    /// Checkpoints stored for all peers together.
    public static let peerCheckpointCount = 20_000
    /// Bytes of these checkpoints.
    public static let peerCheckpointByteCount = 64 << 20
    /// Rejected documents recorded per remote and collection; further documents are reported when they are
    /// rejected, but not listed afterwards.
    ///
    /// Ten thousand rejections usually have one cause.
    public static let refusalCount = 10_000
    /// Bytes of the message from a remote; the rest is truncated.
    public static let refusalMessageByteCount = 256
    /// Complete blobs waiting to be synced; at this limit they are synced even though no document references them
    /// yet.
    public static let pendingBlobCount = 1_000
    /// Blobs synced one by one: about 3 ms each on a fast disk, while syncing the whole file system takes about 25
    /// ms, and more if other programs write.
    public static let singlySyncedBlobCount = 8
    /// Saves of concurrent threads that share a transaction.
    public static let groupedSaveCount = 64
    /// Bytes of bodies in a page of changes; a single document may have more.
    public static let pageByteCount = 8 << 20
    /// Damaged documents that one read of the changes feed skips; if there are more, the read fails.
    public static let passedDamageCount = 10_000
    /// Lost documents that a salvage lists; further documents are only counted.
    public static let namedLossCount = 1_000
    /// Rows of new documents added by one statement, which divides the fixed cost of a statement by sixteen.
    public static let addedTogetherCount = 16
    /// Bytes of the name of a custom storage engine: enough for any name, and little to store and log.
    public static let engineNameByteCount = 64
    /// Ancestors named in the response to one announced revision (`replication.md` §3).
    public static let possibleAncestorCount = 10
    /// Milliseconds that opening waits for another process that is about to close the database: long enough for a
    /// tool to end, short enough for a user to wait.
    public static let lockMilliseconds = 500
    /// The minimum size of a body that is worth compressing: shorter bodies have little repetition.
    public static let packedBodyByteCount = 64
    /// The minimum number of documents for a dictionary: with fewer, it would not be typical.
    public static let sampledDocumentCount = 64
    /// Documents of a collection that are sampled for a dictionary, which takes about a millisecond.
    public static let sampleCount = 256
    /// Bytes of each sample in a dictionary: a few long documents would fill it.
    public static let sampledByteCount = 4 << 10
    /// Dictionaries that a connection keeps, about 64 KiB each; the least recently used is released.
    public static let keptDictionaryCount = 8
    /// Bytes of the decompression buffer that a connection keeps between two queries.
    public static let keptBodyByteCount = 1 << 20
    /// Collections whose prepared statements a connection keeps, about 11 KiB each; those of the least recently
    /// used collection are released.
    public static let keptCollectionCount = 64
    /// Bytes that the running queries of a process can use in SQLite, unless configured otherwise; a single query
    /// can use half.
    public static let queryByteCount = 1 << 30
    /// Idle compiled queries that a connection keeps: applications repeat a few queries.
    public static let keptQueryCount = 24
    /// Bytes of SQL, including literals, of a query that is kept: a compiled query takes about ten times as many,
    /// and a longer query costs more to run than to compile.
    public static let keptQueryByteCount = 64 << 10
    /// Vectors that are in no cell of a trained index before a query moves them there: each query reads all of them.
    public static let freshVectorCount = 1_024
    /// Bytes of the vectors with which an index is trained.
    public static let vectorSampleByteCount = 48 << 20
    /// Bytes of a block of vector codes, about three pages of a file.
    public static let vectorBlockByteCount = 24_000
    /// Bytes of the codes that the readers of a database keep from earlier vector searches.
    public static let vectorCellCacheByteCount = 64 << 20
    /// Bytes of the vectors that are moved into cells at a time.
    public static let placedVectorByteCount = 16 << 20
    /// Vectors that are moved into cells at a time: each is a row that may be written.
    public static let placedVectorCount = 1 << 16
    /// Multiplications for which a query waits before it searches a vector index, about half a second; what needs
    /// more, or concerns more than `fullySearchedVectorCount` vectors, is done in the background.
    public static let quickVectorProductCount = 1 << 32
    /// Blocks of codes that a transaction removes.
    public static let removedVectorBlockCount = 256
    /// Vectors of an index whose cells are all searched by default, which takes about a millisecond.
    public static let fullySearchedVectorCount = 10_000
    /// Documents that meet the conditions of a vector search and whose distances are all computed: more of them take
    /// longer than a search that tests each candidate.
    public static let fewFilteredVectorCount = 1_000
}
