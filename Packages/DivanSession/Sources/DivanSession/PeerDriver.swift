import DivanReplicator
import DivanStore
import DivanTransport

/// Runs one `SyncPeer` on the loop of its transport, from the first byte to the last.
///
/// The peer has no threads; the driver gives it messages, time, changes of the store and
/// resolved conflicts, sends its frames as long as the transport accepts them, and
/// performs its effects. Everything happens on the transport's loop.
///
/// Source: `Docs/architecture.md`, "Time, threads, determinism".
final class PeerDriver: MessageReceiver, @unchecked Sendable {
    // Unchecked: all mutable state is touched only on `transport.loop`, which runs its work on
    // one thread; `start()` and `stop()` go there first.

    /// Runs work elsewhere, or later.
    typealias Run = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Limits transactions of gathered revisions that run at the same time in one process: there is one disk.
    private static let storing = WorkQueue(label: "divan.storing", limit: 4)

    /// Stores off every event loop.
    static let storeOnQueue: Run = { work in storing.async(work) }

    /// The owner's callbacks; all are called on the loop.
    struct Hooks: Sendable {
        var onOpen: @Sendable (TransportPeer) -> Void = { _ in }
        var onStatus: @Sendable (SyncStatus) -> Void = { _ in }
        var onDocuments: @Sendable ([DocumentEvent]) -> Void = { _ in }
        var onBlob: @Sendable (BlobEvent) -> Void = { _ in }
        /// Called once, when the transport is closed and every conflict is settled.
        var onEnd: @Sendable (PeerEnd) -> Void = { _ in }
    }

    let transport: any MessageTransport
    private let store: Store
    private let conflictProcessor: ConflictProcessor
    private let hooks: Hooks
    private let notices: StoreChangeNotifier
    private let watchesStore: Bool
    private let runStoring: Run?

    private let peer: any SyncPeer
    private var conflicts = ConflictBacklog()
    private var frame: [UInt8] = []
    private var timer: (deadline: Duration, token: TimerToken)?
    private var observation: StoreObservation?
    private var end = PeerEnd()
    private var phase = Phase.connecting
    private var isPumping = false
    private var phaseBegin: Duration = .zero
    private var fullSince: Duration?  // since when the transport takes nothing
    private var goesOn = false  // what is left to send goes out in the loop's next turn

    private enum Phase: Int, Comparable {
        case connecting
        case open
        case closing
        case closed
        case ended

        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    init(
        _ peer: any SyncPeer,
        transport: any MessageTransport,
        store: Store,
        conflictProcessor: ConflictProcessor,
        watchesStore: Bool,
        runStoring: Run? = nil,
        hooks: Hooks
    ) {
        self.peer = peer
        notices = StoreChangeNotifier(own: peer.origin)
        self.transport = transport
        self.store = store
        self.conflictProcessor = conflictProcessor
        self.watchesStore = watchesStore
        self.runStoring = runStoring
        self.hooks = hooks
    }

    private var loop: any EventLoop { transport.loop }

    /// Opens the transport; from any thread.
    func start() {
        loop.execute { self.phaseBegin = self.loop.now }
        transport.start(self)
    }

    /// Reports on the loop, from any thread, what is waited for; the longest wait first.
    func waits(_ answer: @escaping @Sendable ([SyncWait]) -> Void) {
        loop.execute { answer(self.currentWaits) }
    }

    private var currentWaits: [SyncWait] {
        switch phase {
        case .connecting: return [SyncWait(.connection, for: loop.now - phaseBegin)]
        case .open:
            let room = fullSince.map { SyncWait(.room, for: loop.now - $0) }
            return [room].compactMap(\.self) + peer.waits(at: loop.now)
        case .closing, .closed, .ended: return []
        }
    }

    /// Ends the session in an orderly way, from any thread: work in progress is finished or dropped, the
    /// checkpoint is saved, the transport closed.
    func stop() {
        loop.execute { self.stopOnLoop() }
    }

    /// Closes the transport with a code, from any thread; the passive side's way to end.
    func close(code: UInt16, reason: String) {
        loop.execute {
            guard self.phase < .closing else { return }
            self.phase = .closing
            self.transport.close(code: code, reason: reason)
        }
    }

    private func stopOnLoop() {
        end.wasStopped = true
        switch phase {
        case .connecting:
            phase = .closing
            transport.close(code: CloseCode.normal.number, reason: "")
        case .open:
            peer.stop(at: loop.now)
            pump()
        case .closing, .closed, .ended:
            break
        }
    }
}

// MARK: - What the transport reports

extension PeerDriver {
    func transportDidOpen(_ info: TransportPeer) {
        guard phase == .connecting else { return }
        phase = .open
        hooks.onOpen(info)
        if watchesStore { observeStore() }
        peer.connected(subprotocol: info.subprotocol ?? "", at: loop.now)
        pump()
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        guard phase == .open else { return }
        peer.receive(message.span, at: loop.now)
        // A close comes before the next message; everything else can wait for the end of the batch.
        if peer.isEnded { performEffects() }
    }

    func transportDidDrainInput() {
        guard phase == .open else { return }
        peer.inputDrained(at: loop.now)
        pump()
    }

    func transportDidBecomeWritable() {
        fullSince = nil
        guard phase == .open else { return }
        pump()
    }

    func transportDidClose(_ close: TransportClose) {
        guard phase < .closed else { return }
        phase = .closed
        end.close = close
        observation = nil
        peer.disconnected(error: end.reportedError, at: loop.now)
        performEffects()
        cancelTimer()
        endWhenSettled()
    }

    private func endWhenSettled() {
        guard phase == .closed, conflicts.isSettled else { return }
        phase = .ended
        end.hasSavedProgress = peer.hasSavedProgress
        hooks.onEnd(end)
    }
}

// MARK: - Conflicts

extension PeerDriver {
    /// Passes waiting conflicts to the conflict processor, a few at a time; off the loop from here on.
    private func startConflicts() {
        while let conflict = conflicts.next() {
            conflictProcessor.resolve(conflict, closesRemote: peer.peerTakesClosedBranches) {
                error in
                self.loop.execute { self.conflictSettled(conflict, error) }
            }
        }
    }

    private func conflictSettled(_ conflict: PendingConflict, _ error: SyncError?) {
        conflicts.finished()
        peer.conflictResolved(conflict, error: error, at: loop.now)
        pump()
        startConflicts()
        endWhenSettled()
    }
}

// MARK: - The pump

extension PeerDriver {
    /// Performs every effect and sends frames until the peer has none left, the transport is full,
    /// or the turn's share is used up.
    private func pump() {
        // A transport may call back from `send`; the outer call goes on then.
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        var room = peer.limits.turnFramesCount
        repeat {
            performEffects()
        } while sendFrames(&room)
        // A frame that could not be made may have ended the connection.
        performEffects()
        if room == 0 { goOnNextTurn() }
        if !transport.isWritable { fullSince = fullSince ?? loop.now } else { fullSince = nil }
        armTimer()
    }

    /// Sends as many frames as there is room for; returns whether there were any.
    private func sendFrames(_ room: inout Int) -> Bool {
        let count = transport.send(upTo: room, through: &frame) { frame in
            phase == .open && peer.nextFrame(into: &frame)
        }
        room -= count
        return count > 0
    }

    /// Has gathered revisions stored elsewhere; if there is no such place, the peer does it when it must.
    private func store(_ work: StoringWork) {
        runStoring? { [weak self] in
            work.run()
            guard let self else { return }
            loop.execute { self.resume() }
        }
    }

    private func resume(after awaited: AwaitedTransfer) {
        awaited.whenOver { [weak self] in
            guard let self else { return }
            loop.execute { self.resume() }
        }
    }

    private func goOnNextTurn() {
        guard !goesOn, phase == .open else { return }
        goesOn = true
        loop.execute {
            self.goesOn = false
            if self.phase == .open { self.pump() }
        }
    }

    private func performEffects() {
        while let effect = peer.next() {
            switch effect {
            case .status(let status): hooks.onStatus(status)
            case .documents(let events): hooks.onDocuments(events)
            case .blob(let event): hooks.onBlob(event)
            case .resolve(let conflict): conflicts.add(conflict)
            case .store(let work): store(work)
            case .transfer(let awaited): resume(after: awaited)
            case .close(let code, let error):
                end.error = end.error ?? error
                end.closedByPeerState = true
                guard phase == .open else { continue }
                sendLastFrames()
                phase = .closing
                let reason = code == .goingAway ? CloseCode.stoppedReason : ""
                transport.close(code: code.number, reason: reason)
            }
        }
        startConflicts()
    }

    /// Sends what precedes a close, even if the transport is full: it is little, and nothing
    /// comes after it.
    private func sendLastFrames() {
        while peer.nextFrame(into: &frame) {
            transport.send(frame.span)
            frame.removeAll(keepingCapacity: true)
        }
    }

    private func armTimer() {
        let deadline = phase == .open ? peer.deadline : nil
        if timer?.deadline == deadline { return }
        cancelTimer()
        guard let deadline else { return }
        let token = loop.schedule(at: deadline) { [weak self] in self?.timerFired() }
        timer = (deadline, token)
    }

    private func cancelTimer() {
        if let timer { loop.cancel(timer.token) }
        timer = nil
    }

    private func timerFired() {
        timer = nil
        resume()
    }

    private func resume() {
        guard phase == .open else { return }
        peer.advance(to: loop.now)
        pump()
    }

    private func observeStore() {
        observation = store.observe { [weak self, notices] change in
            guard notices.add(change) else { return }
            guard let self else { return }
            loop.execute { self.storeChanged() }
        }
    }

    private func storeChanged() {
        let changes = notices.take()
        guard phase == .open else { return }
        for change in changes { peer.storeChanged(change, at: loop.now) }
        pump()
    }
}
