/// The limits of a store; every member is a maximum.
public enum StoreLimits {
    /// Revisions kept per branch, counted from the leaf up: the same as current Couchbase Lite (`revisions.md` §5).
    public static let treeDepth = 50
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
    /// Ancestors named in the response to one announced revision (`replication.md` §3).
    public static let possibleAncestorCount = 10
}
