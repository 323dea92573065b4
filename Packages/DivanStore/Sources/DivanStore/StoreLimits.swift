public import DivanJSON

/// The limits of a store; every member is a maximum.
public enum StoreLimits {
    /// Bytes in the name of a scope or collection (`behaviour.md` §2).
    public static let nameByteCount = 251
    /// Revisions kept per branch, counted from the leaf up: the same as current Couchbase Lite (`revisions.md` §5).
    public static let treeDepth = 50
    /// Bytes in a body.
    ///
    /// Half of what SQLite can hold in a row, since the tree in the same row may hold other bodies.
    /// The replicator's own limit is far lower.
    public static let bodyByteCount = 512 << 20
    /// What a parser accepts of a stored body: whatever could be stored can be read.
    public static let bodyText = JSONLimits(byteCount: bodyByteCount)
    /// Bytes in a body that is synced: 20 MiB, the limit of Sync Gateway.
    ///
    /// A larger one can be stored, and stays here.
    public static let syncedBodyByteCount = 20 << 20
    /// Blobs that a body made here may refer to, as many as a replicator accepts: the peer looks up each of
    /// them before it stores the document.
    public static let documentBlobsCount = 10_000
    /// Documents recorded for a blob whose content was left at a peer: any of them may be gone before
    /// somebody asks for it.
    public static let absentBlobNamesCount = 16
    /// Old bodies of a document kept as sources of deltas, while these are wanted (`DeltaSourceHold`).
    ///
    /// A client that missed two updates still gets the third as a delta. Each body is repacked at
    /// every save, which takes some tens of microseconds for a few kilobytes.
    public static let deltaSourcesCount = 3
    /// Consecutive changes from which on their marks are kept as a range.
    public static let knownRunCount = 16
    /// Ranges of marks for one remote in a collection: with more than a few tens, reading and
    /// writing the set with every batch costs more than the rows that it saves.
    public static let knownRangesCount = 64
    /// Reader connections kept open while nobody reads.
    ///
    /// More are opened when more threads read at once, and closed afterwards.
    public static let idleReaderCount = 4
    /// Bytes of pages that a reader caches while it follows the feed: a push reads bodies some 2 MiB behind
    /// it, and both need the same pages.
    public static let readerCacheByteCount = 3 << 20
    /// Bytes of pages that it caches once it looks up documents: enough for an index that finds 1,000 of
    /// them to find their pages again.
    ///
    /// A larger cache would only push what a scan reads out of the processor's cache.
    public static let seekingCacheByteCount = 10 << 20
    /// Documents that a reader looks up before it caches more pages.
    public static let soughtDocumentCount = 64
    /// Bytes of pages that the writer caches.
    public static let writerCacheByteCount = 4 << 20
    /// Bytes of pages that it caches if documents are indexed.
    public static let indexedWriterCacheByteCount = 16 << 20
    /// Bytes of pages by which the log grows before it is copied into the file again.
    public static let logByteCount = 16 << 20
    /// Bytes by which it may grow while it is copied before the writer waits; 64 MiB with those above.
    public static let logLagByteCount = 48 << 20
    /// Bytes of the log from which on those who keep a snapshot without reading on are asked to release
    /// it: twice what a log has without them.
    public static let heldLogByteCount = 128 << 20
    /// Milliseconds that a commit waits for a moment without readers, if such a log is held by readers that
    /// begin and end all the time; new ones wait meanwhile.
    public static let readerPauseMilliseconds = 50
    /// Milliseconds that a transaction may take before the log mentions it at verbose level.
    public static let quickTransactionMilliseconds = 50
    /// Bytes that a blob reader or a copy holds at a time.
    public static let blobPieceByteCount = 128 << 10
    /// Bytes of a blob that are written and digested by the thread that supplies them; what follows is
    /// handled by another thread.
    public static let takenAtOnceByteCount = 1 << 20
    /// Bytes that one thread writes and digests, in about half a millisecond, twenty times as long as
    /// starting the thread; twice as many are held.
    public static let intakeBatchByteCount = 512 << 10
    /// Blobs taken in by a thread of their own at the same time, in the whole process; others are
    /// handled by the thread that supplies them.
    public static let intakeThreadsCount = 4
    /// Bytes of a blob after which the system starts to write them to the disk, so that there is little
    /// left to wait for at the end.
    public static let writtenOutByteCount = 8 << 20
    /// Blobs being sent that keep their file open between two pieces, over all connections; the others
    /// are reopened for each piece, which costs some microseconds.
    public static let openCursorCount = 32
    /// Checkpoints kept here for one owner (a user, or an address whose users have no name); the
    /// oldest are dropped.
    ///
    /// A device has one for each collection that it replicates, and a hundred devices may share one
    /// address.
    public static let ownedCheckpointCount = 2_000
    /// Bytes of those, names included; one takes about a hundred.
    public static let ownedCheckpointByteCount = 16 << 20
    /// Checkpoints kept here for all peers together.
    public static let peerCheckpointCount = 20_000
    /// Bytes of those.
    public static let peerCheckpointByteCount = 64 << 20
    /// Refused documents remembered per remote and collection; further ones are reported when they
    /// are refused, but not listed afterwards.
    ///
    /// Ten thousand of them have one cause, which is visible by then.
    public static let refusalCount = 10_000
    /// Bytes of the reason that a remote gave; the rest is truncated.
    public static let refusalMessageByteCount = 256
    /// Complete blobs waiting to be synced; at this limit they are synced even though no document
    /// refers to them yet.
    public static let pendingBlobCount = 1_000
    /// Blobs synced one by one: about 3 ms each on a fast disk, while syncing the whole file system
    /// takes some 25 ms and grows with what other programs have written.
    public static let singlySyncedBlobCount = 8
    /// Saves of concurrent threads that share a transaction.
    public static let groupedSaveCount = 64
    /// Bytes of bodies in a page of changes; a single document may have more.
    public static let pageByteCount = 8 << 20
    /// Damaged documents that one read of the changes feed skips; with more of them it fails.
    public static let passedDamageCount = 10_000
    /// Lost documents that a salvage names; further ones are only counted.
    public static let namedLossCount = 1_000
    /// Rows of new documents added by one statement: this leaves a sixteenth of the statement's own cost.
    public static let addedTogetherCount = 16
    /// Ancestors named in the response to one announced revision (`replication.md` §3).
    public static let possibleAncestorCount = 10
    /// Milliseconds that opening waits for another process that is about to close the database:
    /// longer than a tool needs to end, shorter than a person waits for an error.
    public static let lockMilliseconds = 500
    /// Milliseconds that a write waits for another program that has the file locked.
    public static let busyMilliseconds: Int32 = 5_000
    /// Milliseconds that a write relies on the last check that the file is where it was opened: a check costs
    /// a twentieth of a small commit.
    public static let presenceMilliseconds = 5
    /// Bytes of a body from which on packing is worthwhile: a shorter one repeats little.
    public static let packedBodyByteCount = 64
    /// Documents from which on a dictionary is made of them: with fewer it would not be typical.
    public static let sampledDocumentCount = 64
    /// Documents of a collection that are sampled for a dictionary, which takes about a millisecond.
    public static let sampleCount = 256
    /// Bytes of each of them that may go into it: a few long ones would fill it.
    public static let sampledByteCount = 4 << 10
    /// Dictionaries that a connection keeps, about 64 KiB each; the least recently used is dropped.
    public static let keptDictionaryCount = 8
    /// Bytes of buffer for unpacking that a connection keeps between two queries.
    public static let keptBodyByteCount = 1 << 20
    /// Collections whose prepared statements a connection keeps, some 11 KiB each; those of the least
    /// recently used are dropped.
    public static let keptCollectionCount = 64
    /// Bytes that the running queries of a process hold in SQLite, unless configured otherwise; a single
    /// query gets half of them.
    public static let queryByteCount = 1 << 30
    /// Idle compiled queries that a connection keeps: an application repeats a few.
    public static let keptQueryCount = 24
    /// Bytes of SQL, literals included, of a query that is kept: compiled, it takes some ten times as many,
    /// and a longer one costs more to run than to compile.
    public static let keptQueryByteCount = 64 << 10
}
