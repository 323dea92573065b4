import DivanLog
import DivanPlatform
import DivanWebSocket

/// The server's end of an upgraded connection.
///
/// `@unchecked Sendable` is correct because the channel is used only on `loop`: `start` and `close` switch to it,
/// `send` and `isWritable` are called on it.
public final class WebSocketServerTransport: MessageTransport, @unchecked Sendable {
    /// The peer.
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

    /// The bytes sent and received so far, handshakes included; can be used from any thread.
    public var statistics: TransportStatistics { counter.statistics }

    /// Starts to read; nothing is read earlier.
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

    /// Whether more messages should be queued now.
    public var isWritable: Bool { channel.isWritable }

    /// Starts the closing handshake and closes the connection.
    public func close(code: UInt16, reason: String) {
        onLoop { self.channel.close(code: code, reason: reason) }
    }

    /// Closes the connection without waiting for the peer's answer: nothing more is read, and the peer has
    /// `patience` to read the queued data, which ends with the close code.
    public func drop(code: UInt16, reason: String, within patience: Duration) {
        onLoop { self.channel.drop(code: code, reason: reason, within: patience) }
    }

    /// Pauses reading, so that the peer must wait, or resumes it; call it on the loop.
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
