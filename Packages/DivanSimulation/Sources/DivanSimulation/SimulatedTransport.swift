import DivanPlatform
import DivanTransport

/// One end of a simulated connection.
///
/// `@unchecked Sendable` holds because the stored state is touched only on the loop: `start` and
/// `close` go there, everything else is called there.
final class SimulatedTransport: MessageTransport, @unchecked Sendable {
    private enum State {
        case new
        case opening
        case open
        /// We sent a close and wait for the answer.
        case closing
        case ended
    }

    private let network: SimulatedNetwork
    private let route: SimulatedRoute
    private let isServer: Bool
    private var connection: SimulatedConnection?
    private weak var other: SimulatedTransport?

    private var state = State.new
    private var receiver: (any MessageReceiver)?
    private var closed: TransportClose?
    private var early: [SimulatedOutbox.Item] = []  // arrived before we were open
    private var timers: [TimerToken] = []

    private var outbox = SimulatedOutbox()
    private var lastArrival: Duration = .zero  // of what we sent
    private var isTransmitting = false
    private var isWaitingForRoom = false
    private var isStalled = false

    init(isServer: Bool, route: SimulatedRoute, network: SimulatedNetwork) {
        self.isServer = isServer
        self.route = route
        self.network = network
    }

    var loop: any EventLoop { network.loop }
    var isOpening: Bool { state == .opening }
    var hasEnded: Bool { state == .ended }

    // MARK: MessageTransport

    func start(_ receiver: any MessageReceiver) {
        loop.execute { self.begin(receiver) }
    }

    func send(_ message: Span<UInt8>) {
        guard state == .open else { return }
        queue(.message(message.withUnsafeBufferPointer { Array($0) }))
    }

    var isWritable: Bool {
        guard let limits = connection?.conditions.limits, state == .open else { return false }
        if outbox.byteCount >= limits.highWaterByteCount { isWaitingForRoom = true }
        return !isWaitingForRoom
    }

    func close(code: UInt16, reason: String) {
        loop.execute { self.sayGoodbye(code, reason) }
    }

    // MARK: Opening

    private func begin(_ receiver: any MessageReceiver) {
        if let closed { return receiver.transportDidClose(closed) }
        guard self.receiver == nil else { return }
        self.receiver = receiver
        if isServer {
            didOpen()
        } else {
            state = .opening
            SimulatedConnection(from: self, route: route, network: network).open()
        }
    }

    /// Both ends know each other from here on.
    func join(_ connection: SimulatedConnection, other: SimulatedTransport) {
        self.connection = connection
        self.other = other
    }

    /// The server's end exists; it opens when it is started.
    func admit(repliesArriveFrom time: Duration) {
        state = .opening
        lastArrival = time
    }

    /// The other side is open.
    func didOpen() {
        guard state == .opening, let receiver, let peer = connection?.peer else { return }
        state = .open
        receiver.transportDidOpen(peer)
        let arrived = early
        early = []
        if !arrived.isEmpty { take(arrived) }
    }

    // MARK: Out

    private func queue(_ item: SimulatedOutbox.Item) {
        outbox.add(item)
        if connection?.isSilent == true { watchForStall() }
        guard !isTransmitting else { return }
        isTransmitting = true
        loop.execute { self.transmit() }
    }

    /// Gives the network a piece, and is called again when that has been sent.
    private func transmit() {
        isTransmitting = false
        guard let connection, !connection.isLost, !outbox.isEmpty else { return }
        let conditions = connection.conditions
        let piece = outbox.take(upTo: network.draw(conditions.pieceByteCount))
        let duration = Duration.seconds(1) * piece.byteCount / max(1, conditions.bytesPerSecond)
        lastArrival = max(lastArrival, loop.now + duration + connection.latency())
        if !piece.completed.isEmpty {
            connection.arrive(at: lastArrival) { [weak other] in other?.take(piece.completed) }
        }
        isTransmitting = true
        loop.schedule(at: loop.now + duration) { self.transmit() }
        guard isWaitingForRoom, outbox.byteCount <= conditions.limits.lowWaterByteCount else {
            return
        }
        isWaitingForRoom = false
        if state == .open { receiver?.transportDidBecomeWritable() }
    }

    private func sayGoodbye(_ code: UInt16, _ reason: String) {
        switch state {
        case .open:
            state = .closing
            queue(.goodbye(code: code, reason: reason))
            failLater(.timeout(.closeEcho), after: connection?.conditions.limits.closeTimeout)
        case .new, .opening:
            let other = other
            end(.clean(code: code, reason: reason, isByPeer: false))
            other?.fail(.abnormalClose)
        case .closing, .ended:
            break
        }
    }

    // MARK: In

    /// Receives what the other end sent, some messages at once.
    private func take(_ items: [SimulatedOutbox.Item]) {
        guard state == .open || state == .closing else {
            if state == .opening { early += items }
            return
        }
        var byteCount = 0
        for item in items where state != .ended {
            switch item {
            case .message(let message):
                byteCount += message.count
                receiver?.transportDidReceive(message[...])
            case .goodbye(let code, let reason):
                didHearGoodbye(code, reason)
            }
        }
        guard state != .ended else { return }
        connection?.note(
            .delivered(messageCount: items.count, byteCount: byteCount, isToServer: isServer)
        )
        receiver?.transportDidDrainInput()
    }

    private func didHearGoodbye(_ code: UInt16, _ reason: String) {
        guard let connection else { return }
        connection.note(.closed(code: code, isByServer: !isServer))
        let echo = max(loop.now + connection.latency(), lastArrival)
        connection.arrive(at: echo) { [weak other] in
            other?.end(.clean(code: code, reason: reason, isByPeer: false))
        }
        end(.clean(code: code, reason: reason, isByPeer: true))
    }

    // MARK: Ending

    /// The other end's last bytes arrive, and then nothing.
    func endBehindInput() {
        failLater(.abnormalClose, after: max(.zero, (other?.lastArrival ?? .zero) - loop.now))
    }

    /// Nothing arrives any more: this end must notice by itself.
    func watchSilence() {
        failLater(.timeout(.pong), after: connection?.conditions.silenceTimeout)
        if !outbox.isEmpty || lastArrival > loop.now { watchForStall() }
    }

    private func watchForStall() {
        guard !isStalled else { return }
        isStalled = true
        failLater(.timeout(.reading), after: connection?.conditions.limits.stallTimeout)
    }

    private func failLater(_ reason: TransportError.Reason, after delay: Duration?) {
        guard let delay, state != .ended else { return }
        timers.append(loop.schedule(at: loop.now + delay) { [weak self] in self?.fail(reason) })
    }

    func fail(_ reason: TransportError.Reason) {
        end(.failed(TransportError(reason, place: route.place)))
    }

    private func end(_ close: TransportClose) {
        guard state != .ended else { return }
        state = .ended
        closed = close
        outbox = SimulatedOutbox()
        early = []
        for timer in timers { loop.cancel(timer) }
        timers = []
        let (receiver, connection) = (receiver, connection)
        self.receiver = nil
        self.connection = nil
        receiver?.transportDidClose(close)
        connection?.didEnd()
    }
}
