public import DivanJSON

/// The bounds of a store; every member is a maximum.
public enum StoreLimits {
    /// Bytes in the name of a scope or collection (`behaviour.md` §2).
    public static let nameByteCount = 251
    /// Revisions kept from a leaf upwards: what current Couchbase Lite keeps (`revisions.md` §5).
    public static let treeDepth = 50
    /// Bytes in a body.
    ///
    /// Half of what SQLite holds in a row, since a tree beside it may hold other bodies. The
    /// replicator's own limit is far lower.
    public static let bodyByteCount = 512 << 20
    /// What a parser takes of a stored body: whatever could be stored can be read.
    public static let bodyText = JSONLimits(byteCount: bodyByteCount)
    /// Bytes in a body that travels: 20 MiB, as Sync Gateway takes.
    ///
    /// A larger one can be stored, and stays here.
    public static let syncedBodyByteCount = 20 << 20
    /// Contents that a body made here names at most, as a replicator takes them: each is looked up by the peer
    /// before the document is stored there.
    public static let documentBlobsCount = 10_000
    /// Documents that are noted of a content that was left at a peer: any of them may go before somebody asks
    /// for it.
    public static let absentBlobNamesCount = 16
    /// Old bodies of a document that are kept as sources of deltas, where somebody wants that.
    ///
    /// A client that missed two updates still gets the third as a difference. Each one is packed
    /// anew with every save, at some tens of microseconds for a few kilobytes.
    public static let deltaSourcesCount = 3
    /// Consecutive changes from which on their marks are kept as a range of their own.
    public static let knownRunCount = 16
    /// Ranges of marks for one remote in a collection: more than a few tens make a set that is
    /// read and written with every batch dearer than the rows that it spares.
    public static let knownRangesCount = 64
    /// Reader connections kept open while nobody reads.
    ///
    /// More are opened when more threads read at once, and closed afterwards.
    public static let idleReaderCount = 4
    /// Bytes of pages that a reader keeps while it follows the feed: a push reads bodies some 2 MiB behind it,
    /// and both find the same pages.
    public static let readerCacheByteCount = 3 << 20
    /// Bytes of pages that it keeps once it looks for documents: an index that finds 1,000 of them finds
    /// their pages again.
    ///
    /// More than that would only push what a scan reads out of the processor's cache.
    public static let seekingCacheByteCount = 10 << 20
    /// Documents that a reader looks for before it keeps more pages.
    public static let soughtDocumentCount = 64
    /// Bytes of pages that the writer keeps.
    public static let writerCacheByteCount = 4 << 20
    /// Bytes of pages that it keeps where documents are indexed.
    public static let indexedWriterCacheByteCount = 16 << 20
    /// Bytes of pages by which the log grows between two times that it is written into the file.
    public static let logByteCount = 16 << 20
    /// Bytes by which it may grow meanwhile before the writer waits; with those above 64 MiB.
    public static let logLagByteCount = 48 << 20
    /// Bytes of the log from which on those who keep a snapshot and do not read on are asked to let it go:
    /// twice what a log has without them.
    public static let heldLogByteCount = 128 << 20
    /// How long a transaction may take without being told in the log, where steps are; in milliseconds.
    public static let quickTransactionMilliseconds = 50
    /// Bytes that a blob reader or a copy holds at once.
    public static let blobPieceByteCount = 128 << 10
    /// Bytes of a content that are written and digested by the thread that brings them; what follows is
    /// beside it.
    public static let takenAtOnceByteCount = 1 << 20
    /// Bytes that are written and digested by one thread, which takes about half a millisecond, twenty times
    /// as long as starting it; twice as many are held.
    public static let intakeBatchByteCount = 512 << 10
    /// Contents that are taken in beside whoever brings them, in the whole process; the others are where
    /// they are.
    public static let intakeThreadsCount = 4
    /// Bytes of a content after which the system begins to bring them to the disk, so that little is left
    /// to wait for at the end.
    public static let writtenOutByteCount = 8 << 20
    /// Blobs that are sent and keep their file open between two pieces, over all connections; the others
    /// are opened for each piece, which costs some microseconds.
    public static let openCursorCount = 32
    /// Checkpoints kept here for one owner, a user or an address of users without a name; the oldest
    /// give way.
    ///
    /// A device has one for each collection that it replicates, and a hundred devices may stand behind
    /// one address.
    public static let ownedCheckpointCount = 2_000
    /// Bytes of those, names included; one takes about a hundred.
    public static let ownedCheckpointByteCount = 16 << 20
    /// Checkpoints kept here for all peers.
    public static let peerCheckpointCount = 20_000
    /// Bytes of those.
    public static let peerCheckpointByteCount = 64 << 20
    /// Refused documents that are remembered for a remote in a collection; further ones are told when
    /// they are refused, and not listed afterwards.
    ///
    /// Who has ten thousand of them has one reason, and sees it.
    public static let refusalCount = 10_000
    /// Bytes of the reason that a remote gave; the rest is cut off.
    public static let refusalMessageByteCount = 256
    /// Complete blobs that wait for the disk; at the limit they are settled although no document
    /// names them yet.
    public static let pendingBlobCount = 1_000
    /// Blobs that are synced one by one: about 3 ms each on a fast disk, while syncing the whole
    /// file system takes some 25 ms and grows with what other programs wrote.
    public static let singlySyncedBlobCount = 8
    /// Saves of concurrent threads that share one transaction.
    public static let groupedSaveCount = 64
    /// Bytes of bodies in a page of changes; one document may have more.
    public static let pageByteCount = 8 << 20
    /// Damaged documents that one read of the changes feed passes over; with more of them it fails.
    public static let passedDamageCount = 10_000
    /// Lost documents that a salvage names; further ones it counts.
    public static let namedLossCount = 1_000
    /// Rows of new documents that one statement adds: of what a statement costs by itself a sixteenth is left.
    public static let addedTogetherCount = 16
    /// Ancestors named in the answer to one announced revision (`replication.md` §3).
    public static let possibleAncestorCount = 10
    /// How long opening waits for another process that is about to close the database, in
    /// milliseconds: longer than a tool needs to end, shorter than a person waits for an error.
    public static let lockMilliseconds = 500
    /// How long a write waits for a foreign program that has the file locked, in milliseconds.
    public static let busyMilliseconds: Int32 = 5_000
    /// How long a write goes by the last look whether the file is where it was opened, in milliseconds: a look
    /// is a twentieth of a small commit.
    public static let presenceMilliseconds = 5
    /// Bytes of a body from which on it is worth packing: in a shorter one there is little to repeat.
    public static let packedBodyByteCount = 64
    /// Documents from which on a dictionary is made of them: of fewer it would not be typical.
    public static let sampledDocumentCount = 64
    /// Documents of a collection that are looked at for a dictionary, which takes about a millisecond.
    public static let sampleCount = 256
    /// Bytes of each of them that may be part of it: a few long ones would fill it.
    public static let sampledByteCount = 4 << 10
    /// Dictionaries that a connection keeps, of about 64 KiB each; the one used longest ago goes.
    public static let keptDictionaryCount = 8
    /// Bytes of room for unpacking that a connection keeps between two queries.
    public static let keptBodyByteCount = 1 << 20
    /// Collections whose prepared statements a connection keeps, some 11 KiB each; those of the one used
    /// longest ago go.
    public static let keptCollectionCount = 64
    /// Bytes that the running queries of a process hold in SQLite, where nothing else is said; one query
    /// alone gets half of them.
    public static let queryByteCount = 1 << 30
    /// Compiled queries kept with a connection while nobody runs them: an application repeats a few.
    public static let keptQueryCount = 24
    /// Bytes of SQL, literals included, of a query that is kept: compiled it takes some ten times as many, and
    /// a longer one costs more to run than to compile.
    public static let keptQueryByteCount = 64 << 10
}
