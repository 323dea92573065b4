import DivanStore

/// Limits on the memory and work that a peer can cause; every member is a maximum.
public struct ReplicatorLimits: Sendable {
    /// Entries in one sent `changes` or `proposeChanges` list: 200, as in every implementation.
    public var changesCount = 200
    /// Entries accepted in one received list.
    ///
    /// Peers send 200; 10 000 leaves room for others and keeps a lookup transaction below some tens of milliseconds.
    public var receivedChangesCount = 10_000
    /// Sent lists waiting for an answer before the feed has caught up; afterwards one.
    public var listsInFlightCount = 5
    /// Bytes of bodies passed to a read filter for one list; if there are more, the list is shortened.
    ///
    /// They are in memory at the same time.
    public var filteredByteCount = 2 << 20
    /// Lists of proposals waiting for filters; one more gets 503.
    public var waitingProposalsCount = 16
    /// Lists read from the feed in one turn of a loop, even if none of their changes are sent because the peer requests
    /// few documents.
    public var silentListsCount = 25
    /// Revisions requested and not yet received, above which the next list is answered later.
    public var requestedRevisionsCount = 2_000
    /// How long a list waits for revisions that other connections receive, and from the start of their transfer.
    ///
    /// Many times what a window takes between nearby peers, and little for a user if a transfer stalls.
    public var transferTime = Duration.seconds(2)
    /// How long a blob is awaited that another connection receives, as long as 64 KiB arrive within `transferTime`.
    ///
    /// Enough for most blobs over a slow radio link, and bearable if a peer sends slowly on purpose.
    public var blobTransferTime = Duration.seconds(60)
    /// Blobs awaited from other connections; further ones stay in the queue.
    public var awaitedBlobsCount = 64
    /// Lists waiting for their answer; a peer that sends more violates the protocol.
    public var waitingListsCount = 64
    /// Revisions read from the feed and waiting to be sent, above which no list is sent.
    public var queuedRevisionsCount = 600
    /// Revisions sent and not yet answered.
    public var unansweredRevisionsCount = 600
    /// The same for a nearby peer, which has answered within 25 ms.
    ///
    /// Revisions in transit are sent again after an interruption: with twenty interruptions, at most 4% of 100,000
    /// documents.
    public var unansweredNearbyCount = 200
    /// Bytes of bodies sent and not yet answered: 2 MiB, as in Couchbase Lite.
    public var unansweredByteCount = 2 << 20
    /// Bytes in the message layer's queue above which no further revision is added.
    ///
    /// It is low, so that the first frames of a window are sent while the next are read from the store, and both sides
    /// work at the same time.
    public var queuedOutputByteCount = 16 << 10
    /// Frames sent in one turn of a loop, which writes when the turn ends.
    ///
    /// Half of what may be in transit to a nearby peer, so that one half is produced while the peer works on the other.
    public var turnFramesCount = 100
    /// Lists of all collections together that wait for an answer.
    public var allListsInFlightCount = 50
    /// Revisions of all collections together that were requested, above which the next list is answered later.
    ///
    /// Below `parkedRevisionsCount`, because all of them may wait for blobs.
    public var allRequestedRevisionsCount = 3_000
    /// Revisions of all collections together that wait to be sent, above which no list is sent.
    public var allQueuedRevisionsCount = 3_000
    /// Revisions of all collections together that were sent and not yet answered.
    ///
    /// Half of the number that a Divan peer lets wait for blobs.
    public var allUnansweredRevisionsCount = 2_000
    /// Bytes of their bodies: a quarter of what a Divan peer lets wait.
    public var allUnansweredByteCount = 16 << 20
    /// Received revisions in one transaction: with this many, committing early costs nothing.
    public var insertedRevisionsCount = 400
    /// Revisions pulled into collections with indexes that are answered and held back; once there are this many, one
    /// transaction stores them.
    ///
    /// Each transaction rewrites most of the index pages that the previous one wrote.
    public var gatheredRevisionsCount = 4_800
    /// Bytes of the bodies of gathered revisions.
    public var gatheredByteCount = 8 << 20
    /// How long the first of them waits for others.
    public var gatheringTime = Duration.milliseconds(100)
    /// Records of the peer's revisions that wait for a transaction during the push of a backlog.
    ///
    /// Each commit invalidates the pages cached by readers, including the feed's, whose bodies are read next. A crash
    /// loses marks together with the checkpoint that would rely on them.
    public var heldMarksCount = 4_000
    /// Received revisions that wait for blobs; above it a pushing peer gets 503.
    ///
    /// Above `requestedRevisionsCount`, so that everything requested by this side fits.
    public var parkedRevisionsCount = 4_000
    /// Bytes of bodies in received revisions that wait for blobs or their transaction.
    public var parkedByteCount = 64 << 20
    /// Blobs that are sent at the same time; further requests are queued.
    ///
    /// Each holds one piece of 64 KiB in memory.
    public var openBlobsCount = 8
    /// Waiting requests for blobs and proofs; one more gets 503.
    ///
    /// Couchbase Lite requests one blob of each revision at a time, some two hundred in all.
    public var waitingBlobsCount = 1_000
    /// How long the file of a blob stays open if the peer reads nothing from it.
    public var idleBlobTime = Duration.seconds(10)
    /// Bytes hashed for proofs in one turn: about a fifth of a millisecond.
    public var provenByteCount = 256 << 10
    /// Blobs in one received revision; more get 413.
    ///
    /// Each is looked up while others wait.
    public var revisionBlobsCount = StoreLimits.documentBlobsCount
    /// Blobs sent by a peer with limited rights, remembered so that it need not send them again.
    public var shownBlobsCount = 10_000
    /// Bytes of a stored body that is searched for the blobs that such a peer may have anyway.
    public var comparedByteCount = 64 << 10
    /// Blobs fetched at the same time.
    public var blobFetchesCount = 8
    /// Bytes of one blob, 16 GiB: a stream must end; normally the disk is the limit.
    public var blobByteCount = 16 << 30
    /// Bytes of a checkpoint that is stored for a peer.
    ///
    /// Normally it is below a hundred bytes; a set of 2,000 separate ranges takes some 80 KB. The store limits how many
    /// are kept.
    public var checkpointByteCount = 128 << 10
    /// Collections in one `getCollections`.
    public var collectionsCount = 1_000
    /// Unfinished sequences of a peer that announced more than it sends.
    public var unfinishedSequencesCount = 100_000
    /// IDs in a received `history`, also the value sent as `maxHistory`: the depth of our trees.
    public var historyCount = 50
    /// IDs read from a received `history`; the rest is dropped, as pruning would do.
    public var receivedHistoryCount = 1_000
    /// Possible ancestors named per entry of a `changes` answer (`replication.md` §3).
    public var ancestorsCount = 10
    /// Bytes of stored bodies read for a peer's deltas, and for filters about what it proposes or requests, at once and
    /// per second.
    ///
    /// Received bytes increase the allowance. Above it, the full body is requested (422), proposals wait, and requests
    /// for blobs get 503. Reading, changing and writing 8 MiB takes a loop some hundred milliseconds.
    public var deltaSourceByteCount = 8 << 20
    /// Conflicts waiting for a resolver, above which the next list is answered later.
    public var unresolvedConflictsCount = 1_000
    /// Documents whose conflicts are counted, to detect one whose conflict keeps coming back.
    public var watchedConflictsCount = 1_000
    /// Resolutions of one document within `rotationWindow` that count as a rotation.
    ///
    /// Two users who type into one document over a slow connection stay far below it.
    public var rotationCount = 30
    /// How long resolutions of one document are counted together.
    public var rotationWindow: Duration = .seconds(60)
    /// Refused proposals waiting for the pull to resolve them; further ones are errors immediately.
    public var awaitedConflictsCount = 10_000
    /// Revisions that the peer forbids, which are retried after everything else; if there are more, they are retried
    /// immediately.
    public var forbiddenRevisionsCount = 10_000
    /// Documents in conflict whose recorded remote revision may be wrong; if there are more, no record is trusted.
    public var doubtfulDocumentsCount = 100_000
    /// Revisions of our own commits, remembered so that they are not echoed.
    public var rememberedEchoesCount = 20_000
    /// Documents of one subscription that the peer is asked to announce again; later runs ask for the others.
    public var repeatedDocumentsCount = 100
    /// Bytes of their IDs, well below the limit of a message's properties.
    public var repeatedDocumentsByteCount = 32 << 10
    /// Revisions that arrived after another one had won, and whose sender was notified; if there are more, they count
    /// as known.
    public var overtakenRevisionsCount = 1_000
    /// Bytes of a document's body, in either direction: 20 MiB, as in Sync Gateway.
    ///
    /// A larger document gets 413; others are still transferred.
    public var documentByteCount = StoreLimits.syncedBodyByteCount
    /// Bytes that an announced or proposed body may have according to its sender: a larger one is not requested.
    ///
    /// Above `documentByteCount`, because other peers measure their own format, and below the 32 MiB at which a message
    /// ends the connection.
    public var announcedByteCount = 30 << 20

    /// How long a wait lasts before the log and the status report it.
    ///
    /// Slow peers answer a batch within a few seconds.
    public var patience = Duration.seconds(10)
    /// Maximum time without a requested revision before a new connection requests them again.
    ///
    /// Checked when a wait is reported, so it can take up to twice as long. A continuous push also waits this long
    /// before a new connection offers rejected revisions again.
    public var longestSilence = Duration.seconds(600)

    /// Creates the default limits.
    public init() {}

    /// The limits for two databases in one process, where no connection can be lost, so more may be in transit.
    public static let inProcess: ReplicatorLimits = {
        var limits = ReplicatorLimits()
        limits.unansweredNearbyCount = 4_800
        limits.unansweredRevisionsCount = 4_800
        limits.unansweredByteCount = 8 << 20
        limits.turnFramesCount = 300
        limits.queuedOutputByteCount = 200 << 10
        // Larger transactions rewrite shared pages less often, mainly those of indexes. While one is stored, revisions
        // that are announced and requested continue to arrive.
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
