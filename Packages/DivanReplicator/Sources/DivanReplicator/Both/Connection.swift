import DivanBLIP
import DivanCompression
import DivanJSON
import DivanLog
import DivanRevisions
import DivanStore

/// What all parts of a peer share during one connection: the message layer, the store, the
/// requests that wait for an answer, and the effects that wait for the driver.
///
/// The parts hold it, and die with it; all of them are confined to the peer's thread. It calls none
/// of them back.
final class Connection {
    let store: Store
    let configuration: PeerConfiguration
    /// How revisions are named here.
    private(set) var dialect: RevisionDialect
    let limits: ReplicatorLimits
    let log: Log
    /// Names this connection's commits, so that its own changes are recognised.
    let origin = ChangeOrigin()
    /// The remote in the store's table; `nil` on the passive side, which tracks nobody.
    var remote: RemoteID?
    /// Whether the remote was known before this connection, under whatever checkpoint.
    var metBefore = false
    /// When a revision of any collection came last that the peer was asked for.
    var lastArrival: Duration = .zero
    // What changes with each message is not checked for two accesses at a time: one thread uses a
    // connection, and nothing that these values call comes back to it. Of all that they call out to only
    // a body's source is not of their own package, and `BlobSource` reads a file and nothing else.
    @exclusivity(unchecked) var blip: BLIPConnection
    var now: Duration = .zero
    var mode = CollectionMode.undecided
    private(set) var life = PeerLife.connecting
    /// How long the peer took from our first words to its own, the length of the way and little
    /// else; `nil` before.
    private(set) var turnaround: Duration?
    private var firstWords: Duration?
    /// Whether the peer is one of ours, as its answer to the subscription tells.
    var peerIsOurs = false
    /// Whether the peer names what it gave up, and keeps to one order of revisions that were given up
    /// for each other; it says so with the same answer.
    var peerKeepsOrder = false
    @exclusivity(unchecked) var progress = Progress()
    @exclusivity(unchecked) var underway = Underway()
    /// Finds out which way of sending bodies is the fastest, where the configuration leaves it open.
    @exclusivity(unchecked) private var trial: CompressionTrial?
    /// Which blobs the peer may have.
    var blobRights: BlobRights
    /// The replication's error, which the status shows.
    private(set) var error: SyncError?

    private let sharing: SharedRevisions.Membership?
    private var budget: BudgetShare?
    @exclusivity(unchecked) var readingCredit: ReadingCredit
    @exclusivity(unchecked) private var questions = OpenQuestions()
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
        if case .passive(let options) = configuration.role {
            blobRights = BlobRights(areBound: options.bindsBlobs)
            sharing = options.shared?.join()
            budget = options.budget.map { BudgetShare($0.join(party: options.party)) }
        } else {
            blobRights = BlobRights(areBound: false)
            sharing = nil
        }
    }

    /// A body of so many bytes is sent next; returns whether it goes through the codec.
    func measureBody(_ byteCount: Int) -> Bool {
        trial?.sent(byteCount, at: now)
        guard let trial else { return configuration.compresses }
        blip.compressionGrade = trial.grade
        return trial.compresses
    }

    /// The peer has answered a body of so many bytes.
    func measureAnswer(to byteCount: Int) { trial?.answered(byteCount, at: now) }

    /// Where connections share what they send.
    var sharedRevisions: SharedRevisions? { sharing?.revisions }
}

// MARK: - From opening to closing

extension Connection {
    /// Whether nothing is sent or answered any more.
    var isClosed: Bool { life == .closing || life == .ended }

    /// Starts the message layer with the codec that the handshake agreed on; closes, and returns
    /// `nil`, when it agreed on nothing that is known here.
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

    /// Moves the peer's life on; false where the event means nothing now.
    @discardableResult
    func take(_ event: PeerLife.Event) -> Bool { life.take(event) }

    /// Closes so that another connection follows, where nothing came since then of what the peer was asked
    /// for, nor is half of it here.
    ///
    /// Sync Gateway sends no more of a list once one of its documents cannot be read, and tells nobody.
    func comeAgainIfForgotten(since: Duration?) {
        // Also where what came was the last of its collection.
        guard let since, life == .running, now - max(since, lastArrival) >= limits.longestSilence,
            blip.openByteCount == 0
        else { return }
        comeAgain(
            after: .http(.gatewayTimeout, "the peer does not send revisions that it announced")
        )
    }

    /// Records the replication's error; the kinds that end it close the connection.
    ///
    /// Source: `errors.md` §6.
    func fail(_ failure: SyncError) {
        note(failure)
        if let code = failure.closeCode { close(code, error: failure) }
    }

    /// Records an error that ends nothing: what arrives besides is taken.
    func note(_ failure: SyncError) {
        log.error("\(failure)")
        if error == nil { error = failure }
    }

    /// Asks for the connection to be closed; only the first call counts.
    func close(_ code: CloseCode, error: SyncError? = nil) {
        guard life.take(.closeRequested) else { return }
        effects.flushEvents()
        // What ends the connection decides whether there is another one, not what was noted before.
        effects.append(.close(code: code, error: error ?? self.error))
    }

    /// The connection is gone: what was asked is never answered.
    func disconnected(_ error: SyncError?) {
        take(.disconnected)
        questions.removeAll()
        self.error = self.error ?? error
        effects.flushEvents()
    }

    /// Tells the budget what this connection holds, and closes it when it has to yield.
    ///
    /// - Returns: Whether it yields: nothing may be held for it any more, or a peer that does not
    ///   answer the close would go on to weigh.
    func yields(holdingParked parkedByteCount: Int) -> Bool {
        guard !isClosed else { return false }
        let held = blip.openByteCount + blip.queuedByteCount + parkedByteCount
        guard budget?.mustYield(holding: held, at: now) ?? false else { return false }
        let reason =
            "the listener holds too much for its clients, and \(held >> 10) KiB for this one; "
            + "send less at once, and read the answers"
        fail(.http(.serviceUnavailable, reason))
        blip = BLIPConnection(codec: configuration.codec)
        budget?.release()
        return true
    }

    /// When what is held is weighed again.
    var weighingDeadline: Duration? { budget?.deadline }
}

// MARK: - Messages

extension Connection {
    /// The start of a request about a collection.
    func profile(_ name: StaticString, about collection: Int) -> BLIPProperties {
        .profile(name, collection: wireIndex(collection))
    }

    /// The index that requests about a collection carry, `nil` in legacy mode.
    func wireIndex(_ collection: Int) -> Int? {
        mode == .collections ? collection : nil
    }

    /// The number of the collection that a request is about.
    ///
    /// - Throws: HTTP/400 when it is missing, superfluous or not below `count`.
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

    /// Takes one message, and hands over what it means.
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

    /// Appends the next frame of what goes out; false, and appends nothing, when there is none.
    ///
    /// Where a body cannot be read for want of descriptors or memory, another connection follows. Ended
    /// short, the peer would take its content for wrong, and go on without the document.
    func nextFrame(into output: inout [UInt8]) -> Bool {
        let end = output.count
        guard blip.nextFrame(into: &output) else { return false }
        // Messages are read to their last event when they arrive: what waits is of this frame.
        while let event = blip.next() {
            guard case .bodyFailed(let broken) = event else { continue }
            let failure = SyncError(storage: broken.cause)
            log.error("a blob could not be read to its end: \(failure)")
            guard failure.isWantOfMeans else { continue }
            output.removeSubrange(end...)
            comeAgain(after: failure)
            // A codec has this frame behind it: the peer could read none that follows.
            blip = BLIPConnection(codec: configuration.codec)
            return false
        }
        return true
    }

    /// We have said something that the peer waited for, the first time in this connection.
    func noteFirstWords() {
        firstWords = firstWords ?? now
    }

    /// Whether more may be put into the message layer, so that its queue never runs dry.
    var wantsOutput: Bool {
        life == .running && blip.queuedByteCount < limits.queuedOutputByteCount / 2
    }

    /// Sends a request and remembers why, for its answer.
    func ask(_ request: BLIPRequest, for purpose: Purpose) {
        guard !isClosed, let number = blip.send(request) else { return }
        questions.add(number, purpose, at: now)
    }

    /// Sends a list, before all else; an empty one says that there is nothing more, and is not answered.
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
        if entries.isEmpty { tell(request) } else { ask(request, for: purpose()) }
        return !entries.isEmpty
    }

    /// Sends a request that nobody answers.
    func tell(_ request: BLIPRequest) {
        guard !isClosed else { return }
        var request = request
        request.isNoReply = true
        _ = blip.send(request)
    }

    /// Answers a request; one that wants no answer gets none.
    func answer(_ request: BLIPIncomingRequest, with reply: BLIPReply = .empty) {
        answer(request.isNoReply ? nil : request.id, with: reply)
    }

    func answer(_ id: BLIPRequestID?, with reply: BLIPReply = .empty) {
        guard let id, !isClosed else { return }
        blip.reply(to: id, with: reply)
    }

    /// What we say about ourselves with an answer to a list of the peer.
    func listAnswerProperties(isFirst: Bool) -> BLIPProperties {
        .ownTerms(
            in: dialect,
            historyCount: limits.historyCount,
            takesDeltas: isFirst && configuration.usesDeltas
        )
    }

    /// Returns why a request was sent that is answered.
    func purpose(of number: BLIPRequestNumber, answeredBy reply: BLIPIncomingReply) -> Purpose? {
        questions.answered(number, isRefused: reply.error != nil)
    }

    /// The blob of which a piece came.
    func blobTicket(of number: BLIPRequestNumber, isFinal: Bool) -> BlobTicket? {
        guard case .blob(let ticket)? = questions[number] else { return nil }
        if isFinal { questions.remove(number) } else { questions.noteProgress(of: number, at: now) }
        return ticket
    }

    /// Since when the oldest question waits for its answer.
    func oldestQuestion() -> Duration? { questions.oldest() }

    /// What the peer owes an answer to; `path` names a collection by its number.
    func waits(_ path: (Int) -> CollectionPath?) -> [SyncWait] {
        questions.all.map { question in
            let subject = question.purpose.subject
            let collection = question.purpose.collection.flatMap(path)
            return SyncWait(subject, in: collection, for: now - question.since)
        }
    }

    /// What was asked so far counts no more.
    func startOver() {
        take(.collectionsRefused)
        questions.removeAll()
        progress = Progress()
        underway = Underway()
    }
}

// MARK: - What the driver is told

extension Connection {
    func emit(_ effect: SyncEffect) { effects.append(effect) }

    func nextEffect() -> SyncEffect? { effects.next() }

    /// Adds what became of a document; events leave in batches.
    func report(_ event: DocumentEvent) {
        if event.error == nil { progress.documentCount += 1 }
        effects.report(event)
    }

    /// What the peer is at, besides what its role knows.
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

    /// The status as last told.
    var status: SyncStatus { effects.status }

    /// Tells what became of documents, and the status where it is news.
    func tell(_ current: SyncStatus) { effects.tell(current, at: now) }

    /// When progress may be told that was not told yet.
    func statusDeadline(_ current: SyncStatus) -> Duration? { effects.statusDeadline(current) }
}
