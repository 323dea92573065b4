import DivanBLIP
import DivanCompression
import DivanLog
import DivanRevisions
import DivanStore

/// What all parts of a peer share during one connection: the message layer, the store, the
/// requests that wait for an answer, and the effects that wait for the driver.
struct Session {
    let store: Store
    let configuration: PeerConfiguration
    let log: Log
    /// Names this connection's commits, so that its own changes are recognised.
    let origin: ChangeOrigin
    /// The remote in the store's table; `nil` on the passive side, which tracks nobody.
    var remote: RemoteID?
    var blip: BLIPConnection
    var now: Duration = .zero
    var mode = CollectionMode.undecided
    /// How long the peer took from our first words to its own, the length of the way and little
    /// else; `nil` before.
    private(set) var turnaround: Duration?
    private var firstWords: Duration?
    /// Whether the peer is one of ours, as its answer to the subscription tells.
    var peerIsOurs = false
    /// Whether the peer names what it gave up, and keeps to one order of revisions that were given up
    /// for each other; it says so with the same answer.
    var peerKeepsOrder = false
    /// Whether the peer has taken a request in this mode.
    var isModeProven = false
    var progress = Progress()
    /// Which way of sending bodies is faster.
    var trial = CompressionTrial()
    /// What the peer's differences may cost.
    var deltaCredit: DeltaCredit
    /// The last document that was seen not to come to rest.
    var rotating: PendingConflict?
    /// The replication's error, which the status shows.
    var error: SyncError?
    /// Set once; no request leaves and none is answered afterwards.
    private(set) var closeCode: UInt16?

    private let sharing: SharedRevisions.Membership?
    private let budget: ConnectionBudget.Membership?
    private var toldByteCount = 0
    /// When what is held is weighed again, also if nothing comes in: others may have made it the heaviest.
    private(set) var weighingDue: Duration?
    /// How often each blob is part of a revision on its way, where the peer gets no others.
    private var lentBlobs: [BlobDigest: Int] = [:]
    /// Contents that the peer has sent over this connection, where it gets no others.
    private var shownBlobs: Set<BlobDigest> = []
    private var purposes: [BLIPRequestNumber: Purpose] = [:]
    private var effects: [SyncEffect] = []
    private var nextEffectIndex = 0
    private var events: [DocumentEvent] = []

    /// Whether requests name their collection.
    enum CollectionMode {
        case undecided
        case legacy
        case collections
    }

    init(
        _ configuration: PeerConfiguration,
        store: Store,
        log: Log
    ) {
        self.configuration = configuration
        self.store = store
        self.log = log
        origin = ChangeOrigin()
        deltaCredit = DeltaCredit(configuration.limits)
        sharing = configuration.role.sharedRevisions?.join()
        budget = configuration.role.budget
        blip = BLIPConnection(codec: configuration.codec)
    }

    /// Starts the message layer with the codec that the handshake agreed on.
    mutating func use(_ codec: any CompressionCodec) {
        blip = BLIPConnection(codec: codec)
    }

    var limits: Limits { configuration.limits }

    /// Whether the next body goes through the codec.
    var compressesBodies: Bool {
        configuration.compresses && (!configuration.measuresLink || trial.compresses)
    }
    var isClosed: Bool { closeCode != nil }

    /// The index that requests about a collection carry, `nil` in legacy mode.
    func wireIndex(_ collection: Int) -> Int? {
        mode == .collections ? collection : nil
    }
}

extension Session {
    /// We have said something that the peer waited for, the first time in this connection.
    mutating func noteFirstWords() {
        firstWords = firstWords ?? now
    }

    /// The peer has said something.
    mutating func noteWords() {
        guard turnaround == nil, let firstWords else { return }
        turnaround = now - firstWords
    }
}

extension Session {
    /// Sends a request and remembers why, for its answer.
    mutating func ask(_ request: BLIPRequest, for purpose: Purpose) {
        guard !isClosed, let number = blip.send(request) else { return }
        purposes[number] = purpose
    }

    /// Sends a request that nobody answers.
    mutating func tell(_ request: BLIPRequest) {
        guard !isClosed else { return }
        var request = request
        request.isNoReply = true
        _ = blip.send(request)
    }

    /// Answers a request; one that wants no answer gets none.
    mutating func answer(_ request: BLIPIncomingRequest, with reply: BLIPReply = .empty) {
        answer(request.isNoReply ? nil : request.id, with: reply)
    }

    mutating func answer(_ id: BLIPRequestID?, with reply: BLIPReply = .empty) {
        guard let id, !isClosed else { return }
        blip.reply(to: id, with: reply)
    }

    mutating func refuse(_ request: BLIPIncomingRequest, with error: SyncError) {
        refuse(request.isNoReply ? nil : request.id, with: error)
    }

    mutating func refuse(
        _ id: BLIPRequestID?,
        with error: SyncError,
        properties: BLIPProperties = BLIPProperties()
    ) {
        let wire = WireError(error)
        var reply = BLIPReply.error(domain: wire.domain, code: wire.code, message: wire.message)
        reply.properties.append(contentsOf: properties)
        answer(id, with: reply)
    }

    /// Forgets the request and returns why it was sent.
    mutating func purpose(of number: BLIPRequestNumber) -> Purpose? {
        purposes.removeValue(forKey: number)
    }

    /// Whether a stored body of so many bytes may be read for a difference now.
    mutating func mayApplyDelta(to byteCount: Int) -> Bool {
        deltaCredit.spend(byteCount, at: now, limits)
    }

    /// Looks up a request whose answer is still arriving.
    func purposeInProgress(of number: BLIPRequestNumber) -> Purpose? { purposes[number] }

    /// Everything that was asked and never answered: the connection is gone.
    mutating func abandonRequests() -> [Purpose] {
        defer { purposes.removeAll() }
        return Array(purposes.values)
    }
}

extension Session {
    /// Records the replication's error; the kinds that end it close the connection.
    ///
    /// Source: `errors.md` §6.
    mutating func fail(_ failure: SyncError) {
        note(failure)
        if failure.domain == .webSocket, failure.code == 503 {
            close(code: 4001, error: failure)
        } else if failure.stopsReplication {
            close(code: 4002, error: failure)
        }
    }

    /// Records an error that ends nothing: what arrives besides is taken.
    mutating func note(_ failure: SyncError) {
        log.error("\(failure)")
        if error == nil { error = failure }
    }

    /// Fails, and closes in any case: without its storage this side cannot go on.
    mutating func end(storage error: any Error, code: UInt16) {
        fail(SyncError(storage: error))
        close(code: code, error: self.error)
    }

    /// Asks for the connection to be closed; only the first call counts.
    mutating func close(code: UInt16, error: SyncError?) {
        guard closeCode == nil else { return }
        closeCode = code
        flushEvents()
        effects.append(.close(code: code, error: self.error ?? error))
    }

    /// Adds what became of a document; events leave in batches.
    mutating func report(_ event: DocumentEvent) {
        if event.error == nil { progress.documentCount += 1 }
        events.append(event)
    }

    mutating func emit(_ effect: SyncEffect) {
        effects.append(effect)
    }

    /// Moves collected document events into the effects.
    mutating func flushEvents() {
        guard !events.isEmpty else { return }
        effects.append(.documents(events))
        events.removeAll(keepingCapacity: true)
    }

    mutating func nextEffect() -> SyncEffect? {
        guard nextEffectIndex < effects.count else {
            effects.removeAll(keepingCapacity: true)
            nextEffectIndex = 0
            return nil
        }
        nextEffectIndex += 1
        return effects[nextEffectIndex - 1]
    }
}

extension Session {
    /// Whether the peer gets only the blobs of revisions that are on their way to it.
    var bindsBlobs: Bool {
        if case .passive(let options) = configuration.role { options.bindsBlobs } else { false }
    }

    /// Where connections share what they send.
    var sharedRevisions: SharedRevisions? { sharing?.revisions }

    /// Whether the peer may ask for a blob now.
    func mayFetch(_ digest: BlobDigest) -> Bool {
        !bindsBlobs || lentBlobs[digest] != nil
    }

    /// Notes that the peer has sent a content, so that it need not do so again.
    mutating func noteShown(_ digest: BlobDigest) {
        guard bindsBlobs else { return }
        if shownBlobs.count >= limits.shownBlobsCount { shownBlobs = [] }
        shownBlobs.insert(digest)
    }

    /// Whether the peer has sent this content.
    func hasShown(_ digest: BlobDigest) -> Bool { shownBlobs.contains(digest) }

    /// The peer may ask for these until they are taken back.
    mutating func lend(_ digests: [BlobDigest]) {
        for digest in digests { lentBlobs[digest, default: 0] += 1 }
    }

    mutating func takeBack(_ digests: [BlobDigest]) {
        for digest in digests {
            guard let count = lentBlobs[digest] else { continue }
            lentBlobs[digest] = count > 1 ? count - 1 : nil
        }
    }
}

extension Session {
    /// Steps in which the budget is told, so that small messages do not touch it.
    private static var budgetStep: Int { 64 << 10 }

    /// Tells the budget what this connection holds, and closes it when it has to yield.
    mutating func weigh(parkedByteCount: Int) {
        guard let budget, !isClosed else { return }
        let held = blip.openByteCount + blip.queuedByteCount + parkedByteCount
        let steps = held / Self.budgetStep * Self.budgetStep
        guard steps != toldByteCount || weighingDue.map({ $0 <= now }) ?? false else { return }
        toldByteCount = steps
        weighingDue = steps > 0 ? now + .seconds(1) : nil
        guard budget.hold(steps) else { return }
        let reason =
            "the listener holds too much for its clients, and \(held >> 10) KiB for this one; "
            + "send less at once, and read the answers"
        fail(SyncError(.webSocket, 503, reason))
    }
}

extension PeerConfiguration.Role {
    fileprivate var budget: ConnectionBudget.Membership? {
        guard case .passive(let options) = self else { return nil }
        return options.budget?.join(party: options.party)
    }

    fileprivate var sharedRevisions: SharedRevisions? {
        if case .passive(let options) = self { options.shared } else { nil }
    }
}

/// Units of work, roughly bytes, known and done.
///
/// Sizes are what peers say; each counts as at most 4 GiB, so that no sum can overflow.
struct Progress: Equatable {
    var completedUnitCount: UInt64 = 0
    var totalUnitCount: UInt64 = 0
    var documentCount: UInt64 = 0
    /// Documents that are on their way, or were, in either direction.
    var wantedDocumentCount: UInt64 = 0

    mutating func expect(_ byteCount: Int) {
        totalUnitCount += Self.units(byteCount)
    }

    mutating func expectDocument(_ byteCount: Int) {
        wantedDocumentCount += 1
        expect(byteCount)
    }

    mutating func complete(_ byteCount: Int) {
        completedUnitCount = min(totalUnitCount, completedUnitCount + Self.units(byteCount))
    }

    private static func units(_ byteCount: Int) -> UInt64 {
        UInt64(min(max(1, byteCount), 1 << 32))
    }
}

/// Why a request was sent.
enum Purpose {
    case collections
    case checkpoint(collection: Int, isForSave: Bool)
    case saveCheckpoint(collection: Int)
    case subscription(collection: Int)
    case proposals(collection: Int, [Proposal])
    case announcement(collection: Int, [FeedChange])
    case revision(collection: Int, OutgoingRevision)
    case blob(BlobFetcher.Ticket)

    /// Whether the request said which collection it is about, outside legacy mode.
    var namesCollection: Bool {
        if case .collections = self { false } else { true }
    }
}
