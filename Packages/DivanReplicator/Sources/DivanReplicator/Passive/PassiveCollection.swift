import DivanBLIP
import DivanRevisions
import DivanStore

/// One collection as a passive peer shares it with one client.
final class PassiveCollection {
    let path: CollectionPath
    /// Identifies the collection: another one with the same name has not come as far; `nil` if it does not exist.
    let storeNumber: CollectionID?
    private var feed: PassiveFeed?
    /// Whether there is a feed, so that nothing is looked up where there is none.
    private var isSubscribed = false
    private let number: Int
    private let admission: Admission
    private let interest: DocumentFilter?
    private let connection: Connection
    private var hasAnswered = false
    /// Proposals that are not answered yet.
    private var proposals = WaitingProposals()
    /// Holds back the first of them while another connection receives some of its revisions.
    private var gate: TransferGate

    init(
        _ number: Int,
        at path: CollectionPath,
        sharedAs options: PeerConfiguration.PassiveOptions,
        over connection: Connection
    ) throws(SyncError) {
        storeNumber = try SyncError.storing {
            try connection.store.read { try $0.collectionNumber(path) }
        }
        self.path = path
        self.number = number
        self.connection = connection
        interest = options.interests[path]
        gate = TransferGate(of: path, over: connection)
        admission = Admission(
            collection: number,
            path: path,
            filter: options.writeFilters[path],
            readFilter: options.readFilters[path],
            storedFilter: options.storedFilters[path],
            isReadable: options.allowsPull
        )
    }

    var isIdle: Bool { !isFeeding && proposals.isEmpty }

    /// Whether there is still something to send to the peer.
    private var isFeeding: Bool { isSubscribed && !(feed?.isIdle ?? true) }

    /// Bytes of waiting proposals, and of what the subscription names.
    var waitingByteCount: Int { proposals.byteCount + (feed?.heldByteCount ?? 0) }

    /// When waiting proposals continue.
    var deadline: Duration? {
        guard let list = proposals.first else { return nil }
        let payday = list.isSuspended ? connection.readingCredit.payday : nil
        return [payday, gate.deadline].compactMap(\.self).min()
    }

    /// Whether the document named in a request for a blob has it, and the peer may fetch that document: a peer that
    /// left the content here requests it later, possibly over another connection.
    func mayRead(
        blob digest: BlobDigest,
        of request: BLIPIncomingRequest
    ) throws(SyncError) -> Bool {
        guard admission.isReadable, let name = request.properties["docID"] else { return false }
        // Before any lookup: the refusal is the same whatever is stored here.
        guard connection.readingCredit.isPositive(at: connection.now) else {
            throw .http(.serviceUnavailable, "read limit for blobs reached; retry later")
        }
        let documentID = DocumentID(unchecked: name)
        let found: StoredDocument?
        do {
            found = try connection.store.readLiving { reader in
                guard let row = try reader.change(of: documentID, in: path),
                    row.flags.contains(.hasBlobs)
                else { return nil }
                connection.readingCredit.owe(row.bodyByteCount)
                return try reader.document(documentID, in: path)
            }
        } catch {
            // A client that is told there is no such blob would do without the document.
            let failure = SyncError(storage: error)
            guard failure.mayPass else { return false }
            throw failure
        }
        guard let stored = found,
            admission.mayRead(stored.documentID, stored.revisionID, stored.body)
        else { return false }
        return (try? BlobReferences.digests(in: stored.body))?.contains(digest) ?? false
    }

    /// Whether there is room to continue, but others must go first.
    var wantsTurn: Bool { isSubscribed && feed?.wantsTurn ?? false }

    /// There are changes to announce.
    func notice() { feed?.notice() }

    /// Announces and sends as far as the windows allow.
    func pump() {
        if !proposals.isEmpty { judgeWaiting() }
        guard isSubscribed else { return }
        do {
            try feed?.pump()
        } catch {
            connection.end(storage: error, .cannotFulfil)
        }
    }

    func answered(_ changes: [FeedChange], _ reply: BLIPIncomingReply) {
        feed?.answered(changes, reply)
    }

    func answered(_ revision: OutgoingRevision, _ reply: BLIPIncomingReply) {
        feed?.answered(revision, reply)
    }

    /// Handles `subChanges`.
    func subscribe(_ request: BLIPIncomingRequest) throws(SyncError) {
        guard !isFeeding else {
            throw .http(.badRequest, "already subscribed to this collection")
        }
        var feed = try PassiveFeed(request, over: connection, collection: number, path: path)
        feed.readFilter = admission.readFilter
        feed.interest = interest
        let count = try SyncError.storing {
            try connection.store.readLiving { try feed.begin($0) }
        }
        self.feed = feed
        isSubscribed = true
        var properties: BLIPProperties = [DivanProperty.pending: String(count)]
        if connection.dialect.namesClosings {
            properties.append(DivanProperty.closings, "true")
        }
        if feed.repeats { properties.append(DivanProperty.again, "true") }
        connection.answer(request, with: BLIPReply(properties: properties))
    }
}

// MARK: - Proposals

extension PassiveCollection {
    /// Handles `proposeChanges`, after everything that arrived before it is stored.
    ///
    /// Source: `revisions.md` §7.
    func evaluate(
        _ entries: [ProposalMessage.Entry],
        _ request: BLIPIncomingRequest
    ) throws(SyncError) {
        guard proposals.count < connection.limits.waitingProposalsCount else {
            throw .http(.serviceUnavailable, "too many pending proposals")
        }
        proposals.append(WaitingProposals.List(entries, request))
        judgeWaiting()
    }

    /// Answers lists in order, as far as documents may be read now.
    private func judgeWaiting() {
        while var list = proposals.first, !connection.isClosed {
            // Called for every frame, so it must cost nothing until there is credit.
            guard !list.isSuspended || connection.readingCredit.isPositive(at: connection.now)
            else { return }
            guard gate.isOpen() else { return }
            // Avoids copying its answers when more are added.
            proposals.first?.answers = []
            do throws(SyncError) {
                while !list.isJudged {
                    guard try evaluate(&list) else {
                        proposals.first = list
                        return
                    }
                }
                answer(list.request, with: list.answers, at: list.sequence)
            } catch {
                connection.refuse(list.request, logging: error)
            }
            proposals.removeFirst()
        }
    }

    /// The connection releases what it holds.
    func abandon() {
        proposals = WaitingProposals()
        feed = nil
        isSubscribed = false
    }

    /// Judges the next entries of a list: as many as in a list of our own, because those after one that must wait are
    /// judged again.
    ///
    /// - Returns: Whether all of them are judged; the rest must wait.
    private func evaluate(_ list: inout WaitingProposals.List) throws(SyncError) -> Bool {
        let entries = list.next(atMost: connection.limits.changesCount)
        var answers = [ProposalAnswer](
            repeating: ProposalAnswer(status: .badRequest),
            count: entries.count
        )
        var questions: [(documentID: DocumentID, revisionID: RevisionID, parent: RevisionID?)] = []
        var places: [Int] = []
        questions.reserveCapacity(entries.count)
        places.reserveCapacity(entries.count)
        for (place, entry) in entries.enumerated() {
            guard let revisionID = entry.revisionID, let documentID = entry.documentID
            else { continue }
            guard entry.bodyByteCount <= connection.limits.announcedByteCount else {
                answers[place] = ProposalAnswer(status: .contentTooLarge)
                continue
            }
            questions.append((documentID, revisionID, entry.ancestor))
            places.append(place)
        }
        let (verdicts, sequence) = try SyncError.storing {
            try connection.store.read { reader in
                (try reader.evaluate(questions, in: path), try reader.lastSequence(in: path))
            }
        }
        // The answers of the first part are not newer than this.
        if list.answers.isEmpty { list.sequence = sequence }
        guard
            gate.admits(
                zip(questions, verdicts).filter { $0.1 == .accept }
                    .map { ($0.0.documentID, $0.0.revisionID) }
            )
        else { return false }
        for ((place, question), verdict) in zip(zip(places, questions), verdicts) {
            guard let answer = try answer(to: verdict, about: question, in: &list) else {
                list.suspend(after: answers.prefix(place))
                return false
            }
            answers[place] = answer
        }
        list.take(answers)
        return true
    }

    /// Whether an answer reveals something about a document that the peer may not be allowed to read.
    ///
    /// A first revision is accepted if there is no document, and reveals nothing. All else does: a client that may set
    /// a source's times could find a hidden document's revision by bisection. If only reading is limited, only
    /// conflicts reveal something: a client that may write everything must be told what was accepted.
    private func tells(_ verdict: ProposalVerdict, of parent: RevisionID?) -> Bool {
        guard admission.readFilter != nil else { return false }
        if case .conflict = verdict { return true }
        return admission.filter != nil && (verdict != .accept || parent != nil)
    }

    /// The answer to one proposal; `nil` if the document cannot be read now.
    private func answer(
        to verdict: ProposalVerdict,
        about question: (documentID: DocumentID, revisionID: RevisionID, parent: RevisionID?),
        in list: inout WaitingProposals.List
    ) throws(SyncError) -> ProposalAnswer? {
        let documentID = question.documentID
        if tells(verdict, of: question.parent) {
            // A list may name one document ten thousand times.
            if list.isReadable[documentID] == nil {
                list.isReadable[documentID] = try mayRead(documentID)
            }
            guard let isReadable = list.isReadable[documentID] else { return nil }
            guard isReadable else { return ProposalAnswer(status: .forbidden) }
        }
        switch verdict {
        case .accept: return .accepted
        case .known: return ProposalAnswer(status: .notModified)
        case .conflict(let current):
            feed?.tellAgain(documentID)
            return ProposalAnswer(status: .conflict, currentRevision: current)
        }
    }

    /// Answers proposals; a peer that also pulls gets the latest sequence at that time.
    private func answer(
        _ request: BLIPIncomingRequest,
        with answers: [ProposalAnswer],
        at sequence: UInt64
    ) {
        let names = request.properties.bool("conflictIncludesRev")
        var reply = BLIPReply(
            properties: connection.listAnswerProperties(isFirst: !hasAnswered),
            body: .bytes(ProposalAnswer.write(answers, namesConflicts: names))
        )
        if isSubscribed { reply.properties.append(DivanProperty.sequence, String(sequence)) }
        reply.isCompressed = connection.configuration.compresses
        hasAnswered = true
        connection.answer(request, with: reply)
    }

    /// Like `mayRead`; false if the document cannot be read now.
    private func isReadable(_ documentID: DocumentID) -> Bool {
        let isReadable = try? mayRead(documentID)
        return isReadable == true
    }

    /// Whether the peer may fetch a document as stored now; a missing one reveals nothing.
    ///
    /// - Returns: `nil` if nothing may be read now.
    private func mayRead(_ documentID: DocumentID) throws(SyncError) -> Bool? {
        guard let filter = admission.readFilter else { return true }
        guard connection.readingCredit.isPositive(at: connection.now) else {
            return nil
        }
        let document: StoredDocument?
        do {
            document = try connection.store.read {
                try $0.document(documentID, in: path, includingTombstones: true)
            }
        } catch let error as StoreError where error.concernsOneDocument {
            return false
        } catch {
            throw SyncError(storage: error)
        }
        guard let document else { return true }
        connection.readingCredit.owe(document.body.count)
        return filter(
            FilteredRevision(
                documentID,
                document.revisionID,
                body: document.body,
                isTombstone: document.isTombstone
            )
        )
    }
}

// MARK: - Revisions

extension PassiveCollection {
    /// Handles a `rev` message.
    func receiveRevision(_ request: BLIPIncomingRequest, into inbox: Inbox) {
        let fields = RevisionFields(request.properties, in: connection.dialect)
        guard !fields.hasError else {
            connection.answer(request)
            return
        }
        do throws(SyncError) {
            let message = try RevisionMessage(
                fields,
                in: connection.dialect,
                limits: connection.limits
            )
            let body = try inbox.body(of: message, request, in: admission)
            try inbox.take(message, body, request, in: admission)
        } catch {
            connection.refuse(request, with: error)
            guard !error.refusesDelta else { return }  // comes again in full
            let documentID = DocumentID(unchecked: request.properties["id"] ?? "")
            if let revisionID = fields.revisionID.value { gate.ended(documentID, revisionID) }
            let flags: SyncFlags = request.properties.bool("deleted") ? .deleted : []
            let event = DocumentEvent(pulling: documentID, in: path, flags: flags, error)
            connection.report(event)
        }
    }

    /// Answers a revision.
    func finish(_ revision: IncomingRevision, _ result: RevisionResult) {
        let message = revision.message
        gate.ended(message.documentID, message.revisionID)
        switch result {
        case .inserted(let sequence, _, let isBranched):
            answer(revision.request, .stored(isBranched: isBranched), at: sequence)
            if isSubscribed { feed?.note(message, isBranched: isBranched) }
            report(revision, delta: revision.delta, nil)
        case .alreadyThere(let sequence):
            answer(revision.request, .noop, at: sequence)
        case .overtaken(let sequence, let winner):
            var reply = BLIPReply.noop
            if let winner, feed?.insists(on: winner, over: message) ?? false {
                reply.properties.append(DivanProperty.rival, winner.revisionID.description)
            }
            answer(revision.request, reply, at: sequence)
        case .givenUp(_, let current):
            // The sender must be told of our revision, and what that closed, if it may read it.
            connection.refuse(
                revision.request,
                with: .http(.conflict, "the revision lost a conflict with another revision"),
                properties: isReadable(message.documentID)
                    ? [DivanProperty.rival: current.description] : [:]
            )
            feed?.insist(on: message.documentID)
        case .failed(let error, _):
            let isConflict = error.wireCode == .http(.conflict)
            // A sender that pulls must be able to settle it, even if it was told of our revision before.
            if isConflict { feed?.tellAgain(message.documentID) }
            // The text of a conflict names our revision.
            let hides = isConflict && !isReadable(message.documentID)
            let told = hides ? .http(.conflict, "the document has another current revision") : error
            connection.refuse(revision.request, with: told)
            report(revision, error)
        }
    }

    /// Confirms that a revision is stored; a peer that also pulls gets the latest sequence at that time.
    private func answer(_ request: BLIPRequestID?, _ reply: BLIPReply, at sequence: UInt64) {
        guard isSubscribed else { return connection.answer(request, with: reply) }
        var reply = reply
        reply.properties.append(DivanProperty.sequence, String(sequence))
        connection.answer(request, with: reply)
    }

    private func report(_ revision: IncomingRevision, delta: DeltaUse? = nil, _ error: SyncError?) {
        let message = revision.message
        connection.report(
            DocumentEvent(
                pulling: message.documentID,
                message.revisionID,
                in: path,
                flags: revision.flags,
                delta: delta,
                error
            )
        )
    }
}
