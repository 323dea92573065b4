import DivanBLIP
import DivanCompression
import DivanJSON
import DivanLog
import DivanRevisions
import DivanStore

/// What all parts of a peer share during one connection: the message layer, the store, the requests waiting for an
/// answer, and the effects waiting for the driver.
///
/// The parts hold it, and are released with it; all are confined to the peer's thread. It never calls them back.
final class Connection {
    let store: Store
    let configuration: PeerConfiguration
    /// How revisions are named in this connection.
    private(set) var dialect: RevisionDialect
    let limits: ReplicatorLimits
    let log: Log
    /// Identifies this connection's commits, so that its own changes are recognised.
    let origin = ChangeOrigin()
    /// The remote in the store's table; `nil` on the passive side, which tracks no peers.
    var remote: RemoteID?
    /// Whether the remote was known before this connection, under any checkpoint.
    var metBefore = false
    /// When a requested revision of any collection last arrived.
    var lastArrival: Duration = .zero
    // Values that change with each message are not checked for overlapping access: a connection is used by one thread,
    // and nothing that these values call comes back to it. The only code outside their packages that they call is a
    // body's source, and `BlobSource` reads a file and nothing else.
    @exclusivity(unchecked) var blip: BLIPConnection
    var now: Duration = .zero
    var mode = CollectionMode.undecided
    private(set) var life = PeerLifecycle.connecting
    /// How long the peer took from our first words to its own, essentially the latency of the link; `nil` before.
    private(set) var turnaround: Duration?
    private var firstWords: Duration?
    /// Whether the peer is a Divan peer, according to its answer to the subscription.
    var peerIsOurs = false
    /// Whether the peer names what it gave up, and keeps to one order of revisions that were given up for each other;
    /// it says so in the same answer.
    var peerKeepsOrder = false
    @exclusivity(unchecked) var progress = Progress()
    @exclusivity(unchecked) var underway = InFlightTotals()
    /// Determines the fastest way of sending bodies, if the configuration leaves that open.
    @exclusivity(unchecked) private var trial: CompressionTrial?
    /// The blobs that the peer may have.
    var blobRights: BlobRights
    /// The replication's error, shown in the status.
    private(set) var error: SyncError?

    /// This connection's part in the revisions in flight of all connections, if they are shared.
    let transfers: RevisionsInFlight.Membership?
    private let sharing: SharedRevisions.Membership?
    private var budget: BudgetShare?
    @exclusivity(unchecked) var readingCredit: ReadingCredit
    @exclusivity(unchecked) private var questions = PendingRequests()
    @exclusivity(unchecked) private var effects = EffectQueue()

    /// Whether requests name their collection.
    enum CollectionMode {
        case undecided
        case legacy
        case collections
    }

    init(_ configuration: PeerConfiguration, store: Store, log: Log) {
        self.configuration = configuration
        self.store = store
        dialect = RevisionDialect(store.scheme)
        self.log = log
        limits = configuration.limits
        readingCredit = ReadingCredit(configuration.limits)
        blip = BLIPConnection(codec: configuration.codec)
        transfers = configuration.inFlight?.join()
        if case .passive(let options) = configuration.role {
            blobRights = BlobRights(areBound: options.bindsBlobs)
            sharing = options.shared?.join()
            budget = options.budget.map { BudgetShare($0.join(party: options.party)) }
        } else {
            blobRights = BlobRights(areBound: false)
            sharing = nil
        }
    }

    /// A body of this many bytes is sent next; returns whether to compress it.
    func measureBody(_ byteCount: Int) -> Bool {
        trial?.sent(byteCount, at: now)
        guard let trial else { return configuration.compresses }
        blip.compressionGrade = trial.grade
        return trial.compresses
    }

    /// The peer has answered a body of this many bytes.
    func measureAnswer(to byteCount: Int) { trial?.answered(byteCount, at: now) }

    /// Revisions shared with other connections, if any.
    var sharedRevisions: SharedRevisions? { sharing?.revisions }
}

// MARK: - From opening to closing

extension Connection {
    /// Whether nothing is sent or answered any more.
    var isClosed: Bool { life == .closing || life == .ended }

    /// Starts the message layer with the codec that the handshake agreed on; closes, and returns `nil`, if the agreed
    /// name is not known here.
    func open(_ subprotocol: String) -> Subprotocol? {
        guard life == .connecting else { return nil }
        guard let version = Subprotocol(subprotocol),
            configuration.speaks(version.version, about: dialect.scheme),
            let codec = configuration.codec(for: version)
        else {
            fail(SyncError(.close(.protocolError), "unknown subprotocol \(subprotocol)"))
            close(.protocolError)
            return nil
        }
        dialect = RevisionDialect(dialect.scheme, over: version.version)
        blip = BLIPConnection(codec: codec)
        if configuration.compresses, configuration.measuresLink {
            trial = CompressionTrial(gradeCount: codec.grades.count)
        }
        return version
    }

    /// Applies an event to the peer's life; false if the event has no meaning now.
    @discardableResult
    func handle(_ event: PeerLifecycle.Event) -> Bool { life.handle(event) }

    /// Closes so that another connection follows, if since then no requested revision has arrived, not even in part.
    ///
    /// Sync Gateway sends no more of a list once one of its documents cannot be read, and reports it to nobody.
    func closeIfRevisionsMissing(since: Duration?) {
        // Even if the last arrival completed its collection.
        guard let since, life == .running, now - max(since, lastArrival) >= limits.longestSilence,
            blip.openByteCount == 0
        else { return }
        closeForRetry(
            after: .http(.gatewayTimeout, "the peer did not send revisions that it announced")
        )
    }

    /// Records the replication's error; the kinds that end the replication close the connection.
    ///
    /// Source: `errors.md` §6.
    func fail(_ failure: SyncError) {
        note(failure)
        if let code = failure.closeCode { close(code, error: failure) }
    }

    /// Records an error that does not end the replication: other messages are still handled.
    func note(_ failure: SyncError) {
        log.error("\(failure)")
        if error == nil { error = failure }
    }

    /// Requests that the connection be closed; only the first call counts.
    func close(_ code: CloseCode, error: SyncError? = nil) {
        guard life.handle(.closeRequested) else { return }
        effects.flushEvents()
        // Whether another connection follows depends on what ends this one, not on errors recorded before.
        effects.append(.close(code: code, error: error ?? self.error))
    }

    /// The connection is closed: open requests will never be answered.
    func disconnected(_ error: SyncError?) {
        handle(.disconnected)
        transfers?.endAll()
        questions.removeAll()
        self.error = self.error ?? error
        effects.flushEvents()
    }

    /// What a queued message takes besides its bytes, which may be none.
    private static var messageByteCount: Int { 128 }

    /// Reports to the budget what this connection holds, and closes it if it must yield.
    ///
    /// - Returns: Whether it yields: nothing may be held for it any more, or a peer that does not answer the close
    ///   would keep its share.
    func yields(holdingParked parkedByteCount: Int) -> Bool {
        guard !isClosed else { return false }
        let queued = blip.queuedByteCount + blip.queuedMessageCount * Self.messageByteCount
        let held = blip.openByteCount + queued + parkedByteCount
        guard budget?.mustYield(holding: held, at: now) ?? false else { return false }
        let reason =
            "the listener's memory limit is reached, with \(held >> 10) KiB used by this client; "
            + "send less at once, and read the replies"
        fail(.http(.serviceUnavailable, reason))
        blip = BLIPConnection(codec: configuration.codec)
        budget?.release()
        return true
    }

    /// When to weigh again what is held.
    var weighingDeadline: Duration? { budget?.deadline }
}

// MARK: - Messages

extension Connection {
    /// The start of a request that concerns a collection.
    func profile(_ name: StaticString, about collection: Int) -> BLIPProperties {
        .profile(name, collection: wireIndex(collection))
    }

    /// The index in requests that concern a collection, `nil` in legacy mode.
    func wireIndex(_ collection: Int) -> Int? {
        mode == .collections ? collection : nil
    }

    /// The number of the collection that a request concerns.
    ///
    /// - Throws: HTTP/400 if it is missing, superfluous or not below `count`.
    func collectionNumber(
        of request: BLIPIncomingRequest,
        below count: Int
    ) throws(SyncError) -> Int {
        let number = request.properties.integer("collection")
        guard number != nil || request.properties.utf8("collection") != nil else {
            guard mode == .legacy, count > 0 else { throw .inappropriateCollection }
            return 0
        }
        guard mode == .collections else { throw .inappropriateCollection }
        guard let number, (0..<count).contains(number) else { throw .unknownCollection }
        return number
    }

    /// Receives one message, and passes on its events.
    func receive(_ message: Span<UInt8>, _ handle: (BLIPEvent) -> Void) {
        readingCredit.received(message.count)
        do {
            guard try blip.receive(message) > 0 else { return }
            if turnaround == nil, let firstWords { turnaround = now - firstWords }
            while let event = blip.next() { handle(event) }
        } catch {
            log.error("\(error)")
            let failure = SyncError(error)
            self.error = self.error ?? failure
            close(error.toldCode, error: failure)
        }
    }

    /// Appends the next frame to send; false, and appends nothing, if there is none.
    ///
    /// If a body cannot be read for lack of descriptors or memory, another connection follows. If the body ended early,
    /// the peer would consider its content invalid, and continue without the document.
    func nextFrame(into output: inout [UInt8]) -> Bool {
        let end = output.count
        guard blip.nextFrame(into: &output) else { return false }
        // Messages are read to their last event on arrival, so waiting events belong to this frame.
        while let event = blip.next() {
            guard case .bodyFailed(let broken) = event else { continue }
            let failure = SyncError(storage: broken.cause)
            log.error("cannot read a blob completely: \(failure)")
            guard failure.isWantOfMeans else { continue }
            output.removeSubrange(end...)
            closeForRetry(after: failure)
            // The codec has already processed this frame: the peer could not read any that follow.
            blip = BLIPConnection(codec: configuration.codec)
            return false
        }
        return true
    }

    /// We have sent something that the peer waited for, for the first time in this connection.
    func noteFirstWords() {
        firstWords = firstWords ?? now
    }

    /// Whether the message layer should get more, so that its queue never runs empty.
    var wantsOutput: Bool {
        life == .running && blip.queuedByteCount < limits.queuedOutputByteCount / 2
    }

    /// Sends a request and remembers its purpose, for the answer.
    func ask(_ request: BLIPRequest, for purpose: Purpose) {
        guard !isClosed, let number = blip.send(request) else { return }
        questions.add(number, purpose, at: now)
    }

    /// Sends a list with priority; an empty list marks the end of the feed and is not answered.
    ///
    /// - Returns: Whether an answer will come.
    func send<Entry>(
        _ entries: [Entry],
        as properties: BLIPProperties,
        for purpose: @autoclosure () -> Purpose,
        writing write: (Entry, inout JSONWriter) -> Void
    ) -> Bool {
        var writer = JSONWriter(reservingByteCount: entries.count * 80)
        writer.beginArray()
        for entry in entries { write(entry, &writer) }
        writer.endArray()
        var request = BLIPRequest(properties: properties, body: .bytes(writer.bytes))
        request.isUrgent = true
        request.isCompressed = configuration.compresses && !entries.isEmpty
        if entries.isEmpty { sendNoReply(request) } else { ask(request, for: purpose()) }
        return !entries.isEmpty
    }

    /// Sends a request that expects no answer.
    func sendNoReply(_ request: BLIPRequest) {
        guard !isClosed else { return }
        var request = request
        request.isNoReply = true
        _ = blip.send(request)
    }

    /// Answers a request, unless it expects no answer.
    func answer(_ request: BLIPIncomingRequest, with reply: BLIPReply = .empty) {
        answer(request.isNoReply ? nil : request.id, with: reply)
    }

    func answer(_ id: BLIPRequestID?, with reply: BLIPReply = .empty) {
        guard let id, !isClosed else { return }
        blip.reply(to: id, with: reply)
    }

    /// The properties of this side in an answer to a list of the peer.
    func listAnswerProperties(isFirst: Bool) -> BLIPProperties {
        .ownTerms(
            in: dialect,
            historyCount: limits.historyCount,
            takesDeltas: isFirst && configuration.usesDeltas
        )
    }

    /// Returns the purpose of a request that has been answered.
    func purpose(of number: BLIPRequestNumber, answeredBy reply: BLIPIncomingReply) -> Purpose? {
        questions.answered(number, isRefused: reply.error != nil)
    }

    /// The blob to which a piece belongs.
    func blobTicket(of number: BLIPRequestNumber, isFinal: Bool) -> BlobTicket? {
        guard case .blob(let ticket)? = questions[number] else { return nil }
        if isFinal { questions.remove(number) } else { questions.noteProgress(of: number, at: now) }
        return ticket
    }

    /// Since when the oldest question has been waiting for its answer.
    func oldestQuestion() -> Duration? { questions.oldest() }

    /// The answers that the peer owes; `path` maps a collection's number to its path.
    func waits(_ path: (Int) -> CollectionPath?) -> [SyncWait] {
        questions.all.map { question in
            let subject = question.purpose.subject
            let collection = question.purpose.collection.flatMap(path)
            return SyncWait(subject, in: collection, for: now - question.since)
        }
    }

    /// Forgets the requests sent so far.
    func startOver() {
        handle(.collectionsRefused)
        questions.removeAll()
        progress = Progress()
        underway = InFlightTotals()
    }
}

// MARK: - Effects for the driver

extension Connection {
    func emit(_ effect: SyncEffect) { effects.append(effect) }

    func nextEffect() -> SyncEffect? { effects.next() }

    /// Adds a document's event; events are emitted in batches.
    func report(_ event: DocumentEvent) {
        if event.error == nil { progress.documentCount += 1 }
        effects.report(event)
    }

    /// The peer's activity, as far as it does not depend on its role.
    func status(isIdle: Bool, isResting: Bool) -> SyncStatus {
        var status = SyncStatus(activity(isResting: isResting))
        status.completedUnitCount =
            isIdle ? progress.totalUnitCount : progress.completedUnitCount
        status.totalUnitCount = progress.totalUnitCount
        status.documentCount = progress.documentCount
        status.expectedDocumentCount = progress.wantedDocumentCount
        status.error = error
        return status
    }

    private func activity(isResting: Bool) -> SyncStatus.Activity {
        switch life {
        case .connecting: .connecting
        case .starting: .busy
        case .running, .stopping: isResting ? .idle : .busy
        case .closing, .ended: .stopped
        }
    }

    /// The last reported status.
    var status: SyncStatus { effects.status }

    /// Emits document events, and the status if it has changed.
    func reportStatus(_ current: SyncStatus) { effects.reportStatus(current, at: now) }

    /// When unreported progress may be reported.
    func statusDeadline(_ current: SyncStatus) -> Duration? { effects.statusDeadline(current) }
}
