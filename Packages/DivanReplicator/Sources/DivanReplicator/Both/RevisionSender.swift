import DivanBLIP
import DivanRevisions
import DivanSealedFields
import DivanStore

/// Sends wanted revisions, in either role, within its windows: bodies are read from the store only when there is room
/// for them.
///
/// Source: `replication.md` §4, §5 ("Windows").
struct RevisionSender {
    private let connection: Connection
    let collection: Int
    let path: CollectionPath
    /// Whether this is the active side, which pushes; the passive side serves a subscription.
    let isPush: Bool
    /// Whether the peer accepts deltas on this connection.
    var sendsDeltas = false
    /// What the peer may fetch; `nil` = everything.
    var readFilter: DocumentFilter?
    /// Encrypts properties.
    var sealing: FieldSealing?
    /// Whether the peer may return revisions that were given up here, if they precede ours.
    var keepsOrder = false

    private var queue = FIFOQueue<OutgoingRevision>()
    /// Bytes of the known revisions that the peer named for those in the queue.
    private(set) var knownByteCount = 0
    private var unansweredCount = 0
    private var unansweredByteCount = 0
    private var window = SendWindow()

    init(_ connection: Connection, collection: Int, path: CollectionPath, isPush: Bool) {
        self.connection = connection
        self.collection = collection
        self.path = path
        self.isPush = isPush
    }

    var queuedCount: Int { queue.count }

    /// Whether more may be read from the feed.
    var takesMore: Bool {
        queuedCount < connection.limits.queuedRevisionsCount
            && connection.underway.queuedCount < connection.limits.allQueuedRevisionsCount
    }

    var isIdle: Bool { queuedCount == 0 && unansweredCount == 0 }

    mutating func enqueue(_ revision: OutgoingRevision) {
        queue.append(revision)
        knownByteCount += revision.knownByteCount
        connection.underway.queuedCount += 1
    }

    /// A revision that did not go out.
    struct Unsent {
        let revision: OutgoingRevision
        /// Why it is withheld, which a pushing peer must still report: a property cannot be encrypted, or it is too
        /// large; `nil` if it is gone, or cannot be sent at all, which was already reported.
        var withheld: SyncError?
        /// Whether the peer has a branch that was given up here, and must first be given a revision that continues it.
        var isCrossed = false
    }

    /// Sends as many as there is room for; returns those that cannot be sent.
    mutating func pump() throws -> [Unsent] {
        window.turned(after: connection.turnaround)
        var unsent: [Unsent] = []
        while queuedCount > 0, hasRoom {
            let (limits, all) = (connection.limits, connection.underway)
            let room = min(
                window.revisionsCount(limits) - unansweredCount,
                limits.allUnansweredRevisionsCount - all.unansweredCount
            )
            // All of them are in memory at once, and then in transit: 32 of the largest would be 640 MB.
            let batch = queue.popFirst(
                atMost: min(room, 32),
                within: min(
                    limits.unansweredByteCount - unansweredByteCount,
                    limits.allUnansweredByteCount - all.unansweredByteCount
                ),
                weighing: \.change.bodyByteCount
            )
            connection.underway.queuedCount -= batch.count
            for revision in batch { knownByteCount -= revision.knownByteCount }
            for (revision, composed) in zip(batch, try compose(batch)) {
                if let left = take(composed, for: revision) { unsent.append(left) }
            }
        }
        return unsent
    }

    /// Sends a composed message, or reports why not; returns the revision if it is not sent.
    private mutating func take(_ composed: Composed, for revision: OutgoingRevision) -> Unsent? {
        switch composed {
        case .message(let message):
            // Larger than announced: with `_attachments`, or a newer one in its place.
            guard message.body.count <= connection.limits.documentByteCount else {
                return withhold(revision, .tooLarge(message.body.count, connection.limits))
            }
            send(message, for: revision)
            return nil
        case .gone: sendNorev(revision, nil)
        case .damaged(let error):
            report(revision, error)
            sendNorev(revision, error)
        case .withheld(let error): return withhold(revision, error)
        case .crossed:
            sendNorev(revision, nil)
            return Unsent(revision: revision, isCrossed: true)
        }
        return Unsent(revision: revision)
    }

    private func withhold(_ revision: OutgoingRevision, _ error: SyncError) -> Unsent {
        // A pushing peer reports it with the result of the change.
        if !isPush { report(revision, error) }
        sendNorev(revision, error)
        return Unsent(revision: revision, withheld: error)
    }

    /// Composes the messages of a batch.
    ///
    /// The store is only read for revisions that no other connection has sent recently.
    private func compose(_ batch: [OutgoingRevision]) throws -> [Composed] {
        guard let shared = connection.sharedRevisions, readFilter == nil,
            !connection.blobRights.areBound,
            !(sendsDeltas && connection.configuration.usesDeltas)
        else {
            return try connection.store.readLiving { reader in
                let composer = composer(reader)
                try readAhead(batch.map(\.change), reader)
                return try batch.map { try compose($0, composer) }
            }
        }
        let wireIndex = connection.wireIndex(collection)
        let keys = batch.map { $0.sharedKey(in: path, wireIndex) }
        let (kept, epoch) = shared.messages(keys)
        let known = kept.compactMap { $0.map { Composed.message(Ready(shared: $0)) } }
        if known.count == batch.count { return known }
        let composed = try connection.store.readLiving { reader in
            let composer = composer(reader)
            let unkept = zip(batch, kept).filter { $1 == nil }
            try readAhead(unkept.map(\.0.change), reader)
            return try zip(batch, kept).map { revision, kept in
                try kept.map { .message(Ready(shared: $0)) } ?? compose(revision, composer)
            }
        }
        var fresh: [(key: SharedRevisions.Key, message: SharedRevisions.Message)] = []
        for (place, composed) in composed.enumerated() where kept[place] == nil {
            guard let key = keys[place], case .message(let message) = composed,
                message.isOrdinary
            else { continue }
            fresh.append((key, .init(properties: message.properties, body: message.body)))
        }
        shared.keep(fresh, from: epoch)
        return composed
    }

    /// Reads the documents of a batch together, up to the first long one, which is read with less memory.
    private func readAhead(_ changes: [FeedChange], _ reader: StoreReader) throws {
        let sequences = changes.prefix { !$0.isLong }.map(\.sequence)
        if !sequences.isEmpty { try reader.readAhead(sequences, in: path) }
    }

    private func compose(
        _ revision: OutgoingRevision,
        _ composer: RevisionComposer
    ) throws -> Composed {
        do {
            guard let message = try composer.message(for: revision) else { return .gone }
            if isPush, message.isCrossed { return .crossed }
            let properties = message.properties.properties(
                collection: connection.wireIndex(collection),
                replacing: message.replaced
            )
            return .message(
                Ready(
                    properties: properties,
                    body: message.body,
                    isDelta: message.properties.deltaSource != nil,
                    isReplacement: message.replaced != nil,
                    blobs: message.blobs
                )
            )
        } catch let error as StoreError where error.concernsOneDocument {
            // It is not sent, and the rest continues.
            return .damaged(SyncError(storage: error))
        } catch let failure as FieldFailure {
            return .withheld(SyncError(field: failure))
        }
    }

    private var hasRoom: Bool {
        !connection.isClosed && unansweredCount < window.revisionsCount(connection.limits)
            && unansweredByteCount < connection.limits.unansweredByteCount
            && connection.underway.unansweredCount < connection.limits.allUnansweredRevisionsCount
            && connection.underway.unansweredByteCount < connection.limits.allUnansweredByteCount
            && connection.blip.queuedByteCount < connection.limits.queuedOutputByteCount
    }

    private func composer(_ reader: StoreReader) -> RevisionComposer {
        var composer = RevisionComposer(
            path: path,
            reader: reader,
            random: connection.configuration.random,
            sendsDeltas: sendsDeltas && connection.configuration.usesDeltas
        )
        composer.refusesConflicts = isPush
        composer.readFilter = readFilter
        composer.listsBlobs = connection.blobRights.areBound
        composer.keepsOrder = keepsOrder
        composer.peerKeepsOrder = connection.peerKeepsOrder
        composer.namesClosings = connection.dialect.namesClosings
        composer.sealing = sealing
        return composer
    }

    private mutating func send(_ message: Ready, for revision: OutgoingRevision) {
        revision.sentByteCount = message.body.count
        revision.sentTime = connection.now
        revision.wasDelta = message.isDelta
        revision.lentBlobs = message.blobs
        if !message.blobs.isEmpty { connection.blobRights.lend(message.blobs) }
        unansweredCount += 1
        unansweredByteCount += message.body.count
        connection.underway.unansweredCount += 1
        connection.underway.unansweredByteCount += message.body.count
        var request = BLIPRequest(properties: message.properties, body: .bytes(message.body))
        request.isCompressed = connection.measureBody(message.body.count)
        connection.ask(request, for: .revision(collection: collection, revision))
    }

    /// The body is larger than any peer accepts: its document is refused individually, on this side too.
    func refuseTooLarge(_ revision: OutgoingRevision, _ byteCount: Int) {
        let error = SyncError.tooLarge(byteCount, connection.limits)
        report(revision, error)
        sendNorev(revision, error)
    }

    private func report(_ revision: OutgoingRevision, _ error: SyncError) {
        connection.report(DocumentEvent(pushing: revision.change, in: path, error))
    }

    /// The error of a peer that could not send a requested revision.
    static func error(ofPeer status: HTTPStatus, _ reason: String) -> SyncError {
        let isUnsealed = reason == unsealed
        return SyncError(
            .http(status),
            isUnsealed ? reason + "; the peer needs an encryptor for it" : reason,
            isFromPeer: true,
            hasRemedy: isUnsealed
        )
    }

    /// The message to the other side if a property could not be encrypted.
    static let unsealed = "the document has a property that must not be sent unencrypted"

    /// Tells the peer that a revision will not be sent: every requested revision or accepted proposal is owed one
    /// message.
    ///
    /// Couchbase Lite counts what it has accepted, and answers no more lists while more than 200 are missing; in either
    /// role it sends such messages itself.
    private func sendNorev(_ revision: OutgoingRevision, _ problem: SyncError?) {
        var properties = connection.profile("norev", about: collection)
        properties.append("id", revision.change.documentID.text)
        properties.append("rev", revision.change.revisionID.description)
        properties.append("sequence", String(revision.change.sequence))
        let told: SyncError =
            switch problem {
            case nil: .http(.notFound, "missing")
            case let problem? where problem.domain == .webSocket: problem
            case let problem? where problem.wireCode == .liteCore(.crypto):
                .http(.forbidden, Self.unsealed)
            default: .http(.internalError, "damaged")
            }
        properties.append("error", String(told.code))
        // A peer that is pushed to need not know what our cipher reported.
        if !isPush { properties.append("reason", told.toldMessage) }
        connection.sendNoReply(BLIPRequest(properties: properties))
    }

    /// Handles the answer to a `rev`; returns it to the queue if it must be sent again at once.
    ///
    /// - Returns: Whether it is sent again.
    mutating func answered(_ revision: OutgoingRevision, _ error: SyncError?) -> Bool {
        window.answered(after: connection.now - revision.sentTime)
        unansweredCount -= 1
        unansweredByteCount -= revision.sentByteCount
        connection.underway.unansweredCount -= 1
        connection.underway.unansweredByteCount -= revision.sentByteCount
        guard let error, error.refusesDelta, !revision.needsFullBody else { return false }
        // Couchbase Lite has given up a full body that it cannot read. It would regard the same one as a revision that
        // it never requested, which ends its replicator.
        if case .fleece = error.wireCode, !revision.wasDelta { return false }
        revision.needsFullBody = true
        enqueue(revision)
        return true
    }
}

/// The result of composing a requested revision.
private enum Composed {
    case message(Ready)
    /// It no longer exists, and nothing replaces it.
    case gone
    /// Its stored form cannot be read.
    case damaged(SyncError)
    /// A property of it cannot be encrypted.
    case withheld(SyncError)
    /// It replaces a branch of the peer's, which does not understand that: Sync Gateway says of a revision that it has
    /// in another branch that all is well, and keeps its own.
    case crossed
}

/// A `rev` message as passed to the message layer.
private struct Ready {
    let properties: BLIPProperties
    let body: [UInt8]
    var isDelta = false
    var isReplacement = false
    var blobs: [BlobDigest] = []

    /// Whether other peers would get the same message.
    var isOrdinary: Bool { !isDelta && !isReplacement && blobs.isEmpty }
}

extension Ready {
    fileprivate init(shared: SharedRevisions.Message) {
        self.init(properties: shared.properties, body: shared.body)
    }
}
