import DivanBLIP
import DivanJSON
import DivanLog
import DivanRevisions
import DivanStore

// How an active peer starts.
extension SyncPeer {
    mutating func startActive(
        _ options: PeerConfiguration.ActiveOptions,
        _ version: Subprotocol
    ) {
        do {
            session.remote = try session.store.remoteID(for: options.remoteIdentity)
            for (index, collection) in options.collections.enumerated() {
                collections.append(try makeCollection(collection, index, options))
            }
        } catch {
            session.end(storage: error, code: 1000)
            return
        }
        // A peer that speaks only version 2 is older than collections.
        if version.version == .two, isDefaultOnly {
            startLegacy()
        } else {
            session.mode = .collections
            askForCollections()
        }
    }

    private mutating func startLegacy() {
        session.mode = .legacy
        collections[0].checkpointer?.ask(&session, isForSave: false)
        session.noteFirstWords()
    }

    /// Starts over in legacy mode where `reply` refuses the first request that names a collection.
    ///
    /// Listeners of version 3 that offer the default collection only answer `getCollections` and
    /// then refuse such requests. Returns whether it was such a refusal.
    ///
    /// Source: `replication.md` §1, "LC passive rules".
    mutating func startsOver(after reply: BLIPIncomingReply, to purpose: Purpose) -> Bool {
        guard case .active(let options) = session.configuration.role, isDefaultOnly,
            session.mode == .collections, !session.isModeProven, purpose.namesCollection
        else { return false }
        guard reply.error?.code == 400 else {
            session.isModeProven = reply.error == nil
            return false
        }
        session.log.info("the peer takes requests without a collection only: starting over")
        _ = session.abandonRequests()
        session.progress = Progress()
        stage = .starting
        do {
            collections = [try makeCollection(options.collections[0], 0, options)]
            startLegacy()
        } catch {
            session.end(storage: error, code: 1000)
        }
        return true
    }

    private var isDefaultOnly: Bool {
        collections.count == 1 && collections[0].path == .default
    }

    private func makeCollection(
        _ collection: PeerConfiguration.CollectionOptions,
        _ index: Int,
        _ options: PeerConfiguration.ActiveOptions
    ) throws -> CollectionSync {
        var sync = CollectionSync(collection.path)
        sync.pullFilter = collection.pullFilter
        sync.checkpointer = try Checkpointer(
            names: CheckpointNames(of: collection, options, in: session.store),
            collection: index,
            isReset: options.isReset,
            store: session.store
        )
        return sync
    }

    private mutating func askForCollections() {
        var properties = BLIPProperties.profile("getCollections", collection: nil)
        properties.append("uuid", uuidText(session.store.publicUUID))
        let body = CollectionsMessage.write(
            names: collections.map(\.path.wireName),
            checkpointIDs: collections.compactMap(\.checkpointer?.askedID)
        )
        session.ask(BLIPRequest(properties: properties, body: .bytes(body)), for: .collections)
        session.noteFirstWords()
    }

    mutating func receiveCollections(_ reply: BLIPIncomingReply) {
        if let failure = reply.error {
            if failure.domain == "BLIP", failure.code == 404, isDefaultOnly {
                startLegacy()
            } else {
                session.fail(SyncError(failure))
                session.close(code: 4002, error: session.error)
            }
            return
        }
        do throws(SyncError) {
            let answers = try CollectionsMessage.parseAnswer(reply.body, count: collections.count)
            for (index, answer) in answers.enumerated() {
                try receive(answer, in: index)
            }
            startCollections()
        } catch {
            session.fail(error)
            session.close(code: 4002, error: error)
        }
    }

    private mutating func receive(
        _ answer: CollectionsMessage.Answer,
        in index: Int
    ) throws(SyncError) {
        switch answer {
        case .unknownCollection:
            let name = collections[index].path.wireName
            throw .http(404, "Collection \(name) is not found on the remote server")
        case .noCheckpoint:
            collections[index].checkpointer?.received(peerCopy: nil, revision: "")
        case .checkpoint(let body, let revision):
            collections[index].checkpointer?.received(peerCopy: body, revision: revision)
        }
    }

    mutating func receiveCheckpoint(_ reply: BLIPIncomingReply, in index: Int) {
        if let failure = reply.error {
            let error = SyncError(failure)
            guard error.domain == .webSocket, error.code == 404 else {
                session.fail(error)
                session.close(code: 4002, error: error)
                return
            }
            collections[index].checkpointer?.received(peerCopy: nil, revision: "")
        } else {
            let revision = reply.properties["rev"] ?? ""
            collections[index].checkpointer?.received(peerCopy: reply.body, revision: revision)
        }
        startCollections()
    }

    /// Both copies of the checkpoints are known: push and pull begin.
    private mutating func startCollections() {
        guard case .active(let options) = session.configuration.role else { return }
        stage = .running
        do {
            for (index, collection) in options.collections.enumerated() {
                try start(collection, index, options)
            }
        } catch {
            session.end(storage: error, code: 1000)
        }
    }

    private mutating func start(
        _ collection: PeerConfiguration.CollectionOptions,
        _ index: Int,
        _ options: PeerConfiguration.ActiveOptions
    ) throws {
        let path = collection.path
        if options.pushes { try reviewRefusals(of: index, retries: options.retriesRefused) }
        guard let checkpointer = collections[index].checkpointer else { return }
        let (last, conflicts) = try session.store.read { reader in
            (try reader.lastSequence(in: path), try reader.conflicts(in: path))
        }
        if options.pulls {
            var puller = Puller(
                collection: index,
                options: collection,
                purgesRevoked: options.purgesRevoked
            )
            puller.start(
                &session,
                since: checkpointer.remote.safe,
                isContinuous: options.isContinuous,
                skipsTombstones: !checkpointer.hadLocalCopy && last == 0
            )
            collections[index].puller = puller
            // Asked about as soon as the answer to the subscription says who the peer is.
            for documentID in conflicts {
                let conflict = PendingConflict(collection: path, documentID: documentID)
                unresolved.insert(conflict)
                knownConflicts.append(conflict)
            }
        }
        if options.pushes {
            collections[index].pusher = Pusher(
                collection: index,
                options: collection,
                pulls: options.pulls,
                after: checkpointer,
                through: last
            )
        }
    }

    /// Forgets refusals that were overtaken; the others are open again where they are to be retried.
    ///
    /// They stay remembered until the peer has answered: a run that ends before loses nothing.
    private mutating func reviewRefusals(of index: Int, retries: Bool) throws {
        guard let remote = session.remote else { return }
        let path = collections[index].path
        guard try session.store.read({ try $0.hasRefusals(in: path, at: remote) }) else { return }
        let refusals = try session.store.write(origin: session.origin) { writer in
            try writer.pruneRefusals(in: path, at: remote)
        }
        guard retries else { return }
        for refusal in refusals {
            collections[index].checkpointer?.completed.remove(refusal.sequence)
        }
    }

    /// Who the peer is, is known: asks about the conflicts of earlier runs.
    mutating func askForKnownResolutions() {
        for conflict in knownConflicts { session.emit(.resolve(conflict)) }
        knownConflicts = []
    }

    mutating func askForResolution(of documentID: DocumentID, in path: CollectionPath) {
        let conflict = PendingConflict(collection: path, documentID: documentID)
        guard unresolved.insert(conflict).inserted else { return }
        session.emit(.resolve(conflict))
    }

    /// The form `25947c2a-3fbf-48c9-8abe-48643cde3c32`.
    private func uuidText(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            let digits = String(byte, radix: 16)
            text += digits.utf8.count == 1 ? "0" + digits : digits
        }
        return text
    }
}
