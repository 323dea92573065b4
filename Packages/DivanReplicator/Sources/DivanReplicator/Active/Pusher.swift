import DivanBLIP
import DivanRevisions
import DivanSealedFields
import DivanStore

/// The pushing half of an active peer, for one collection: proposes local changes in the order of their sequences,
/// sends what the peer accepts, and tracks what is done.
///
/// `PushedChange` decides what happens to a change; this passes it the events, and carries out the effects.
///
/// Source: `replication.md` §5.
struct Pusher {
    private let path: CollectionPath
    private let connection: Connection
    private let checkpointer: Checkpointer
    private let remarks: PeerReports
    private let collection: Int
    private let rivals: PushConflicts
    private var feed: PushFeed
    private var changes = PushedChanges()
    private var sender: RevisionSender
    private var listsInFlightCount = 0
    private var hasSpoken = false
    /// Whether the peer accepts no changes from this user, so that only the pull continues.
    private var isBarred = false
    /// Whether there is more to read, but others must go first.
    private(set) var wantsTurn = false
    /// Since when there has been a change that the peer may accept later: this connection does not offer it again.
    private(set) var failedSince: Duration?

    init(
        collection: Int,
        options: PeerConfiguration.CollectionOptions,
        pulls: Bool,
        sealing: FieldSealing?,
        after checkpointer: Checkpointer,
        through last: UInt64,
        remarks: PeerReports,
        over connection: Connection
    ) {
        self.connection = connection
        self.checkpointer = checkpointer
        self.remarks = remarks
        self.collection = collection
        path = options.path
        rivals = PushConflicts(path: path, pulls: pulls, connection: connection)
        feed = PushFeed(options, after: checkpointer, through: last, over: connection)
        sender = RevisionSender(connection, collection: collection, path: path, isPush: true)
        sender.keepsOrder = pulls
        sender.sealing = sealing
    }

    /// Whether everything local is at the peer, or permanently refused.
    var isIdle: Bool { isAllElseDone && changes.isEmpty }

    /// Whether nothing is in progress except what was set aside.
    private var isAllElseDone: Bool {
        feedPhase == .caughtUp && listsInFlightCount == 0 && sender.isIdle
    }

    /// Whether a change of a document is in progress.
    func isUnderway(_ documentID: DocumentID) -> Bool { changes.isUnderway(documentID) }

    /// How far local changes have been read.
    var feedPhase: FeedPhase { isBarred ? .caughtUp : feed.phase }

    /// Local changes that have not been examined yet; never too few.
    var unreadCount: UInt64 { isBarred ? 0 : feed.unreadCount }

    /// There are changes after the last one that was read.
    mutating func notice() { feed.notice() }

    /// The peer sent a revision of a document in this run: what is recorded about it there is reliable.
    mutating func trust(_ documentID: DocumentID) { feed.trust(documentID) }

    /// Reads, proposes and sends as far as the windows allow.
    mutating func pump() throws {
        guard !isBarred else { return }
        proposeFound()
        try readFeed()
        if feed.phase == .caughtUp, !hasSpoken { propose([]) }
        try send()
        if retryForbiddenRevisions() || sender.queuedCount > 0 { try send() }
        // A vanished change may have a successor, which nothing else reports in this turn.
        if feed.phase == .behind { try readFeed() }
    }

    private mutating func readFeed() throws {
        let listLimit = feed.phase == .backlog ? connection.limits.listsInFlightCount : 1
        // Lists with nothing to push fill no window; if each document is filtered, all of them cost much.
        var turnCount = connection.limits.silentListsCount
        if feed.isFiltered { turnCount = connection.limits.listsInFlightCount }
        wantsTurn = false
        while feed.phase != .caughtUp, !connection.isClosed, listsInFlightCount < listLimit,
            connection.underway.listsCount < connection.limits.allListsInFlightCount,
            sender.takesMore
        {
            guard turnCount > 0 else {
                wantsTurn = true
                break
            }
            turnCount -= 1
            var marked: Set<DocumentID>?
            let found = try feed.read { [changes, remarks, collection] documentID in
                if changes.isUnderway(documentID) { return true }
                // What the peer said last may wait for a commit, and the row contains its earlier state.
                let documentIDs = marked ?? remarks.markedDocumentIDs(in: collection)
                marked = documentIDs
                return documentIDs.contains(documentID)
            }
            for change in found.damaged {
                connection.report(DocumentEvent(pushing: change, in: path))
            }
            for change in found.changes { self.found(change) }
            proposeFound()
        }
    }

    private mutating func found(_ change: FeedChange) {
        guard change.bodyByteCount <= connection.limits.documentByteCount else {
            let error = SyncError.tooLarge(change.bodyByteCount, connection.limits)
            connection.report(DocumentEvent(pushing: change, in: path, error))
            remember(change, error)
            return
        }
        checkpointer.completed.remove(change.sequence)
        feed.trust(change.documentID)
        connection.progress.expectDocument(change.bodyByteCount)
        if let overtaken = changes.add(Proposal(change)) {
            checkpointer.completed.insert(overtaken.sequence)
        }
    }

    private mutating func proposeFound() {
        let proposals = changes.takeProposals()
        if !proposals.isEmpty { propose(proposals) }
    }

    private mutating func propose(_ proposals: [Proposal]) {
        hasSpoken = true
        var properties = connection.profile("proposeChanges", about: collection)
        properties.append("conflictIncludesRev", "true")
        let isAsked = connection.send(
            proposals,
            as: properties,
            for: .proposals(collection: collection, proposals),
            writing: ProposalMessage.write
        )
        guard isAsked else { return }
        listsInFlightCount += 1
        connection.underway.listsCount += 1
    }

    private mutating func send() throws {
        for unsent in try sender.pump() {
            guard !unsent.isCrossed else {
                try conflicted(unsent.revision.number, unsent.revision.known.first)
                continue
            }
            guard let error = unsent.withheld else {
                handle(.vanished, of: unsent.revision.number)
                continue
            }
            handle(error.isTransient ? .failed(error) : .refused(error), of: unsent.revision.number)
            if error.isTransient { connection.fail(error) }
        }
    }

    /// When everything else is done, tries each revision that was refused with 403 a second time.
    private mutating func retryForbiddenRevisions() -> Bool {
        guard !changes.setAside.isEmpty,
            isAllElseDone || changes.setAside.count >= connection.limits.forbiddenRevisionsCount
        else { return false }
        for revision in changes.takeSetAside() {
            handle(.restDone(revision), of: revision.number)
        }
        return true
    }
}

// MARK: - Messages from the peer

extension Pusher {
    /// Handles the answer to a list of proposals.
    mutating func answered(_ proposals: [Proposal], _ reply: BLIPIncomingReply) throws {
        listsInFlightCount -= 1
        connection.underway.listsCount -= 1
        if let failure = reply.error {
            for proposal in proposals { handle(.unanswered, of: proposal.number) }
            return failed(SyncError(failure), byAsking: !proposals.isEmpty)
        }
        guard
            let answers = try? ProposalAnswer.parse(
                reply.body,
                in: connection.dialect,
                count: proposals.count
            )
        else {
            connection.fail(.remote("unreadable reply to proposeChanges"))
            return
        }
        if reply.properties.bool("deltas") { sender.sendsDeltas = true }
        let terms = PeerTerms(reply.properties, limits: connection.limits)
        for (proposal, answer) in zip(proposals, answers) {
            let number = proposal.number
            switch answer.status {
            case nil: handle(.wanted(terms), of: number)
            case .notModified: handle(.known(at: reply.remoteSequence), of: number)
            case .conflict: try conflicted(number, answer.currentRevision)
            case let status?:
                let event = PushedChange.Event(refusing: status)
                if case .failed = event { noteFailure() }
                handle(event, of: number)
            }
        }
    }

    /// The peer refused a whole list.
    ///
    /// If the user may not write there, the pull continues; what was not pushed stays pending.
    private mutating func failed(_ error: SyncError, byAsking hasChanges: Bool) {
        guard error.wireCode == .http(.forbidden), rivals.pulls else {
            noteFailure()
            return connection.fail(error)
        }
        isBarred = true
        if hasChanges { connection.note(.mayNotWrite) }
    }

    /// Handles the answer to a revision that was sent.
    mutating func answered(_ revision: OutgoingRevision, _ reply: BLIPIncomingReply) throws {
        let number = revision.number
        let error = reply.error.map { SyncError($0) }
        if sender.answered(revision, error) { return }
        guard let error else {
            let wasThere = reply.properties.bool("noop")
            if wasThere, let winner = rival(in: reply) {
                return try conflicted(number, winner)
            }
            if !wasThere { notePlace(reply) }
            let isUnplaced = wasThere && connection.dialect.mayCross
            // It need not be the peer's current one, and nothing says since when it has been there.
            let place = isUnplaced ? nil : reply.remoteSequence
            handle(.delivered(revision.delta, at: place, wasThere: wasThere), of: number)
            return
        }
        if error.wireCode == .http(.forbidden) {
            handle(.forbidden(error, revision), of: number)
        } else if error.isConflict {
            // Another change was faster than this revision, although its proposal was accepted.
            try conflicted(number, rival(in: reply))
        } else if error.isTransient || error.isPeerFailure || isOfTheClocks(error) {
            handle(.failed(error), of: number)
            noteFailure()
            if error.wireCode == .http(.serviceUnavailable) { connection.fail(error) }
        } else {
            handle(.refused(error), of: number)
        }
    }

    private mutating func noteFailure() { failedSince = failedSince ?? connection.now }

    /// Whether Couchbase Lite rejects the time of a version for now, because it is more than two minutes ahead of its
    /// clock: it accepts it once the clocks are right, or time has passed.
    private func isOfTheClocks(_ error: SyncError) -> Bool {
        connection.dialect.scheme == .vectors && error.wireCode == .liteCore(.badRevisionID)
    }

    /// Records the sequence under which a Divan peer stored a revision, so the pull need not compare it.
    ///
    /// A peer that already had the revision only reports its latest sequence.
    private func notePlace(_ reply: BLIPIncomingReply) {
        guard rivals.pulls, !reply.properties.bool(DivanProperty.branched),
            let sequence = reply.remoteSequence
        else { return }
        checkpointer.remote.notePushed(sequence)
    }

    /// The revision that the peer has instead of the one that was sent, if it is a Divan peer and names it.
    ///
    /// If the answer is not a refusal, that revision has won over ours there: this is reported once, as ours may have
    /// won here.
    private func rival(in reply: BLIPIncomingReply) -> RevisionID? {
        reply.properties[DivanProperty.rival].flatMap { connection.dialect.rival($0) }
    }

    private mutating func conflicted(_ number: UInt64, _ theirs: RevisionID?) throws {
        guard let proposal = handle(.conflict, of: number) else { return }
        let canAwait = changes.awaitedCount < connection.limits.awaitedConflictsCount
        let verdict = try rivals.verdict(on: proposal, against: theirs, canAwait: canAwait)
        handle(verdict, of: number)
    }

    /// The pull brought the peer's revision of a document, or found it here already: a refused proposal may succeed
    /// now, as may one that counts as done, if the peer `isBehind` or has accepted another one since.
    ///
    /// It waits for the change in progress, and so does the checkpoint.
    mutating func pulled(_ documentID: DocumentID, isBehind: Bool) throws {
        let isUnderway = changes.isUnderway(documentID)
        let isOvertaken = feed.hasOvertaken && feed.takeOvertaken(documentID)
        if let waiting = changes.awaited(documentID) {
            handle(try rivals.verdict(afterPulling: waiting.change), of: waiting.number)
        } else if isBehind || isOvertaken {
            guard
                let overdue = try rivals.overdue(
                    documentID,
                    in: feed,
                    after: checkpointer.completed
                )
            else {
                // The answer to the change in progress may show it.
                if isOvertaken, isUnderway { feed.noteOvertaken(documentID) }
                // What this connection stored is normally not read again, as the peer had it.
                feed.notice()
                return
            }
            checkpointer.completed.remove(overdue.change.sequence)
            if let passed = changes.add(overdue) { checkpointer.completed.insert(passed.sequence) }
        }
    }

    /// Reports conflicts that the pull did not clear as errors of their documents.
    mutating func reportUnresolved() {
        for number in changes.awaited { handle(.runEnded, of: number) }
    }
}

// MARK: - Effects

extension Pusher {
    /// Applies an event to a change, and carries out the effects.
    ///
    /// - Returns: The change; `nil` if none is in progress.
    @discardableResult
    private mutating func handle(_ event: PushedChange.Event, of number: UInt64) -> Proposal? {
        let step = changes.handle(event, of: number) { [rivals] in rivals.canFollow($0, $1) }
        guard let step else { return nil }
        let effects = step.effects
        if effects.contains(.send), let revision = event.revision(of: step.proposal) {
            sender.enqueue(revision)
        }
        if effects.contains(.report) {
            var told = DocumentEvent(pushing: step.proposal.change, in: path, event.error)
            if case .delivered(let delta, _, _) = event { told.delta = delta }
            connection.report(told)
        }
        if effects.contains(.remember), let error = event.error {
            remember(step.proposal.change, error)
        }
        if effects.contains(.mark) { mark(step.proposal.change, event) }
        let sequence = step.proposal.change.sequence
        if effects.contains(.count) {
            connection.progress.complete(step.proposal.change.bodyByteCount)
        }
        if effects.contains(.pass) { checkpointer.completed.insert(sequence) }
        if effects.contains(.reopen) { checkpointer.completed.remove(sequence) }
        if effects.contains(.readFeed) { feed.notice() }
        return step.proposal
    }

    private func mark(_ change: FeedChange, _ event: PushedChange.Event) {
        remarks.add(
            PeerReports.Mark(
                collection: collection,
                revision: KnownRevision(
                    documentID: change.documentID,
                    revisionID: change.revisionID,
                    sequence: change.isFirst ? change.sequence : nil,
                    feedEnd: change.feedEnd,
                    isCurrentThere: connection.dialect.mayCross && event.saysCurrent
                ),
                remoteSequence: event.remoteSequence,
                wasThere: event.wasThere
            )
        )
    }

    private func remember(_ change: FeedChange, _ error: SyncError) {
        let refusal = Refusal(
            documentID: change.documentID,
            revisionID: change.revisionID,
            sequence: change.sequence,
            error: error,
            time: connection.configuration.secondsSince1970()
        )
        remarks.add(PeerReports.PushRefusal(collection: collection, refusal: refusal))
    }
}

extension BLIPIncomingReply {
    /// How far the peer's sequences had come, if it is a Divan peer.
    fileprivate var remoteSequence: UInt64? {
        properties[DivanProperty.sequence].flatMap { UInt64($0) }
    }
}
