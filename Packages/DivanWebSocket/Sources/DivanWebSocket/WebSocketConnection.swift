public import DivanCrypto

/// An open WebSocket connection without its socket: bytes in, messages out, and the reverse.
///
/// Call `receive(_:at:)`, then `next()` until it returns `nil`; then write the bytes from `appendOutput(to:)`.
/// Answering pings, joining fragments and the closing handshake are automatic. The owner manages time: it waits
/// until `deadline` and calls `advance(to:)`. Memory stays below one message plus one frame plus the queued output.
///
/// Source: RFC 6455 §5 to §7; `websocket-and-urls.md` §4.
public struct WebSocketConnection: Sendable {
    /// An action of the peer.
    public enum Event: Equatable, Sendable {
        /// A complete message; the slice shares the connection's memory, so release it before the next call.
        case message(ArraySlice<UInt8>, isText: Bool)
        /// The peer answered a ping, or sent an unsolicited pong.
        case pong
        /// Both CLOSE frames were exchanged: write the rest of the output, then close the TCP connection.
        case closed(CloseStatus)
    }

    /// The reason why the peer is considered dead.
    public enum Expiry: Equatable, Sendable {
        /// Nothing arrived after a ping.
        case noPong
        /// The local CLOSE frame was not answered.
        case noCloseEcho
    }

    /// The settings of a connection.
    public struct Configuration: Sendable {
        /// The limits on the memory that the peer can use.
        public var limits: WebSocketLimits
        /// The time without received bytes after which a ping is sent, one second or more; `nil` sends no pings.
        public var heartbeatInterval: Duration?
        /// The time in which the peer must answer a CLOSE frame.
        public var closeTimeout: Duration
        /// Whether text messages are delivered; otherwise they end the connection with 1003.
        public var acceptsText: Bool

        /// Creates a configuration; the defaults are those of Couchbase Lite.
        public init(
            limits: WebSocketLimits = WebSocketLimits(),
            heartbeatInterval: Duration? = .seconds(300),
            closeTimeout: Duration = .seconds(5),
            acceptsText: Bool = false
        ) {
            self.limits = limits
            self.heartbeatInterval = heartbeatInterval
            self.closeTimeout = closeTimeout
            self.acceptsText = acceptsText
        }
    }

    private let configuration: Configuration
    private var state = ClosingHandshake.open
    private var decoder: FrameDecoder
    private var messages: MessageAssembler
    private var encoder: FrameEncoder
    private var heartbeat: Heartbeat?
    private var output: [UInt8] = []
    private var queuedPongCount = 0
    private var latestPing: [UInt8]?  // answered when the output is taken; see `queuedPongCount`

    /// Creates the side with `role`, at the time `now` of the completed handshake.
    ///
    /// A client gets its masking keys from `random`.
    public init(
        role: Role,
        configuration: Configuration = Configuration(),
        random: any RandomSource = SystemRandomSource(),
        now: Duration
    ) {
        self.configuration = configuration
        decoder = FrameDecoder(sender: role.peer, limits: configuration.limits)
        messages = MessageAssembler(
            limits: configuration.limits,
            acceptsText: configuration.acceptsText
        )
        encoder = FrameEncoder(role: role, random: random)
        heartbeat = configuration.heartbeatInterval.map { Heartbeat(interval: $0, now: now) }
    }

    /// Whether messages can still be sent: neither side has closed the connection.
    public var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    // MARK: In

    /// Appends bytes from the transport, which also show that the peer is alive.
    public mutating func receive(_ bytes: Span<UInt8>, at now: Duration) {
        heartbeat?.heard(at: now)
        if case .closed = state { return }  // data after the peer's CLOSE is ignored
        decoder.receive(bytes)
    }

    /// Returns the next event, or `nil` if more bytes are needed.
    ///
    /// - Throws: `FrameError` if the peer violated the protocol; a CLOSE frame with its code is already in the output.
    ///   Every later call throws the same error.
    public mutating func next() throws(FrameError) -> Event? {
        if case .failed(let error) = state { throw error }
        do {
            while !isClosed, let frame = try decoder.next() {
                if let event = try handle(frame) { return event }
            }
            if configuration.acceptsText { try preview() }
            return nil
        } catch {
            let payload = CloseStatus.payload(code: error.closeCode, reason: "")
            handle(.ruleBroken(error), saying: payload)
            throw error
        }
    }

    /// Validates the text of an incomplete frame: invalid text is reported at once.
    private mutating func preview() throws(FrameError) {
        guard !isClosed, let preview = decoder.takePreview() else { return }
        do {
            try messages.preview(preview)
        } catch {
            throw FrameError(reason: error, frameOffset: decoder.unreadOffset)
        }
    }

    private var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    private mutating func handle(_ frame: Frame) throws(FrameError) -> Event? {
        do {
            switch frame.opcode {
            case .ping: answer(frame.payload)
            case .pong: return .pong
            case .close: return .closed(try acceptClose(frame.payload))
            case .text, .binary, .continuation:
                guard let message = try messages.receive(frame), isOpen else { return nil }
                return .message(message.payload, isText: message.isText)
            }
            return nil
        } catch {
            throw FrameError(reason: error, frameOffset: decoder.frameOffset)
        }
    }

    private mutating func acceptClose(
        _ payload: ArraySlice<UInt8>
    ) throws(FrameError.Reason) -> CloseStatus {
        let status = try CloseStatus(payload: payload, isByPeer: isOpen)
        handle(.closeReceived, saying: Array(payload))
        return status
    }

    /// Advances the state; a CLOSE frame that follows has this payload.
    private mutating func handle(_ event: ClosingHandshake.Event, saying payload: [UInt8]) {
        if state.handle(event).contains(.sendClose) { write(.close, payload) }
    }

    /// Answers each of a few pings; in a flood only the latest, to limit the queued bytes.
    private mutating func answer(_ ping: ArraySlice<UInt8>) {
        guard isOpen else { return }
        if queuedPongCount < configuration.limits.queuedPongCount {
            queuedPongCount += 1
            write(.pong, Array(ping))
        } else {
            latestPing = Array(ping)
        }
    }

    // MARK: Out

    /// Queues one message; a connection that is not open discards it.
    public mutating func send(_ message: Span<UInt8>, isText: Bool = false) {
        guard isOpen else { return }
        encoder.encode(isText ? .text : .binary, payload: message, appendingTo: &output)
    }

    /// Starts the closing handshake; the peer has `Configuration.closeTimeout` to answer.
    ///
    /// - Parameters:
    ///   - code: A valid code (RFC 6455 §7.4); with any other code the frame is empty.
    ///   - reason: A message for logs; truncated to 123 bytes.
    ///   - now: The time at which the wait for the answer starts.
    public mutating func close(code: UInt16, reason: String = "", at now: Duration) {
        let deadline = now + configuration.closeTimeout
        let payload = CloseStatus.payload(code: code, reason: reason)
        handle(.closeAsked(deadline: deadline), saying: payload)
    }

    /// Bytes waiting to be written, except for a pong that a flood delayed.
    public var outputByteCount: Int { output.count }

    /// `isOpen` and `outputByteCount` in one call.
    public var outlet: (isOpen: Bool, byteCount: Int) { (isOpen, outputByteCount) }

    /// Appends all bytes that must be written to `target`.
    public mutating func appendOutput(to target: inout [UInt8]) {
        if let ping = latestPing, isOpen { write(.pong, ping) }
        latestPing = nil
        queuedPongCount = 0
        if target.isEmpty {
            swap(&output, &target)
        } else {
            target += output
            output.removeAll(keepingCapacity: true)
        }
    }

    /// Returns all bytes that must be written.
    public mutating func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        appendOutput(to: &taken)
        return taken
    }

    /// Releases empty buffers; call it when the connection is idle.
    public mutating func releaseMemory() {
        decoder.releaseMemory()
        if output.isEmpty { output = [] }
    }

    private mutating func write(_ opcode: Opcode, _ payload: [UInt8]) {
        encoder.encode(opcode, payload: payload.span, appendingTo: &output)
    }

    // MARK: Time

    /// The time at which `advance(to:)` must be called; it changes when bytes arrive.
    public var deadline: Duration? {
        switch state {
        case .open: heartbeat?.deadline
        case .closing(let deadline): deadline
        case .closed, .failed: nil
        }
    }

    /// Performs the action that is due at `now`: queues a ping, or reports that the peer does not respond.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - hasUnreadBytes: Whether received bytes have not been read yet, which shows that the peer is alive;
    ///     evaluated only if required.
    /// - Returns: The reason why the peer is considered dead; `nil` if it is not.
    public mutating func advance(
        to now: Duration,
        hasUnreadBytes: @autoclosure () -> Bool = false
    ) -> Expiry? {
        switch state {
        case .open:
            switch heartbeat?.advance(to: now, hasUnreadBytes: hasUnreadBytes()) {
            case .sendPing:
                write(.ping, [])
                return nil
            case .giveUp: return .noPong
            case nil: return nil
            }
        case .closing(let deadline): return now >= deadline ? .noCloseEcho : nil
        case .closed, .failed: return nil
        }
    }
}
