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
        case "setCheckpoint": try storeCheckpoint(request, options)
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

    private mutating func storeCheckpoint(
        _ request: BLIPIncomingRequest,
        _ options: PeerConfiguration.PassiveOptions
    ) throws(SyncError) {
        guard options.allowsPull || options.allowsPush else {
            throw .http(403, "who may neither push nor pull has no use for a checkpoint")
        }
        _ = try collectionIndex(of: request)
        let id = try checkpointID(of: request)
        let limit = session.limits.checkpointByteCount
        guard request.body.count <= limit else {
            throw .http(413, "a checkpoint of more than \(limit) bytes")
        }
        let expected = request.properties["rev"].flatMap { $0.isEmpty ? nil : $0 }
        let revision = try storing {
            try session.store.setPeerCheckpoint(
                id,
                request.body,
                expectedRevision: expected,
                owner: options.checkpointOwner,
                at: session.configuration.secondsSince1970()
            )
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
        let properties: BLIPProperties = [
            PassiveFeed.pendingProperty: String(count), BLIPProperties.closingsProperty: "true",
        ]
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
        var questions: [(documentID: DocumentID, revisionID: RevisionID, parent: RevisionID?)] = []
        var places: [Int] = []
        questions.reserveCapacity(entries.count)
        places.reserveCapacity(entries.count)
        for (place, entry) in entries.enumerated() {
            guard let revisionID = entry.revisionID, let documentID = entry.documentID
            else { continue }
            guard entry.bodyByteCount <= session.limits.announcedByteCount else {
                answers[place] = ProposalAnswer(status: 413)
                continue
            }
            questions.append((documentID, revisionID, entry.ancestor))
            places.append(place)
        }
        let path = collections[index].path
        let (verdicts, sequence) = try storing {
            try session.store.read { reader in
                (try reader.judge(questions, in: path), try reader.lastSequence(in: path))
            }
        }
        for ((place, question), verdict) in zip(zip(places, questions), verdicts) {
            answers[place] =
                switch verdict {
                case .accept: .accepted
                case .known: ProposalAnswer(status: 304)
                case .conflict(let current):
                    if try mayRead(question.documentID, in: index) {
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
    private func mayRead(_ documentID: DocumentID, in index: Int) throws(SyncError) -> Bool {
        guard let filter = collections[index].readFilter else { return true }
        let path = collections[index].path
        let document: StoredDocument?
        do {
            document = try session.store.read {
                try $0.document(documentID, in: path, includingTombstones: true)
            }
        } catch let error as StoreError where error.concernsOneDocument {
            return false
        } catch {
            throw SyncError(storage: error)
        }
        guard let document else { return true }
        return filter(
            FilteredRevision(
                documentID,
                document.revisionID,
                body: document.isTombstone ? [] : document.body,
                flags: document.isTombstone ? .deleted : []
            )
        )
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
