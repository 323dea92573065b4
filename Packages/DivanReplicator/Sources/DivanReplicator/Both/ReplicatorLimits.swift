import DivanStore

/// What a peer may make the engine hold or do; every member is a maximum.
public struct ReplicatorLimits: Sendable {
    /// Entries in one `changes` or `proposeChanges` list that we send: 200, as every
    /// implementation sends.
    public var changesCount = 200
    /// Entries accepted in one received list.
    ///
    /// Peers send 200; 10 000 leaves room for others and
    /// keeps one look-up transaction below some tens of milliseconds.
    public var receivedChangesCount = 10_000
    /// Lists of ours that wait for an answer before we have caught up; afterwards one.
    public var listsInFlightCount = 5
    /// Bytes of bodies that a read filter is asked about at once; more shortens the list.
    ///
    /// They are in memory together.
    public var filteredByteCount = 2 << 20
    /// Lists of proposals that wait until a filter may be asked again; one more is answered 503.
    public var waitingProposalsCount = 16
    /// Lists read from the feed in one turn of a loop, also when nothing of them is told: to a peer
    /// that wants a few documents of many, or none.
    public var silentListsCount = 25
    /// Revisions asked for and not yet received, above which the next list is answered later.
    public var requestedRevisionsCount = 2_000
    /// Lists that wait for their answer; a peer that sends more breaks the protocol.
    public var waitingListsCount = 64
    /// Revisions read from the feed and waiting to be sent, above which no list goes out.
    public var queuedRevisionsCount = 600
    /// Revisions sent and not answered.
    public var unansweredRevisionsCount = 600
    /// The same where the peer is near: where some answer of it came within 25 ms.
    ///
    /// What is on its way is sent again after an interruption: twenty of them repeat at most 4 % of
    /// 100,000 documents.
    public var unansweredNearbyCount = 200
    /// Bytes of bodies sent and not answered: 2 MiB, as in Couchbase Lite.
    public var unansweredByteCount = 2 << 20
    /// Bytes in the message layer's queue above which no further revision enters it.
    ///
    /// Little, so that the first frames of a window leave while the next are read from the store:
    /// both sides work at the same time.
    public var queuedOutputByteCount = 16 << 10
    /// Frames sent in one turn of a loop, which writes when the turn ends.
    ///
    /// Half of what may be on its way to a peer nearby, so that one half is made here while the
    /// peer works on the other.
    public var turnFramesCount = 100
    /// Lists of all collections together that wait for an answer.
    public var allListsInFlightCount = 50
    /// Revisions of all collections together that were asked for, above which the next list is answered
    /// later.
    ///
    /// Below `parkedRevisionsCount`: all of them may wait for blobs.
    public var allRequestedRevisionsCount = 3_000
    /// Revisions of all collections together that wait to be sent, above which no list goes out.
    public var allQueuedRevisionsCount = 3_000
    /// Revisions of all collections together that were sent and not answered.
    ///
    /// Half of what a peer of ours lets wait for blobs.
    public var allUnansweredRevisionsCount = 2_000
    /// Bytes of their bodies: a quarter of the same.
    public var allUnansweredByteCount = 16 << 20
    /// Received revisions in one transaction: beyond this, committing early costs nothing.
    public var insertedRevisionsCount = 400
    /// Revisions pulled into collections with indexes that are answered and held back; at this number one
    /// transaction stores them.
    ///
    /// Each transaction writes again most pages of the indexes that the one before has written.
    public var gatheredRevisionsCount = 4_800
    /// Bytes of their bodies.
    public var gatheredByteCount = 8 << 20
    /// How long the first of them waits while others come.
    public var gatheringTime = Duration.milliseconds(100)
    /// Marks of what the peer has that wait for a transaction while a backlog is pushed.
    ///
    /// Each commit makes the pages worthless that readers hold, those of the feed among them whose
    /// bodies are read next. A crash loses marks with the checkpoint that would count on them.
    public var heldMarksCount = 4_000
    /// Received revisions that wait for blobs; a pushing peer gets 503 above it.
    ///
    /// Above `requestedRevisionsCount`, so that what we asked for ourselves always fits.
    public var parkedRevisionsCount = 4_000
    /// Bytes of bodies in received revisions that wait for blobs or their transaction.
    public var parkedByteCount = 64 << 20
    /// Blobs that are being sent at the same time; further requests wait in line.
    ///
    /// Each holds one piece of 64 KiB in memory.
    public var openBlobsCount = 8
    /// Requests for blobs, and for proofs of them, that wait; one more is answered 503.
    ///
    /// Couchbase Lite asks for one blob of each revision at a time, some two hundred in all.
    public var waitingBlobsCount = 1_000
    /// How long the file of a blob stays open when the peer reads nothing of it.
    public var idleBlobTime = Duration.seconds(10)
    /// Bytes hashed for proofs in one turn: about a fifth of a millisecond.
    public var provenByteCount = 256 << 10
    /// Blobs that one received revision may name; more is answered 413.
    ///
    /// Each is looked up while others wait.
    public var revisionBlobsCount = StoreLimits.documentBlobsCount
    /// Blobs that a peer with limited rights has sent, remembered so that it need not send them again.
    public var shownBlobsCount = 10_000
    /// Bytes of a stored body that is looked through for the blobs that such a peer may have anyway.
    public var comparedByteCount = 64 << 10
    /// Blobs fetched at the same time.
    public var blobFetchesCount = 8
    /// Bytes of one blob, 16 GiB: a stream has to end; the disk is the usual bound.
    public var blobByteCount = 16 << 30
    /// Bytes of a checkpoint that is kept for a peer.
    ///
    /// One is below a hundred bytes as a rule; a set of 2,000 separate ranges takes some 80 KB. How many
    /// are kept is the store's bound.
    public var checkpointByteCount = 128 << 10
    /// Collections in one `getCollections`.
    public var collectionsCount = 1_000
    /// Unfinished sequences of a peer, which announced more than it sends.
    public var unfinishedSequencesCount = 100_000
    /// IDs in a received `history`, also what `maxHistory` asks for: the depth of our trees.
    public var historyCount = 50
    /// IDs read from a received `history`; the rest is cut off as pruning would do.
    public var receivedHistoryCount = 1_000
    /// Possible ancestors named per entry of a `changes` answer (`replication.md` §3).
    public var ancestorsCount = 10
    /// Bytes of stored bodies that are read for the differences of a peer, and for a filter's word on what it
    /// proposes or asks for, at once and in each second.
    ///
    /// Beyond what its own bytes earn the whole body is asked for (422), proposals wait, and a request for a
    /// blob is answered later (503).
    /// Reading, changing and writing 8 MiB holds a loop for some hundred milliseconds.
    public var deltaSourceByteCount = 8 << 20
    /// Conflicts that wait for a resolver, above which the next list is answered later.
    public var unresolvedConflictsCount = 1_000
    /// Documents whose conflicts are counted, to notice one that does not come to rest.
    public var watchedConflictsCount = 1_000
    /// Resolutions of one document within `rotationWindow` that count as a rotation.
    ///
    /// Two people who type into one document over a slow connection stay far below.
    public var rotationCount = 30
    /// How long resolutions of one document are counted together.
    public var rotationWindow: Duration = .seconds(60)
    /// Refused proposals that wait for the pull to clear them; the next ones are errors at once.
    public var awaitedConflictsCount = 10_000
    /// Revisions that the peer forbids, and that wait for all else to be done: where there are more they
    /// get their second try at once.
    public var forbiddenRevisionsCount = 10_000
    /// Documents in conflict that are remembered, because a mark of theirs may be worthless; where there
    /// are more no mark is relied on.
    public var doubtfulDocumentsCount = 100_000
    /// Revisions of our own commits remembered so that they are not echoed.
    public var rememberedEchoesCount = 20_000
    /// Revisions that another one had won over when they came, and whose sender was told so: where there are
    /// more they count as known.
    public var overtakenRevisionsCount = 1_000
    /// Bytes of a document's body, in either direction: 20 MiB, as in Sync Gateway.
    ///
    /// A larger one is refused with 413 by itself, and the rest goes on.
    public var documentByteCount = StoreLimits.syncedBodyByteCount
    /// Bytes that an announced or proposed body may have by its sender's reckoning: a larger one is not
    /// asked for.
    ///
    /// Above `documentByteCount`, for other peers count in a format of their own, and below the
    /// 32 MiB at which a message ends the connection.
    public var announcedByteCount = 30 << 20

    /// How long something is waited for before the log and the status name it.
    ///
    /// Slow peers answer a batch within a few seconds; people look after about ten.
    public var patience = Duration.seconds(10)
    /// How long nothing may come of revisions that were asked for, before another connection asks again.
    ///
    /// Looked at when a wait is named, so up to twice as long. So long a continuous push waits, too, before
    /// another connection offers again what the peer could not take.
    public var longestSilence = Duration.seconds(600)

    /// Creates the default limits.
    public init() {}

    /// The limits for two databases of one process, where no connection can be lost: what is on its
    /// way need not be little, and neither end should wait for the other.
    public static let inProcess: ReplicatorLimits = {
        var limits = ReplicatorLimits()
        limits.unansweredNearbyCount = 4_800
        limits.unansweredRevisionsCount = 4_800
        limits.unansweredByteCount = 8 << 20
        limits.turnFramesCount = 300
        limits.queuedOutputByteCount = 200 << 10
        // Larger transactions write pages less often that each of them writes, those of indexes above
        // all. While one is stored, what is announced and asked for already goes on coming.
        limits.insertedRevisionsCount = 2_400
        limits.queuedRevisionsCount = 2_400
        limits.requestedRevisionsCount = 6_000
        limits.parkedRevisionsCount = 8_000
        limits.allRequestedRevisionsCount = 7_000
        limits.allQueuedRevisionsCount = 7_000
        limits.allUnansweredRevisionsCount = 6_000
        limits.listsInFlightCount = 12
        return limits
    }()
}
