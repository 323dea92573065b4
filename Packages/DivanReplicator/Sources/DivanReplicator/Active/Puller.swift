import DivanBLIP
import DivanJSON
import DivanRevisions
import DivanStore

/// The pulling half of an active peer, for one collection: subscribes, decides what to request, and tracks what is
/// still to come.
///
/// A class, because for a value every call for a document would count as a change of its owner, which Swift checks for
/// overlapping access (some 120 instructions each).
///
/// Source: `replication.md` §3.
final class Puller {
    private let path: CollectionPath
    private var phase = Phase.subscribed
    /// Changes that the peer has not announced yet, as far as it said; never too few.
    private(set) var unreadCount: UInt64 = 0
    /// Since when there has been a revision that could not be stored and that may be stored later: this connection does
    /// not request it again.
    private(set) var failedSince: Duration?

    private let connection: Connection
    private let checkpointer: Checkpointer
    private let failedPulls: FailedPulls
    private let remarks: PeerReports
    private let collection: Int
    private let options: PeerConfiguration.CollectionOptions
    private let purgesRevoked: Bool
    // Unchecked: a puller is used by one thread, and the tables call nothing.
    @exclusivity(unchecked) private(set) var requested = RequestedRevisions()
    /// When a requested revision last arrived, or the first of them was requested.
    private var lastArrival: Duration = .zero
    private var waiting: [BLIPIncomingRequest] = []
    private var hasAnswered = false
    /// Holds back the first waiting list while another connection receives some of its revisions.
    private var gate: TransferGate

    private enum Phase {
        case subscribed
        case caughtUp
        case failed
    }

    init(
        collection: Int,
        options: PeerConfiguration.CollectionOptions,
        purgesRevoked: Bool,
        checkpointer: Checkpointer,
        failedPulls: FailedPulls,
        remarks: PeerReports,
        over connection: Connection
    ) {
        self.connection = connection
        self.checkpointer = checkpointer
        self.failedPulls = failedPulls
        self.remarks = remarks
        self.collection = collection
        self.options = options
        self.purgesRevoked = purgesRevoked && options.documentIDs.isEmpty
        path = options.path
        gate = TransferGate(of: options.path, over: connection)
    }

    /// Whether everything announced has arrived, or nothing more will arrive.
    var isIdle: Bool {
        phase == .failed || (phase == .caughtUp && requested.isEmpty && waiting.isEmpty)
    }

    /// Whether the peer may announce more, or has announced changes that are not requested yet.
    var isCatchingUp: Bool { phase == .subscribed || !waiting.isEmpty }

    /// When a list that waits for other connections can be answered at the latest.
    var deadline: Duration? { gate.deadline }

    /// Since when no requested revision has arrived; `nil` if none is expected.
    var oldest: Duration? { requested.isEmpty ? nil : lastArrival }

    /// What was requested and has not arrived.
    var wait: SyncWait? {
        guard let documentID = requested.someDocumentID else { return nil }
        return SyncWait(
            .revisions(documentID, moreCount: requested.count - 1),
            in: path,
            for: connection.now - lastArrival
        )
    }

    /// Subscribes to the peer's changes.
    func subscribe(isContinuous: Bool, skipsTombstones: Bool) {
        var properties = connection.profile("subChanges", about: collection)
        if let since = checkpointer.remote.safe { properties.append("since", since.json) }
        if isContinuous { properties.append("continuous", "true") }
        properties.append("batch", String(connection.limits.changesCount))
        properties.append("sendReplacementRevs", "true")
        properties.append("versioning", connection.dialect.versioning)
        if skipsTombstones {
            properties.append("activeOnly", "true")
            // Trees leave a new document in conflict with a deletion that its writer did not receive, in either case.
            if connection.dialect.mayCross { properties.append(DivanProperty.deletions, "true") }
        }
        if let again = failedPulls.request(connection.limits) {
            properties.append(DivanProperty.again, again)
        }
        // Even if nothing is purged: the application is notified of the documents it lost.
        if options.documentIDs.isEmpty { properties.append("revocations", "true") }
        if !options.channels.isEmpty {
            properties.append("filter", BLIPProperties.channelFilter)
            properties.append("channels", options.channels.joined(separator: ","))
        }
        let request = BLIPRequest(properties: properties, body: .bytes(documentIDsBody()))
        connection.ask(request, for: .subscription(collection: collection))
    }

    private func documentIDsBody() -> [UInt8] {
        guard !options.documentIDs.isEmpty else { return [] }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("docIDs")
        writer.beginArray()
        for documentID in options.documentIDs { writer.string(documentID.text) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Handles the answer to the subscription.
    ///
    /// A Divan peer reports how many changes it has for us; others do not.
    func subscribed(_ reply: BLIPIncomingReply) {
        if let failure = reply.error {
            phase = .failed
            connection.fail(SyncError(failure))
        } else if phase == .subscribed {
            let pending = reply.properties[DivanProperty.pending].flatMap { UInt64($0) }
            connection.peerIsOurs = pending != nil
            connection.peerKeepsOrder = reply.properties.bool(DivanProperty.closings)
            checkpointer.remote.mayRepeat = connection.peerIsOurs
            failedPulls.subscribed(
                after: checkpointer.remote.safe,
                repeats: reply.properties.bool(DivanProperty.again)
            )
            unreadCount = min(pending ?? 0, 1 << 48)
        }
    }

    /// Accepts a `changes` message; it is answered at the next `pump`, or later if too much is still to come.
    func receive(_ request: BLIPIncomingRequest) {
        // Repeated messages that there is nothing more count once: while the windows are full one comes with each
        // change, and no window at the peer limits them.
        if let last = waiting.last, announcesEndOfFeed(request), announcesEndOfFeed(last) { return }
        guard waiting.count < connection.limits.waitingListsCount else {
            connection.fail(.remote("the peer sends too many lists of changes"))
            return
        }
        waiting.append(request)
    }

    /// Whether a list is empty and expects no answer.
    private func announcesEndOfFeed(_ request: BLIPIncomingRequest) -> Bool {
        guard request.isNoReply, request.body.count <= 16 else { return false }
        return (try? ChangesMessage.parse(request.body, in: connection.dialect, count: 1))?.isEmpty
            ?? false
    }

    /// Answers waiting lists in order, while few enough revisions are in transit.
    func pump() {
        while !waiting.isEmpty, !connection.isClosed,
            requested.count - connection.underway.hereCount
                < connection.limits.requestedRevisionsCount,
            connection.underway.comingCount < connection.limits.allRequestedRevisionsCount,
            gate.isOpen()
        {
            let request = waiting[0]
            do {
                guard try answer(request) else { break }
            } catch is MalformedMessage {
                let failure = SyncError.http(.badRequest, "changes must be a list of changes")
                connection.refuse(request, with: failure)
                connection.note(failure)
                // The changes in it are announced again in another run, so the checkpoint stays before it.
                checkpointer.remote.announce(.unreadable, isFinished: false)
            } catch {
                connection.refuse(request, with: SyncError(storage: error))
                connection.fail(storage: error)
            }
            waiting.removeFirst()
        }
        if checkpointer.remote.unfinishedCount > connection.limits.unfinishedSequencesCount {
            connection.fail(.remote("the peer announces too many revisions without sending them"))
        }
    }

    /// Answers a list; false if it must wait.
    private func answer(_ request: BLIPIncomingRequest) throws -> Bool {
        let entries = try ChangesMessage.parse(
            request.body,
            in: connection.dialect,
            count: connection.limits.receivedChangesCount
        )
        guard !entries.isEmpty else {
            phase = .caughtUp
            unreadCount = 0
            failedPulls.caughtUp()
            connection.answer(request)
            return true
        }
        guard !request.isNoReply else {
            // Nothing can be requested, and the checkpoint must not pass changes that did not arrive.
            let error = SyncError.http(.badRequest, "announced in a message that allows no reply")
            for entry in entries {
                checkpointer.remote.announce(entry.sequence, isFinished: false)
                report(entry, error)
            }
            return true
        }
        let answers: [ChangesAnswer]
        do {
            guard let decided = try decide(entries) else { return false }
            answers = decided
        } catch {
            // Nobody will send these in this run, so the checkpoint must not pass them.
            for entry in entries {
                checkpointer.remote.announce(entry.sequence, isFinished: false)
            }
            throw error
        }
        unreadCount -= min(unreadCount, UInt64(entries.count))
        var reply = BLIPReply(
            properties: connection.listAnswerProperties(isFirst: !hasAnswered),
            body: .bytes(ChangesAnswer.write(answers))
        )
        reply.isCompressed = connection.configuration.compresses
        hasAnswered = true
        connection.answer(request, with: reply)
        return true
    }

    /// The answer to each entry; `nil` if the list must wait.
    private func decide(_ entries: [ChangesMessage.Entry]) throws -> [ChangesAnswer]? {
        var answers = [ChangesAnswer](repeating: .unwanted, count: entries.count)
        var questions: [(documentID: DocumentID, revisionID: RevisionID)] = []
        var places: [Int] = []
        for (index, entry) in entries.enumerated() where !entry.flags.saysAccessLost {
            guard let revisionID = entry.revisionID, let documentID = entry.documentID,
                entry.bodyByteCount <= connection.limits.announcedByteCount
            else { continue }
            questions.append((documentID, revisionID))
            places.append(index)
        }
        let decisions = try decisions(about: questions)
        guard gate.admits(zip(questions, decisions).filter { !$0.1.isKnown }.map(\.0)) else {
            return nil
        }
        let isToGo = losses(announcedWith: entries)
        // Collected once for a whole list, and only if needed.
        var onTheirWay: Set<DocumentID>?
        func isOnItsWay(_ documentID: DocumentID) -> Bool {
            guard !requested.isEmpty else { return false }
            let known = onTheirWay ?? requested.documentIDs
            onTheirWay = known
            return known.contains(documentID)
        }
        for ((place, question), decision) in zip(zip(places, questions), decisions) {
            switch decision {
            // Access is restored before the loss has been processed: the document must be sent again.
            case .known where isToGo(question.documentID, place):
                answers[place] = .wanted(ancestors: [])
            case .known(let isMarked, let isCurrent):
                // An older revision of the document may still be in transit.
                guard !isMarked || !isCurrent || isOnItsWay(question.documentID) else { continue }
                mark(question, at: entries[place].sequence, isBehind: !isCurrent)
            case .wanted(let ancestors, let rival):
                let named = named(ancestors, rival)
                answers[place] = .wanted(ancestors: named)
            case .conflict:
                answers[place] = .wanted(ancestors: [])
            }
        }
        for (entry, answer) in zip(entries, answers) {
            announce(entry, isWanted: answer != .unwanted)
        }
        return answers
    }

    /// Records that the peer has a revision that is stored here.
    private func mark(
        _ question: (documentID: DocumentID, revisionID: RevisionID),
        at sequence: RemoteSequence,
        isBehind: Bool
    ) {
        remarks.add(
            PeerReports.Mark(
                collection: collection,
                revision: KnownRevision(
                    documentID: question.documentID,
                    revisionID: question.revisionID,
                    isCurrentThere: connection.peerKeepsOrder || connection.dialect.mayCross
                ),
                remoteSequence: sequence.number,
                isBehind: isBehind
            )
        )
    }

    /// Returns whether a loss of the document, reported before the entry at the index, is still to be processed.
    private func losses(
        announcedWith entries: [ChangesMessage.Entry]
    ) -> (DocumentID, Int) -> Bool {
        guard purgesRevoked else { return { _, _ in false } }
        let waiting = remarks.lostDocumentIDs(in: collection)
        var places: [DocumentID: Int] = [:]
        for (place, entry) in entries.enumerated() where entry.flags.saysAccessLost {
            if let lost = entry.documentID { places[lost] = places[lost] ?? place }
        }
        return { documentID, place in
            waiting.contains(documentID) || places[documentID].map { $0 < place } ?? false
        }
    }

    private func decisions(
        about questions: [(documentID: DocumentID, revisionID: RevisionID)]
    ) throws -> [IncomingDecision] {
        try connection.store.read { reader in
            try reader.decide(
                questions,
                in: path,
                remote: connection.remote,
                keepsOrder: connection.peerKeepsOrder
            )
        }
    }

    /// The revisions to name to the peer; one that keeps to the order then says whether it gave up our current
    /// revision.
    private func named(_ ancestors: [RevisionID], _ rival: RevisionID?) -> [RevisionID] {
        guard !ancestors.isEmpty || rival != nil else { return [] }
        var named = ancestors
        if connection.peerKeepsOrder, let rival {
            named = [rival] + ancestors.filter { $0 != rival }
        }
        let limit = connection.limits.ancestorsCount
        let foreignLimit = connection.dialect.foreignAncestorsCount
        return Array(named.prefix(connection.peerIsOurs ? limit : min(limit, foreignLimit)))
    }

    private func announce(_ entry: ChangesMessage.Entry, isWanted: Bool) {
        if entry.flags.saysAccessLost {
            checkpointer.remote.announce(entry.sequence, isFinished: false)
            // No document can have an invalid name, so there is none to purge.
            var removal = removal(
                of: entry.documentID ?? DocumentID(unchecked: entry.name),
                entry.revisionID,
                request: nil,
                sequence: entry.sequence
            )
            if entry.flags.contains(.deleted) { removal.flags.insert(.deleted) }
            remarks.add(removal)
            return
        }
        checkpointer.remote.announce(entry.sequence, isFinished: !isWanted)
        if isWanted {
            if requested.isEmpty { lastArrival = connection.now }
            note { $0.add(DocumentID(unchecked: entry.name), at: entry.sequence) }
            connection.progress.expectDocument(entry.bodyByteCount)
            failedPulls.announced(DocumentID(unchecked: entry.name), isWanted: true)
        } else if let error = entry.flaw(connection.limits) {
            report(entry, error)
            if let documentID = entry.documentID {
                failedPulls.note(documentID, entry.revisionID, entry.sequence, error)
            }
        } else {
            failedPulls.announced(DocumentID(unchecked: entry.name), isWanted: false)
        }
    }

    /// Changes what is expected, here and for all collections together.
    private func note(_ change: (inout RequestedRevisions) -> Void) {
        let count = requested.count
        change(&requested)
        connection.underway.requestedCount += requested.count - count
    }

    /// Reports an announced change that is not requested.
    private func report(_ entry: ChangesMessage.Entry, _ error: SyncError) {
        let documentID = DocumentID(unchecked: entry.name)
        connection.report(DocumentEvent(pulling: documentID, in: path, error))
    }

    /// What to do about a document that was withdrawn.
    func removal(
        of documentID: DocumentID,
        _ revisionID: RevisionID?,
        request: BLIPRequestID?,
        sequence: RemoteSequence?
    ) -> PeerReports.Removal {
        PeerReports.Removal(
            request: request,
            collection: collection,
            documentID: documentID,
            revisionID: revisionID,
            sequence: sequence,
            awaited: purgesRevoked ? requested.incomparable(of: documentID, to: sequence) : [],
            purges: purgesRevoked
        )
    }

    /// The documents with a revision that was requested and is not stored.
    var awaited: Set<DocumentID> { requested.documentIDs }

    /// A revision is stored, or will not be: other connections need not wait for it.
    func ended(_ documentID: DocumentID, _ revisionID: RevisionID) {
        gate.ended(documentID, revisionID)
    }

    /// A requested revision arrived, or never will.
    ///
    /// If `isFinished`, it need not come in another run.
    func finish(_ sequence: RemoteSequence, isFinished: Bool, byteCount: Int) {
        note { $0.remove(sequence) }
        (lastArrival, connection.lastArrival) = (connection.now, connection.now)
        connection.progress.complete(byteCount)
        if isFinished {
            checkpointer.remote.finish(sequence)
        } else {
            failedSince = failedSince ?? connection.now
        }
    }
}

extension IncomingDecision {
    /// Whether the revision exists locally.
    fileprivate var isKnown: Bool {
        if case .known = self { true } else { false }
    }
}
