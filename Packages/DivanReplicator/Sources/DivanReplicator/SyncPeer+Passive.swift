import DivanBLIP
import DivanRevisions
import DivanStore

// What a passive peer answers.
extension SyncPeer {
    mutating func receiveAsPassive(_ request: BLIPIncomingRequest) throws(SyncError) {
        guard case .passive(let options) = session.configuration.role else { return }
        if session.mode == .undecided, request.profile != "getCollections" {
            try beginLegacy(request, options)
        }
        switch request.profile {
        case "getCollections": try answerCollections(request, options)
        case "getCheckpoint": try answerCheckpoint(request)
        case "setCheckpoint": try storeCheckpoint(request)
        case "subChanges":
            let index = try collectionIndex(of: request)
            guard options.allowsPull else {
                throw .http(403, "Attempting to pull from a push-only replicator")
            }
            try subscribe(request, in: index)
        case "changes":
            _ = try collectionIndex(of: request)
            try refuseChanges(request)
        case "proposeChanges":
            let index = try collectionIndex(of: request)
            try requirePush(options)
            try judge(request, in: index)
        case "rev":
            let index = try collectionIndex(of: request)
            try requirePush(options)
            receiveRevision(request, in: index)
        case "norev":
            session.answer(request)
        default:
            try receiveFromAnyone(request)
        }
    }

    private func requirePush(_ options: PeerConfiguration.PassiveOptions) throws(SyncError) {
        guard options.allowsPush else {
            throw .http(403, "Attempting to push to a pull-only replicator")
        }
    }

    /// The first message decides: one that names no collection comes from an older client.
    private mutating func beginLegacy(
        _ request: BLIPIncomingRequest,
        _ options: PeerConfiguration.PassiveOptions
    ) throws(SyncError) {
        guard request.properties["collection"] == nil else {
            throw .http(400, "getCollections must come first")
        }
        guard options.collections.contains(.default) else {
            throw .http(400, "This server is not configured for 3.0 client support")
        }
        session.mode = .legacy
        collections = [CollectionSync(.default, sharedAs: options)]
    }

    private mutating func answerCollections(
        _ request: BLIPIncomingRequest,
        _ options: PeerConfiguration.PassiveOptions
    ) throws(SyncError) {
        guard session.mode == .undecided else {
            throw .http(400, "getCollections must be the first message, and come once")
        }
        let asked = try CollectionsMessage.parse(request.body, limits: session.limits)
        var answers: [CollectionsMessage.Answer] = []
        var found: [CollectionSync] = []
        for (name, checkpointID) in asked {
            guard let path = CollectionPath(name), options.collections.contains(path),
                try storing({ try session.store.hasCollection(path) })
            else {
                answers.append(.unknownCollection)
                found.append(CollectionSync(.default, isKnown: false))
                continue
            }
            found.append(CollectionSync(path, sharedAs: options))
            let stored = try storing { try session.store.peerCheckpoint(checkpointID) }
            answers.append(
                stored.map { .checkpoint(body: $0.body, revision: $0.revision) } ?? .noCheckpoint
            )
        }
        session.mode = .collections
        collections = found
        let body = CollectionsMessage.writeAnswer(answers)
        session.answer(request, with: BLIPReply(body: .bytes(body)))
        session.noteFirstWords()
    }

    private mutating func answerCheckpoint(_ request: BLIPIncomingRequest) throws(SyncError) {
        _ = try collectionIndex(of: request)
        let id = try checkpointID(of: request)
        guard let stored = try storing({ try session.store.peerCheckpoint(id) }) else {
            throw .http(404, "missing")
        }
        let reply = BLIPReply(properties: ["rev": stored.revision], body: .bytes(stored.body))
        session.answer(request, with: reply)
    }

    private mutating func storeCheckpoint(_ request: BLIPIncomingRequest) throws(SyncError) {
        _ = try collectionIndex(of: request)
        let id = try checkpointID(of: request)
        guard request.body.count <= 1 << 20 else { throw .http(413, "checkpoint over 1 MiB") }
        let expected = request.properties["rev"].flatMap { $0.isEmpty ? nil : $0 }
        let revision = try storing {
            try session.store.setPeerCheckpoint(id, request.body, expectedRevision: expected)
        }
        session.answer(request, with: BLIPReply(properties: ["rev": revision]))
    }

    private func checkpointID(of request: BLIPIncomingRequest) throws(SyncError) -> String {
        guard let id = request.properties["client"], (1...1_000).contains(id.utf8.count) else {
            throw .http(400, "missing checkpoint ID")
        }
        return id
    }

    private mutating func subscribe(
        _ request: BLIPIncomingRequest,
        in index: Int
    ) throws(SyncError) {
        if let feed = collections[index].feed, !feed.isIdle {
            throw .http(400, "this collection is subscribed to already")
        }
        let path = collections[index].path
        var feed = try PassiveFeed(request, collection: index, path: path)
        feed.readFilter = collections[index].readFilter
        let count = try storing { try session.store.read { try feed.begin($0) } }
        collections[index].feed = feed
        let properties: BLIPProperties = [PassiveFeed.pendingProperty: String(count)]
        session.answer(request, with: BLIPReply(properties: properties))
    }

    /// A client in the habit of older protocols is told to propose instead.
    private mutating func refuseChanges(_ request: BLIPIncomingRequest) throws(SyncError) {
        let count = session.limits.receivedChangesCount
        guard let entries = try? ChangesMessage.parse(request.body, count: count) else {
            throw .http(400, "changes must be a list of changes")
        }
        guard entries.isEmpty else { throw .http(409, "Use 'proposeChanges' instead") }
        session.answer(request)
    }

    /// Source: `revisions.md` §7.
    private mutating func judge(
        _ request: BLIPIncomingRequest,
        in index: Int
    ) throws(SyncError) {
        let count = session.limits.receivedChangesCount
        guard let entries = try? ProposalMessage.parse(request.body, count: count) else {
            throw .http(400, "proposeChanges must be a list of proposals")
        }
        guard !entries.isEmpty else {
            session.answer(request)
            return
        }
        // What arrived before it counts.
        commitInbox()
        var answers = [ProposalAnswer](repeating: ProposalAnswer(status: 400), count: entries.count)
        var questions: [(documentID: String, revisionID: RevisionID, parent: RevisionID?)] = []
        var places: [Int] = []
        questions.reserveCapacity(entries.count)
        places.reserveCapacity(entries.count)
        for (place, entry) in entries.enumerated() {
            guard let revisionID = entry.revisionID,
                DocumentID.isValid(entry.documentID, limits: session.limits)
            else { continue }
            questions.append((entry.documentID, revisionID, entry.ancestor))
            places.append(place)
        }
        let path = collections[index].path
        let (verdicts, sequence) = try storing {
            try session.store.read { reader in
                (try reader.judge(questions, in: path), try reader.lastSequence(in: path))
            }
        }
        for (place, verdict) in zip(places, verdicts) {
            answers[place] =
                switch verdict {
                case .accept: .accepted
                case .known: ProposalAnswer(status: 304)
                case .conflict(let current):
                    if try mayRead(entries[place].documentID, in: index) {
                        ProposalAnswer(status: 409, currentRevision: current)
                    } else {
                        ProposalAnswer(status: 403)
                    }
                }
        }
        answer(request, with: answers, in: index, at: sequence)
    }

    /// Answers proposals; a peer that pulls, too, is told how far the sequences were then.
    private mutating func answer(
        _ request: BLIPIncomingRequest,
        with answers: [ProposalAnswer],
        in index: Int,
        at sequence: UInt64
    ) {
        let names = request.properties.bool("conflictIncludesRev")
        var reply = BLIPReply(
            properties: .changesAnswer(session, isFirst: !collections[index].hasAnswered),
            body: .bytes(ProposalAnswer.write(answers, namesConflicts: names))
        )
        if collections[index].feed != nil {
            reply.properties.append(RemoteOrder.property, String(sequence))
        }
        reply.isCompressed = session.configuration.compresses
        collections[index].hasAnswered = true
        session.answer(request, with: reply)
    }

    /// Whether the peer may fetch a document as it is now; one that is not here tells nothing.
    private func mayRead(_ documentID: String, in index: Int) throws(SyncError) -> Bool {
        guard let filter = collections[index].readFilter else { return true }
        let path = collections[index].path
        let document = try storing {
            try session.store.read {
                try $0.document(documentID, in: path, includingTombstones: true)
            }
        }
        guard let document else { return true }
        let shown = document.isTombstone ? [] : document.body
        return filter(documentID, shown, document.isTombstone ? .deleted : [])
    }

    /// Runs a store call; what it throws becomes a replication error.
    private func storing<T>(_ body: () throws -> T) throws(SyncError) -> T {
        do {
            return try body()
        } catch {
            throw SyncError(storage: error)
        }
    }
}
