import DivanBLIP
import DivanRevisions
import DivanSealedFields
import DivanStore

/// A revision that the peer asked for.
struct OutgoingRevision {
    var change: FeedChange
    /// Revisions of the document that the peer has.
    var known: [RevisionID] = []
    var terms: PeerTerms
    /// Whether the peer refused a delta for it already.
    var needsFullBody = false
    /// Bytes of the body on the wire, once sent.
    var sentByteCount = 0
    /// When it was handed to the message layer.
    var sentTime: Duration = .zero
    /// Whether those are a difference.
    var wasDelta = false
    /// Blobs that the peer may ask for until it has answered.
    var lentBlobs: [BlobDigest] = []

    /// The difference as which it went out; `nil` when its body went whole.
    var delta: DeltaUse? {
        guard wasDelta else { return nil }
        return DeltaUse(byteCount: sentByteCount, bodyByteCount: change.bodyByteCount)
    }
}

/// What a peer said about itself with its answer to a list.
///
/// Source: `replication.md` §3, "Reply properties".
struct PeerTerms {
    /// The longest history it wants; at least 1.
    var historyCount: Int
    /// Whether blobs need no `_attachments` beside them.
    var understandsBlobs: Bool
    /// Whether it wants the current revision when the one it asked for is gone.
    var takesReplacements: Bool
    /// Whether it wants to hear that its own revision was given up here.
    var takesClosings: Bool
    /// Whether it remembers every tree ID behind a vector; others compare the first with their own.
    var takesTreeIDs: Bool

    init(_ properties: BLIPProperties, limits: ReplicatorLimits) {
        let asked = properties["maxHistory"].flatMap { Int($0) } ?? 0
        historyCount = asked > 0 ? min(asked, limits.receivedHistoryCount) : limits.historyCount
        understandsBlobs = properties.bool("blobs")
        takesReplacements = properties.bool("sendReplacementRevs")
        takesClosings = properties.bool(BLIPProperties.closingsProperty)
        takesTreeIDs = properties.bool(BLIPProperties.treeIDsProperty)
    }
}

/// Sends wanted revisions, in either role, within its windows: bodies are read from the store only
/// when there is room for them.
///
/// Source: `replication.md` §4, §5 ("Windows").
struct RevisionSender {
    private let connection: Connection
    let collection: Int
    let path: CollectionPath
    /// Whether this is the active side, which pushes; the passive side answers a subscription.
    let isPush: Bool
    /// Whether the peer accepts deltas on this connection.
    var sendsDeltas = false
    /// What the peer may fetch; `nil` = everything.
    var readFilter: DocumentFilter?
    /// Encrypts properties.
    var sealing: FieldSealing?
    /// Whether revisions that were given up here may come back from the peer, when they precede ours.
    var keepsOrder = false

    private var queue = Line<OutgoingRevision>()
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
    var isIdle: Bool { queuedCount == 0 && unansweredCount == 0 }

    mutating func enqueue(_ revision: OutgoingRevision) {
        queue.append(revision)
    }

    /// A revision that did not go out.
    struct Unsent {
        let change: FeedChange
        /// Why a property of it cannot be encrypted; `nil` when it is gone, or cannot be sent at all,
        /// which was told already.
        var withheld: SyncError?
    }

    /// Sends as many as there is room for; returns those that cannot be sent.
    mutating func pump() throws -> [Unsent] {
        window.turned(after: connection.turnaround)
        var unsent: [Unsent] = []
        while queuedCount > 0, hasRoom {
            let room = window.revisionsCount(connection.limits) - unansweredCount
            let batch = queue.popFirst(atMost: min(room, 32))
            let messages = try messages(for: batch)
            for (revision, message) in zip(batch, messages) {
                guard let message, message.problem == nil else {
                    let withheld = message?.withheld
                    unsent.append(Unsent(change: revision.change, withheld: withheld))
                    tellGone(
                        revision,
                        message?.problem,
                        isReported: isPush && withheld != nil
                    )
                    continue
                }
                // Larger than it was announced: with `_attachments`, or a newer one in its place.
                guard message.body.count <= connection.limits.documentByteCount else {
                    unsent.append(Unsent(change: revision.change))
                    tellTooLarge(revision, message.body.count)
                    continue
                }
                send(message, for: revision)
            }
        }
        return unsent
    }

    /// What to send for a batch; `nil` for revisions that are gone.
    ///
    /// The store is asked only for what no other connection has sent lately.
    private func messages(for batch: [OutgoingRevision]) throws -> [Ready?] {
        guard let shared = connection.sharedRevisions, readFilter == nil,
            !connection.blobRights.areBound,
            !(sendsDeltas && connection.configuration.usesDeltas)
        else {
            return try connection.store.read { reader in
                let composer = composer(reader)
                return try batch.map { try ready($0, composer) }
            }
        }
        let wireIndex = connection.wireIndex(collection)
        let keys = batch.map { $0.sharedKey(in: path, wireIndex) }
        let (found, epoch) = shared.messages(keys)
        if found.allSatisfy({ $0 != nil }) { return found.map { $0.map { Ready(shared: $0) } } }
        let messages = try connection.store.read { reader in
            let composer = composer(reader)
            return try zip(batch, found).map { revision, kept in
                try kept.map { Ready(shared: $0) } ?? ready(revision, composer)
            }
        }
        let fresh = zip(zip(keys, found), messages).compactMap {
            pair,
            message -> (key: SharedRevisions.Key, message: SharedRevisions.Message)? in
            guard let key = pair.0, pair.1 == nil, let message, message.isOrdinary else {
                return nil
            }
            return (key, .init(properties: message.properties, body: message.body))
        }
        shared.keep(fresh, from: epoch)
        return messages
    }

    private func ready(
        _ revision: OutgoingRevision,
        _ composer: RevisionComposer
    ) throws -> Ready? {
        do {
            return try composer.message(for: revision).map { message in
                Ready(
                    properties: message.properties.properties(
                        collection: connection.wireIndex(collection),
                        replacing: message.replaced
                    ),
                    body: message.body,
                    isDelta: message.properties.deltaSource != nil,
                    isReplacement: message.replaced != nil,
                    blobs: message.blobs
                )
            }
        } catch let error as StoreError where error.concernsOneDocument {
            // Damaged: it stays here, and the rest goes on.
            return Ready(properties: [:], body: [], problem: SyncError(storage: error))
        } catch let failure as FieldFailure {
            return Ready(
                properties: [:],
                body: [],
                problem: SyncError(field: failure),
                isWithheld: true
            )
        }
    }

    private var hasRoom: Bool {
        !connection.isClosed && unansweredCount < window.revisionsCount(connection.limits)
            && unansweredByteCount < connection.limits.unansweredByteCount
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
        composer.namesClosings = connection.dialect.namesClosings
        composer.sealing = sealing
        return composer
    }

    private mutating func send(_ message: Ready, for revision: OutgoingRevision) {
        var sent = revision
        sent.sentByteCount = message.body.count
        sent.sentTime = connection.now
        sent.wasDelta = message.isDelta
        sent.lentBlobs = message.blobs
        if !message.blobs.isEmpty { connection.blobRights.lend(message.blobs) }
        unansweredCount += 1
        unansweredByteCount += message.body.count
        var request = BLIPRequest(properties: message.properties, body: .bytes(message.body))
        request.isCompressed = connection.measureBody(message.body.count)
        connection.ask(request, for: .revision(collection: collection, sent))
    }

    /// The body is more than any peer takes: its document is refused by itself, on this side too.
    func tellTooLarge(_ revision: OutgoingRevision, _ byteCount: Int) {
        tellGone(revision, .tooLarge(byteCount, connection.limits))
    }

    /// A passive side owes an answer for each revision that was asked for; what cannot be read or
    /// sent is told on this side, too.
    ///
    /// `isReported` is whether the application hears of the problem in another way.
    private func tellGone(
        _ revision: OutgoingRevision,
        _ problem: SyncError?,
        isReported: Bool = false
    ) {
        if let problem, !isReported {
            connection.report(DocumentEvent(pushing: revision.change, in: path, problem))
        }
        guard !isPush else { return }
        var properties = BLIPProperties.profile(
            "norev",
            collection: connection.wireIndex(collection)
        )
        properties.append("id", revision.change.documentID.text)
        properties.append("rev", revision.change.revisionID.description)
        properties.append("sequence", String(revision.change.sequence))
        let told: SyncError =
            switch problem {
            case nil: .http(.notFound, "missing")
            case let problem? where problem.domain == .webSocket: problem
            case let problem? where problem.wireCode == .liteCore(.crypto):
                .http(.forbidden, "a property of it is not sent unencrypted")
            default: .http(.internalError, "damaged")
            }
        properties.append("error", String(told.code))
        properties.append("reason", told.toldMessage)
        connection.tell(BLIPRequest(properties: properties))
    }

    /// Takes the answer to a `rev`; returns it to the queue when it must go out again at once.
    ///
    /// - Returns: Whether it goes out again.
    mutating func answered(_ revision: OutgoingRevision, _ error: SyncError?) -> Bool {
        window.answered(after: connection.now - revision.sentTime)
        unansweredCount -= 1
        unansweredByteCount -= revision.sentByteCount
        guard let error, error.refusesDelta, !revision.needsFullBody else { return false }
        var again = revision
        again.needsFullBody = true
        enqueue(again)
        return true
    }
}

/// A `rev` message as it goes to the message layer.
private struct Ready {
    let properties: BLIPProperties
    let body: [UInt8]
    var isDelta = false
    var isReplacement = false
    var blobs: [BlobDigest] = []
    /// Why the revision cannot be sent.
    var problem: SyncError?
    /// Whether that is a property that cannot be encrypted.
    var isWithheld = false

    var withheld: SyncError? { isWithheld ? problem : nil }

    /// Whether other peers would get the same.
    var isOrdinary: Bool { !isDelta && !isReplacement && blobs.isEmpty && problem == nil }
}

extension Ready {
    fileprivate init(shared: SharedRevisions.Message) {
        self.init(properties: shared.properties, body: shared.body)
    }
}

extension OutgoingRevision {
    /// What its message is shared under; `nil` when the peer's history makes it one of its own.
    fileprivate func sharedKey(in path: CollectionPath, _ wireIndex: Int?) -> SharedRevisions.Key? {
        guard known.isEmpty, !needsFullBody else { return nil }
        return SharedRevisions.Key(
            path: path,
            documentID: change.documentID,
            revisionID: change.revisionID,
            sequence: change.sequence,
            wireIndex: wireIndex,
            historyCount: terms.historyCount,
            understandsBlobs: terms.understandsBlobs
        )
    }
}
