import DivanBLIP
import DivanRevisions
import DivanStore

/// All that one connection does about one collection.
struct CollectionSync {
    let path: CollectionPath
    /// Whether the collection exists here; a peer may name others, which get no service.
    let isKnown: Bool
    var pullFilter: DocumentFilter?
    // The active side.
    var checkpointer: Checkpointer?
    var puller: Puller?
    var pusher: Pusher?
    private var remoteOrder = RemoteOrder()
    private(set) var withdrawals = Withdrawals()
    // The passive side.
    var feed: PassiveFeed?
    /// What the peer may fetch; `nil` = everything.
    var readFilter: DocumentFilter?
    var hasAnswered = false
    /// Revisions that this peer brought; its subscription need not tell it of them.
    var echoes: [DocumentID: RevisionID] = [:]

    init(_ path: CollectionPath, isKnown: Bool = true) {
        self.path = path
        self.isKnown = isKnown
    }

    /// A collection as a passive peer shares it.
    init(_ path: CollectionPath, sharedAs options: PeerConfiguration.PassiveOptions) {
        self.init(path)
        readFilter = options.readFilters[path]
        pullFilter = options.writeFilters[path]
    }

    var isIdle: Bool {
        (puller?.isIdle ?? true) && (pusher?.isIdle ?? true) && (feed?.isIdle ?? true)
    }

    /// Whether the peer is told of every change as it comes.
    var isFollowed: Bool { feed?.isContinuous ?? false }

    /// Whether a push waits for a document to be pulled.
    func awaitsPull(of documentID: DocumentID) -> Bool {
        pusher?.awaitingPull[documentID] != nil
    }

    /// Changes of either side that nobody has looked at yet, at most.
    var unreadCount: UInt64 { (puller?.unreadCount ?? 0) + (pusher?.unreadCount ?? 0) }

    /// Whether the checkpoint needs no saving.
    var isSettled: Bool { checkpointer?.isSettled ?? true }

    mutating func notice(isContinuous: Bool) {
        if isContinuous { pusher?.notice() }
        feed?.notice()
    }

    mutating func pumpPuller(_ session: inout Session, _ inbox: inout Inbox) {
        guard puller != nil, var checkpointer = checkpointer.take() else { return }
        puller?.pump(&session, &checkpointer, &inbox)
        self.checkpointer = checkpointer
    }

    /// A revision that was asked for arrived, or never will; nothing where we do not pull.
    mutating func finish(
        _ sequence: RemoteSequence?,
        isFinished: Bool,
        byteCount: Int,
        _ session: inout Session
    ) {
        guard let sequence, puller != nil, checkpointer != nil else { return }
        puller?.received(sequence, byteCount: byteCount, &session)
        if isFinished { checkpointer?.remote.finish(sequence) }
    }

    /// Whether what the peer told of a document is old by now; if not, what it told before is.
    mutating func isOutdated(_ mark: Inbox.Mark) -> Bool {
        guard puller != nil, let sequence = mark.remoteSequence else { return false }
        return !remoteOrder.note(mark.revision.documentID, sequence)
    }

    /// The same for a revision that it sent.
    ///
    /// Only a revision that follows others can have overtaken one.
    mutating func isOutdated(_ message: RevisionMessage) -> Bool {
        guard puller != nil, let sequence = message.sequence?.number else { return false }
        guard !message.history.isEmpty || pusher?.underway[message.documentID] != nil else {
            return remoteOrder.isPassed(message.documentID, sequence)
        }
        return !remoteOrder.note(message.documentID, sequence)
    }

    /// The user lost a document: what was sent of it before is not to be stored.
    mutating func note(_ removal: Removal) {
        guard let sequence = removal.sequence else { return }
        withdrawals.note(removal.documentID, sequence)
    }

    mutating func pumpSenders(_ session: inout Session, _ inbox: inout Inbox) {
        do {
            if pusher != nil, var checkpointer = checkpointer.take() {
                defer { self.checkpointer = checkpointer }
                try pusher?.pump(&session, &checkpointer, &inbox)
            }
            try feed?.pump(&session, echoes: &echoes)
        } catch {
            session.end(storage: error, code: 1011)
        }
    }

    /// Whether the checkpoint is due, with which everything goes that it counts on.
    func savesCheckpoint(at now: Duration) -> Bool {
        checkpointer?.deadline.map { $0 <= now } ?? false
    }

    /// Saves the checkpoint when it is due, at once when the collection has come to rest.
    mutating func pumpCheckpoint(_ session: inout Session, _ inbox: Inbox) {
        let isForced = isIdle && inbox.isEmpty
        if isForced {
            remoteOrder.clear()
            withdrawals.clear()
        }
        checkpointer?.pump(&session, isForced: isForced)
    }
}
