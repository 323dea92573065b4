import DivanLog
import DivanWebSocket

/// The server's end of an upgraded connection.
///
/// `@unchecked Sendable` holds because the channel is touched only on `loop`: `start` and `close` hop there, `send` and
/// `isWritable` are called there.
public final class WebSocketServerTransport: MessageTransport, @unchecked Sendable {
    /// Who is at the other end.
    public let peer: TransportPeer

    private let channel: WebSocketChannel
    private let counter: ByteCounter
    private let end: ChannelEnd
    private var leftover: [UInt8]?  // `nil` once started

    init(
        _ stream: ByteStream,
        peer: TransportPeer,
        leftover: [UInt8],
        webSocket: WebSocketConnection.Configuration,
        limits: TransportLimits,
        log: Log
    ) {
        self.peer = peer
        self.leftover = leftover
        counter = stream.counter
        let end = ChannelEnd()
        self.end = end
        var webSocket = webSocket
        webSocket.closeTimeout = limits.closeTimeout
        channel = WebSocketChannel(
            stream,
            connection: WebSocketConnection(
                role: .server,
                configuration: webSocket,
                now: stream.loop.now
            ),
            place: peer.address?.description ?? "client",
            limits: limits,
            log: log
        ) { end.report() }
    }

    /// The loop on which the receiver is called.
    public var loop: any EventLoop { channel.loop }

    /// Bytes on the wire so far, handshakes included; from any thread.
    public var statistics: TransportStatistics { counter.statistics }

    /// Starts to read; nothing is read before.
    public func start(_ receiver: any MessageReceiver) {
        onLoop {
            guard let leftover = self.leftover else { return }
            self.leftover = nil
            self.channel.start(receiver, peer: self.peer, leftover: leftover)
        }
    }

    /// Queues one message; see `MessageTransport.send`.
    public func send(_ message: Span<UInt8>) {
        channel.send(message)
    }

    /// Queues one text message, which must be UTF-8; otherwise like `send`.
    public func sendText(_ message: Span<UInt8>) {
        channel.send(message, isText: true)
    }

    /// Whether more should be queued now.
    public var isWritable: Bool { channel.isWritable }

    /// Starts the closing handshake and ends the connection.
    public func close(code: UInt16, reason: String) {
        onLoop { self.channel.close(code: code, reason: reason) }
    }

    /// Ends the connection without waiting for the peer's answer: nothing more is read, and the peer has `patience` to
    /// take what is queued, with the close code as the last of it.
    public func drop(code: UInt16, reason: String, within patience: Duration) {
        onLoop { self.channel.drop(code: code, reason: reason, within: patience) }
    }

    /// Pauses reading, so that the peer has to wait, or resumes it; on the loop.
    public func setReadingPaused(_ isPaused: Bool) {
        channel.setReadingPaused(isPaused)
    }

    /// Runs `work` when the connection has ended; on the loop.
    func whenEnded(_ work: @escaping () -> Void) {
        end.work = work
    }

    private func onLoop(_ work: @escaping @Sendable () -> Void) {
        if channel.loop.isCurrent { work() } else { channel.loop.execute(work) }
    }
}

/// Passes the end of a channel on to its observer; on the loop.
private final class ChannelEnd {
    var work: (() -> Void)?

    func report() {
        let work = work
        self.work = nil
        work?()
    }
}
