import DivanLog
import DivanPlatform
import DivanWebSocket

/// An open WebSocket on a byte stream: the common part of the client's and the server's transport.
///
/// On the loop only. It lives as long as its transport, or until the connection has ended.
final class WebSocketChannel: ByteStreamOwner {
    let loop: EpollLoop
    let place: String

    private let stream: ByteStream
    private let limits: TransportLimits
    // Unchecked: touched only on the loop, and it calls only the source of its masking keys, which has no reference to
    // the channel.
    @exclusivity(unchecked) private var connection: WebSocketConnection
    private var receiver: (any MessageReceiver)?
    private var closed: TransportClose?
    private let log: Log
    private let didClose: () -> Void

    private var deadlineTimer: (token: TimerToken, deadline: Duration)?
    private var idleTimer: TimerToken?
    private var lastActivity: Duration
    private var isWaitingForRoom = false  // the high-water mark was reached and seen

    private var share = TurnBudget()
    private var turn = Turn()
    private var goesOn = false  // messages that came wait for the loop's next turn
    private var isPausedByReceiver = false

    /// What one turn of the loop has delivered, since when, and the most messages that it may deliver.
    private struct Turn {
        var begin: Duration = .zero
        var processorBegin: Duration?
        var share = Int.max
        var messageCount = 0
        var longMessagesCount = 0

        var isFull: Bool { messageCount >= share || longMessagesCount >= Self.longMessagesCount }

        /// Half of what a peer sends of a long blob before it waits for an acknowledgement, which is sent when the turn
        /// ends: so the peer produces one half while this end handles the other.
        private static let longMessagesCount = 4
        /// A frame of such a blob has 16 KiB.
        private static let longMessageByteCount = 16_000

        mutating func add(_ event: WebSocketConnection.Event) {
            messageCount += 1
            if case .message(let message, _) = event, message.count >= Self.longMessageByteCount {
                longMessagesCount += 1
            }
        }
    }

    /// Takes over a stream after its handshake; `didClose` runs when the channel has ended.
    init(
        _ stream: ByteStream,
        connection: WebSocketConnection,
        place: String,
        limits: TransportLimits,
        log: Log,
        didClose: @escaping () -> Void
    ) {
        self.stream = stream
        self.connection = connection
        self.place = place
        self.limits = limits
        self.log = log
        self.didClose = didClose
        loop = stream.loop
        lastActivity = stream.loop.now
        stream.owner = self
    }

    /// Reports the peer, delivers what arrived after the handshake, and continues reading.
    func start(_ receiver: any MessageReceiver, peer: TransportPeer, leftover: [UInt8]) {
        if let closed { return receiver.transportDidClose(closed) }
        self.receiver = receiver
        updateReading()
        receiver.transportDidOpen(peer)
        updateDeadline()
        guard !leftover.isEmpty else { return }
        streamDidReceive(leftover.span)
        streamDidDrainInput()
    }

    // MARK: Out

    /// False from the high-water mark on, until the queue has shrunk to the low-water mark.
    var isWritable: Bool {
        // One access to the connection for both: this is called before each message.
        let (isOpen, byteCount) = connection.outlet
        if byteCount + stream.queuedByteCount >= limits.highWaterByteCount {
            isWaitingForRoom = true
        }
        return !isWaitingForRoom && isOpen
    }

    func send(_ message: Span<UInt8>, isText: Bool = false) {
        guard receiver != nil else { return }
        connection.send(message, isText: isText)
        lastActivity = loop.now
        stream.setNeedsFlush()
    }

    func close(code: UInt16, reason: String) {
        guard closed == nil, connection.isOpen else { return }
        connection.close(code: code, reason: reason, at: loop.now)
        // Nobody would read the peer's answer to a transport that was never started.
        guard receiver != nil else {
            return end(.clean(code: code, reason: reason, isByPeer: false))
        }
        isPausedByReceiver = false  // or the peer's answer would never be read
        updateReading()
        stream.setNeedsFlush()
        updateDeadline()
    }

    /// Ends the connection without waiting for the peer's answer.
    ///
    /// The peer has `patience` to take what is queued, with the close code as the last of it.
    func drop(code: UInt16, reason: String, within patience: Duration) {
        guard closed == nil else { return }
        if connection.isOpen { connection.close(code: code, reason: reason, at: loop.now) }
        _ = loop.scheduleHere(at: loop.now + patience) { [stream] in stream.close() }
        end(.clean(code: code, reason: reason, isByPeer: false))
    }

    func setReadingPaused(_ isPaused: Bool) {
        isPausedByReceiver = isPaused && connection.isOpen
        updateReading()
    }

    private func updateReading() {
        stream.setReadingPaused(isPausedByReceiver || goesOn)
    }

    func streamWillWrite(to output: inout [UInt8]) {
        connection.appendOutput(to: &output)
        watchForIdleness()
    }

    func streamDidDrainOutput() {
        guard isWaitingForRoom else { return }
        isWaitingForRoom = false
        // In a separate turn, so that a receiver with much to send does not starve others.
        loop.executeHere { [weak self] in
            guard let self, connection.isOpen else { return }
            receiver?.transportDidBecomeWritable()
        }
    }

    // MARK: In

    func streamDidOpen() {}

    func streamDidReceive(_ bytes: Span<UInt8>) {
        lastActivity = loop.now
        connection.receive(bytes, at: lastActivity)
        if !goesOn { handOver() }
    }

    /// Delivers this turn's share of what has arrived; `endTurn` follows.
    private func handOver() {
        turn = Turn(
            begin: loop.now,
            processorBegin: share.wantsProcessorTime ? loop.processorTime : nil,
            share: share.messageCount
        )
        do throws(FrameError) {
            while receiver != nil, !turn.isFull, let event = try connection.next() {
                turn.add(event)
                handle(event)
            }
        } catch {
            end(.failed(TransportError(.frame(error), place: place)))
        }
        if connection.outputByteCount > 0 { stream.setNeedsFlush() }
        updateDeadline()
    }

    private func handle(_ event: WebSocketConnection.Event) {
        switch event {
        case .message(let message, isText: false): receiver?.transportDidReceive(message)
        case .message(let message, isText: true): receiver?.transportDidReceiveText(message)
        case .pong: break
        case .closed(let status):
            end(.clean(code: status.code, reason: status.reason, isByPeer: status.isByPeer))
        }
    }

    func streamDidDrainInput() {
        if !goesOn { endTurn() }
    }

    private func endTurn() {
        receiver?.transportDidDrainInput()
        watchForIdleness()
        guard receiver != nil else { return }
        noteTurn()
        goesOn = turn.isFull
        updateReading()
        if goesOn { loop.executeHere { [weak self] in self?.resume() } }
    }

    private func noteTurn() {
        guard turn.messageCount > 0 else { return }
        share.took(
            loop.now - turn.begin,
            processorTime: turn.processorBegin.map { loop.processorTime - $0 },
            for: turn.messageCount
        )
    }

    private func resume() {
        guard receiver != nil else { return }
        handOver()
        endTurn()
    }

    func streamDidEnd(_ problem: StreamProblem?) {
        // Messages that arrived before the end are delivered before it.
        while goesOn, receiver != nil {
            handOver()
            receiver?.transportDidDrainInput()
            goesOn = turn.isFull
        }
        let reason: TransportError.Reason =
            switch problem {
            case nil: .abnormalClose
            case .system(let error): .system(call: error.call, errno: error.errno.rawValue)
            case .tls(let error): .tls(error)
            case .stalled: .timeout(.reading)
            }
        end(.failed(TransportError(reason, place: place)), isGone: true)
    }

    /// Tells the receiver once; the stream writes its last bytes unless the peer is gone.
    private func end(_ close: TransportClose, isGone: Bool = false) {
        guard closed == nil else { return }
        closed = close
        if isGone { stream.close() } else { stream.finish() }
        for timer in [deadlineTimer?.token, idleTimer].compactMap({ $0 }) { loop.cancel(timer) }
        deadlineTimer = nil
        idleTimer = nil
        if case .failed(let error) = close { log.warning("\(error)") }
        let receiver = receiver
        self.receiver = nil
        receiver?.transportDidClose(close)
        didClose()
    }

    // MARK: Time

    /// Keeps one timer, which fires late rather than early: deadlines mostly move forward.
    private func updateDeadline() {
        guard closed == nil, let deadline = connection.deadline else { return }
        if let timer = deadlineTimer {
            guard deadline < timer.deadline else { return }
            loop.cancel(timer.token)
        }
        let token = loop.scheduleHere(at: deadline) { [weak self] in self?.advance() }
        deadlineTimer = (token, deadline)
    }

    private func advance() {
        deadlineTimer = nil
        switch connection.advance(to: loop.now, hasUnreadBytes: stream.hasUnreadBytes) {
        case .noPong: end(.failed(TransportError(.timeout(.pong), place: place)), isGone: true)
        case .noCloseEcho:
            end(.failed(TransportError(.timeout(.closeEcho), place: place)), isGone: true)
        case nil:
            if connection.outputByteCount > 0 { stream.setNeedsFlush() }
            updateDeadline()
        }
    }

    /// Releases buffers when nothing has happened for a few seconds.
    private func watchForIdleness() {
        guard idleTimer == nil, receiver != nil else { return }
        idleTimer = loop.scheduleHere(at: loop.now + .seconds(5)) { [weak self] in
            self?.checkForIdleness()
        }
    }

    private func checkForIdleness() {
        idleTimer = nil
        guard loop.now - lastActivity >= .seconds(3) else { return watchForIdleness() }
        connection.releaseMemory()
        stream.releaseMemory()
    }
}
