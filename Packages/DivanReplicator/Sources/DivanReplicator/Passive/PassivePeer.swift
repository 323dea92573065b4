import DivanBLIP
import DivanLog
import DivanRevisions
import DivanStore

/// The side of a replication that answers.
///
/// **What it promises.** A revision is answered after the transaction that stored it, a refusal gives the reason in
/// codes that every implementation knows, and a client learns nothing about what it may not read: not from an answer, a
/// conflict, a delta or a blob. It stores no conflict: the client must resolve two branches, or give one up.
///
/// **Its states** are those of `PeerLifecycle` without `starting` and `stopping` (`Docs/states/peer-lifecycle.md`).
/// What the client may request depends on its first message: one that names collections opens those, any other makes it
/// a client of the default collection only. Beyond the connection, nothing is remembered about a client except the
/// checkpoints it leaves.
///
/// **A turn.** `receive` answers questions and puts revisions into the `Inbox`; `pump` stores these in one transaction,
/// answers them, and lets each subscription (`PassiveFeed`) fill its windows:
///
/// ```
/// message ─→ PassiveCollection ─→ Inbox ─→ commit ─→ answers
///                  PassiveFeed ─→ changes, revisions ─→ Connection ─→ frames
/// ```
///
/// **What may be reordered.** Answers are sent in the order of the transactions, not of the requests: a revision that
/// waits for blobs is overtaken. An answer says how far the sequences had come, so that a client that also pulls can
/// tell older news from newer. A list of proposals is judged after the revisions that came before it are stored, so a
/// client may propose a child directly after its parent.
///
/// **What bounds it.** `ReplicatorLimits` for each connection, `ConnectionBudget` for all of a listener: received
/// lists, incomplete messages, waiting revisions, blobs in either direction, bytes read for deltas. One turn reads a
/// bounded part of the feed (`silentListsCount`) and hashes a bounded part of a proof, so no client blocks the loop.
///
/// **What a crash leaves.** Complete transactions. A revision that was stored and not answered is sent again, and
/// recognised.
///
/// Source: `replication.md` §11, `revisions.md` §7, `checkpoints.md` §5.
final class PassivePeer: ConnectedPeer {
    let connection: Connection
    let inbox: Inbox
    var attachments: AttachmentServer
    private let options: PeerConfiguration.PassiveOptions
    private var watchdog = Watchdog()
    /// Which collection goes first in using what all of them share.
    private var rotation = RoundRobin()
    /// By the number in requests; `nil` for one that the client named and that does not exist.
    private var collections: [PassiveCollection?] = []

    init(_ options: PeerConfiguration.PassiveOptions, over connection: Connection) {
        self.options = options
        self.connection = connection
        inbox = Inbox(connection)
        attachments = AttachmentServer(connection)
    }

    var peerTakesClosedBranches: Bool { false }

    func connected(subprotocol: String, at now: Duration) {
        connection.now = now
        guard connection.open(subprotocol) != nil else { return }
        connection.handle(.connectedAsPassive)
        pump()
    }

    func storeChanged(_ change: StoreChange, at now: Duration) {
        connection.now = now
        guard change.origin != origin, connection.life.replicates else { return }
        let affected = known.filter { $0.path == change.collection }
        if change.endsCollection, !affected.isEmpty {
            endsCollection(connection.absence(of: change.collection))
        }
        for collection in affected { collection.notice() }
        pump()
    }

    /// A passive peer never asks for a resolution: it stores no conflicts.
    func conflictResolved(_ conflict: PendingConflict, error: SyncError?, at now: Duration) {}

    func stop(at now: Duration) {
        connection.now = now
        guard !isEnded else { return }
        commit()
        connection.close(.goingAway)
        pump()
    }

    var deadline: Duration? {
        guard connection.life.replicates else { return nil }
        guard !attachments.wantsTurn, !known.contains(where: \.wantsTurn) else { return .zero }
        return [
            connection.statusDeadline(currentStatus), connection.weighingDeadline,
            attachments.deadline, watchdog.deadline, inbox.blobDeadline,
            known.compactMap(\.deadline).min(),
        ].compactMap(\.self).min()
    }

    func waits(at now: Duration) -> [SyncWait] {
        connection.now = now
        let collections = collections
        return
            connection.waits {
                collections.indices.contains($0) ? collections[$0]?.path : nil
            }
            .sorted { $0.duration > $1.duration }
    }
}

// MARK: - One turn

extension PassivePeer {
    /// Gives up what is incomplete if the listener holds too much; what is complete is stored.
    func yieldMemory() {
        let waitingByteCount = known.reduce(0) { $0 + $1.waitingByteCount }
        guard connection.yields(holdingParked: inbox.byteCount + waitingByteCount) else { return }
        commit()
        inbox.abandon()
        attachments.abandon()
        for collection in known { collection.abandon() }
    }

    private var known: some Sequence<PassiveCollection> { collections.lazy.compactMap(\.self) }

    func pump() {
        if connection.life != .ended { commit() }
        if connection.life == .running {
            rotation.advance()
            fillWindows()
            pumpBlobs()
            // Blobs may have arrived over another connection.
            commit()
            attachments.pump()
        }
        watch()
        connection.reportStatus(currentStatus)
    }

    /// Reports answers that the client has owed for too long, in the log and in the status.
    private func watch() {
        guard connection.life.replicates else { return }
        let oldest = connection.oldestQuestion()
        let stall = watchdog.look(oldest, at: connection.now, patience: limits.patience) {
            waits(at: connection.now)
        }
        if let stall { connection.log.warning("Listener is waiting for its client: \(stall)") }
    }

    func fillWindows() { rotation.forEach(of: collections) { $0?.pump() } }

    /// Whether no work is known to be left.
    private var isIdle: Bool {
        inbox.ready.isEmpty && inbox.waitsForNoBlob && known.allSatisfy(\.isIdle)
    }

    var currentStatus: SyncStatus {
        let isIdle = isIdle
        var status = connection.status(isIdle: isIdle, isResting: isIdle)
        status.stall = isEnded ? nil : watchdog.stall
        return status
    }

    func commit() {
        let ready = inbox.takeReady()
        guard !ready.isEmpty else { return }
        let paths = collections.map { $0?.path ?? .default }
        _ = finish(ready) {
            try connection.store.write(origin: origin) { writer in
                try writer.insert(ready.map { $0.arrived(from: nil) }, in: paths)
            }
        }
    }

    func finish(_ revision: IncomingRevision, _ result: RevisionResult) {
        collections[revision.collection]?.finish(revision, result)
    }
}

// MARK: - Requests and answers

extension PassivePeer {
    func receive(_ reply: BLIPIncomingReply, for purpose: Purpose) {
        switch purpose {
        case .announcement(let number, let changes):
            collections[number]?.answered(changes, reply)
        case .revision(let number, let revision):
            collections[number]?.answered(revision, reply)
        case .collections, .checkpoint, .saveCheckpoint, .subscription, .proposals, .blob:
            break  // an active peer's, and either's
        }
    }

    func receive(_ request: BLIPIncomingRequest) throws(SyncError) {
        // Nearly all are revisions, from a client that has said whether it names collections.
        if connection.mode != .undecided, request.profile == "rev" {
            return try writableCollection(of: request).receiveRevision(request, into: inbox)
        }
        if request.profile == CollectionsMessage.listProfile { return try listCollections(request) }
        if request.profile != "getCollections" { try beginLegacy(request) }
        switch request.profile {
        case "getCollections": try answerCollections(request)
        case "getCheckpoint": try answerCheckpoint(request)
        case "setCheckpoint": try storeCheckpoint(request)
        case "subChanges":
            let collection = try collection(of: request)
            guard options.allowsPull else {
                throw .http(.forbidden, "Attempting to pull from a push-only replicator")
            }
            try collection.subscribe(request)
        case "changes":
            _ = try collection(of: request)
            try refuseChanges(request)
        case "proposeChanges": try evaluate(request)
        case "rev": try writableCollection(of: request).receiveRevision(request, into: inbox)
        case "norev": connection.answer(request)
        default: connection.answer(request, with: .noHandler)
        }
    }

    func checkCollection(of request: BLIPIncomingRequest) throws(SyncError) {
        try beginLegacy(request)
        _ = try collection(of: request)
    }

    func mayRead(
        blob digest: BlobDigest,
        of request: BLIPIncomingRequest
    ) throws(SyncError) -> Bool {
        try collection(of: request).mayRead(blob: digest, of: request)
    }

    private func collection(of request: BLIPIncomingRequest) throws(SyncError) -> PassiveCollection
    {
        let number = try connection.collectionNumber(of: request, below: collections.count)
        guard let collection = collections[number] else { throw .unknownCollection }
        return collection
    }

    private func writableCollection(
        of request: BLIPIncomingRequest
    ) throws(SyncError) -> PassiveCollection {
        let collection = try collection(of: request)
        guard options.allowsPush else {
            throw .http(.forbidden, "changes from this client are not accepted")
        }
        return collection
    }

    /// Tells a client that uses older protocols to propose instead.
    private func refuseChanges(_ request: BLIPIncomingRequest) throws(SyncError) {
        let entries = try? ChangesMessage.parse(
            request.body,
            in: connection.dialect,
            count: limits.receivedChangesCount
        )
        guard let entries else { throw .http(.badRequest, "changes must be a list of changes") }
        guard entries.isEmpty else { throw .http(.conflict, "Use 'proposeChanges' instead") }
        connection.answer(request)
    }

    private func evaluate(_ request: BLIPIncomingRequest) throws(SyncError) {
        _ = try collection(of: request)
        let entries = try? ProposalMessage.parse(
            request.body,
            in: connection.dialect,
            count: limits.receivedChangesCount
        )
        guard let entries else {
            throw .http(.badRequest, "proposeChanges must be a list of proposals")
        }
        // A client that pulls, too, says so in this way when it has nothing to push.
        guard !entries.isEmpty else { return connection.answer(request) }
        let collection = try writableCollection(of: request)
        // What arrived before it counts.
        commit()
        try collection.evaluate(entries, request)
    }
}

// MARK: - Collections and checkpoints

extension PassivePeer {
    /// The first message decides: one that names no collection comes from an older client.
    private func beginLegacy(_ request: BLIPIncomingRequest) throws(SyncError) {
        guard connection.mode == .undecided else { return }
        guard request.properties["collection"] == nil else {
            throw .http(.badRequest, "getCollections must come first")
        }
        guard options.collections.contains(.default) else {
            throw .http(.badRequest, "This server is not configured for 3.0 client support")
        }
        let collection = try PassiveCollection(
            0,
            at: .default,
            sharedAs: options,
            over: connection
        )
        connection.mode = .legacy
        collections = [collection]
    }

    private func answerCollections(_ request: BLIPIncomingRequest) throws(SyncError) {
        guard connection.mode == .undecided else {
            throw .http(.badRequest, "getCollections must be the first message, and sent only once")
        }
        let asked = try CollectionsMessage.parse(request.body, limits: limits)
        var answers: [CollectionsMessage.Answer] = []
        var found: [PassiveCollection?] = []
        for (number, (name, checkpointID)) in asked.enumerated() {
            guard let path = CollectionPath(name), options.collections.contains(path),
                case let collection = try PassiveCollection(
                    number,
                    at: path,
                    sharedAs: options,
                    over: connection
                ), collection.storeNumber != nil
            else {
                answers.append(.unknownCollection)
                found.append(nil)
                continue
            }
            found.append(collection)
            let stored = try SyncError.storing { try connection.store.peerCheckpoint(checkpointID) }
            answers.append(
                stored.map { .checkpoint(body: $0.body, revision: $0.revision) } ?? .noCheckpoint
            )
        }
        connection.mode = .collections
        collections = found
        let body = CollectionsMessage.writeAnswer(answers)
        connection.answer(request, with: BLIPReply(body: .bytes(body)))
        connection.noteFirstWords()
    }

    /// Lists the collections that the client may use.
    ///
    /// Does not affect the rest of the conversation, so it may come before `getCollections`, which needs the names.
    private func listCollections(_ request: BLIPIncomingRequest) throws(SyncError) {
        let present = try SyncError.storing {
            try connection.store.read { reader in
                try options.collections.filter { try reader.hasCollection($0) }
            }
        }
        let body = CollectionsMessage.writeList(present.map(\.wireName))
        connection.answer(request, with: BLIPReply(body: .bytes(body)))
    }

    private func answerCheckpoint(_ request: BLIPIncomingRequest) throws(SyncError) {
        _ = try collection(of: request)
        let id = try checkpointID(of: request)
        guard let stored = try SyncError.storing({ try connection.store.peerCheckpoint(id) })
        else { throw .http(.notFound, "missing") }
        let reply = BLIPReply(properties: ["rev": stored.revision], body: .bytes(stored.body))
        connection.answer(request, with: reply)
    }

    private func storeCheckpoint(_ request: BLIPIncomingRequest) throws(SyncError) {
        guard options.allowsPull || options.allowsPush else {
            throw .http(
                .forbidden,
                "a client that may neither push nor pull cannot store a checkpoint"
            )
        }
        let collection = try collection(of: request)
        let id = try checkpointID(of: request)
        let limit = limits.checkpointByteCount
        guard request.body.count <= limit else {
            throw .http(.contentTooLarge, "the checkpoint exceeds the limit of \(limit) bytes")
        }
        let expected = request.properties["rev"].flatMap { $0.isEmpty ? nil : $0 }
        do {
            let revision = try connection.store.setPeerCheckpoint(
                id,
                of: collection.path,
                numbered: collection.storeNumber,
                request.body,
                expectedRevision: expected,
                owner: options.checkpointOwner,
                at: connection.configuration.secondsSince1970()
            )
            connection.answer(request, with: BLIPReply(properties: ["rev": revision]))
        } catch let error as StoreError where error.code == .noSuchCollection(collection.path) {
            endsCollection(error)
        } catch {
            throw SyncError(storage: error)
        }
    }

    /// A collection was deleted, and perhaps recreated: the client may reconnect, and is then told which one exists.
    private func endsCollection(_ error: StoreError) {
        connection.close(.retryLater, error: SyncError(storage: error))
    }

    private func checkpointID(of request: BLIPIncomingRequest) throws(SyncError) -> String {
        guard let id = request.properties["client"], (1...1_000).contains(id.utf8.count) else {
            throw .http(.badRequest, "missing checkpoint ID")
        }
        return id
    }
}
