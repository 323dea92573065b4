public import DivanLog
public import DivanTLS
import DivanWebSocket
import Synchronization

/// Connects to a WebSocket server and sends and receives messages.
///
/// `@unchecked Sendable` is correct because the stored state is either locked or used only on `loop`: `start` and
/// `close` switch to it, `send` and `isWritable` are called on it.
public final class WebSocketClientTransport: MessageTransport, @unchecked Sendable {
    /// The server and the settings of the connection.
    public typealias Configuration = WebSocketClientConfiguration

    private enum State {
        case new
        case opening(ClientOpening)
        case open(WebSocketChannel)
        case closed
    }

    private let configuration: Configuration
    private let epollLoop: EpollLoop
    private let log: Log
    private let counter = ByteCounter()
    private let certificates = Mutex<[TLSCertificate]>([])

    // On the loop:
    private var state = State.new
    private var receiver: (any MessageReceiver)?
    private var connectTimer: TimerToken?
    private var redirectCount = 0

    /// Prepares a connection; `start` opens it.
    ///
    /// The loop must monitor sockets, so it must be an `EpollLoop`.
    public init(
        _ configuration: Configuration,
        loop: EpollLoop = EventLoopGroup.shared.next(),
        log: Log = Log(.webSocket)
    ) {
        self.configuration = configuration
        epollLoop = loop
        self.log = log
    }

    /// The loop on which the receiver is called.
    public var loop: any EventLoop { epollLoop }

    /// The server's latest certificates, leaf first, even if they were rejected; can be used from any thread.
    public var peerCertificates: [TLSCertificate] { certificates.withLock { $0 } }

    /// The bytes sent and received so far; can be used from any thread.
    public var statistics: TransportStatistics { counter.statistics }

    // MARK: MessageTransport

    /// Connects; the result is reported to `receiver`.
    public func start(_ receiver: any MessageReceiver) {
        epollLoop.execute { self.begin(receiver) }
    }

    /// Queues one message; see `MessageTransport.send`.
    public func send(_ message: Span<UInt8>) {
        guard case .open(let channel) = state else { return }
        channel.send(message)
    }

    /// Queues one text message, which must be UTF-8; otherwise like `send`.
    public func sendText(_ message: Span<UInt8>) {
        guard case .open(let channel) = state else { return }
        channel.send(message, isText: true)
    }

    /// Whether more messages should be queued now.
    public var isWritable: Bool {
        if case .open(let channel) = state { channel.isWritable } else { false }
    }

    /// Closes the connection, or cancels opening it.
    public func close(code: UInt16, reason: String) {
        epollLoop.execute {
            switch self.state {
            case .open(let channel): channel.close(code: code, reason: reason)
            case .new: self.state = .closed
            case .opening(let opening):
                opening.cancel()
                self.end(.clean(code: code, reason: reason, isByPeer: false))
            case .closed: break
            }
        }
    }

    /// Pauses reading, so that the peer must wait, or resumes it; call it on the loop.
    public func setReadingPaused(_ isPaused: Bool) {
        if case .open(let channel) = state { channel.setReadingPaused(isPaused) }
    }

    // MARK: Opening

    private func begin(_ receiver: any MessageReceiver) {
        guard case .new = state else {
            // Closed before it was opened: the receiver is told so on `start`.
            let close = TransportClose.clean(code: 1000, reason: "", isByPeer: false)
            if self.receiver == nil { receiver.transportDidClose(close) }
            return
        }
        self.receiver = receiver
        let deadline = epollLoop.now + configuration.limits.connectTimeout
        connectTimer = epollLoop.schedule(at: deadline) { [weak self] in
            guard let self, case .opening(let opening) = state else { return }
            opening.timeOut()
        }
        open(configuration.endpoint)
    }

    private func open(_ endpoint: WebSocketEndpoint) {
        let tls: TLSContext?
        do throws(TLSError) {
            tls = try tlsContext(for: endpoint)
        } catch {
            return fail(.tls(error), at: endpoint)
        }
        do throws(HandshakeError) {
            let opening = try ClientOpening(
                endpoint,
                headers: headers(for: endpoint),
                configuration: configuration,
                tls: tls,
                loop: epollLoop,
                counter: counter
            ) { outcome, certificates in self.didFinish(outcome, certificates, at: endpoint) }
            state = .opening(opening)
            log.verbose("connecting to \(endpoint)")
            opening.start()
        } catch {
            fail(.handshake(error), at: endpoint)
        }
    }

    /// The application's fields except cookies go only to the original host, never from TLS to clear text.
    private func headers(for endpoint: WebSocketEndpoint) -> HTTPHeaders {
        let headers = configuration.headers(endpoint)
        guard !endpoint.maySee(secretsFor: configuration.endpoint) else { return headers }
        var cookies = HTTPHeaders()
        for value in headers.values("Cookie") { cookies.append("Cookie", value) }
        return cookies
    }

    private func tlsContext(for endpoint: WebSocketEndpoint) throws(TLSError) -> TLSContext? {
        guard endpoint.isSecure else { return nil }
        if let context = configuration.tls { return context }
        return try Self.systemRoots.get()
    }

    /// One shared context, because reading the system's roots takes a while.
    private static let systemRoots: Result<TLSContext, TLSError> = {
        do throws(TLSError) {
            return .success(try TLSContext.client(ClientTLSConfiguration(resumesSessions: true)))
        } catch {
            return .failure(error)
        }
    }()

    private func didFinish(
        _ outcome: ClientOpening.Outcome,
        _ presented: [TLSCertificate],
        at endpoint: WebSocketEndpoint
    ) {
        if !presented.isEmpty { certificates.withLock { $0 = presented } }
        switch outcome {
        case .failed(let error): end(.failed(error))
        case .redirected(let location, _): follow(location, from: endpoint)
        case .accepted(let stream, let address, let acceptance):
            let peer = TransportPeer(
                subprotocol: acceptance.subprotocol,
                address: address,
                certificates: presented,
                headers: acceptance.headers,
                isResumed: stream.isResumed
            )
            configuration.onResponse?(endpoint, acceptance.headers)
            didOpen(stream, peer, acceptance.leftover, at: endpoint)
        }
    }

    private func follow(_ location: String, from endpoint: WebSocketEndpoint) {
        redirectCount += 1
        guard redirectCount <= configuration.limits.redirectCount else {
            return fail(.tooManyRedirects(limit: configuration.limits.redirectCount), at: endpoint)
        }
        guard let next = endpoint.redirected(to: location) else {
            return fail(.invalidRedirect(location), at: endpoint)
        }
        log.info("\(endpoint) redirects to \(next)")
        open(next)
    }

    private func didOpen(
        _ stream: ByteStream,
        _ peer: TransportPeer,
        _ leftover: [UInt8],
        at endpoint: WebSocketEndpoint
    ) {
        guard let receiver else { return stream.close() }
        if let connectTimer { epollLoop.cancel(connectTimer) }
        var webSocket = configuration.webSocket
        webSocket.closeTimeout = configuration.limits.closeTimeout
        let channel = WebSocketChannel(
            stream,
            connection: WebSocketConnection(
                role: .client,
                configuration: webSocket,
                now: epollLoop.now
            ),
            place: endpoint.description,
            limits: configuration.limits,
            log: log
        ) { [weak self] in self?.didClose() }
        state = .open(channel)
        channel.start(receiver, peer: peer, leftover: leftover)
    }

    // MARK: Ending

    private func fail(_ reason: TransportError.Reason, at endpoint: WebSocketEndpoint) {
        end(.failed(TransportError(reason, place: endpoint.description)))
    }

    private func end(_ close: TransportClose) {
        let receiver = receiver
        didClose()
        if case .failed(let error) = close { log.warning("\(error)") }
        receiver?.transportDidClose(close)
    }

    private func didClose() {
        state = .closed
        receiver = nil
        if let connectTimer { epollLoop.cancel(connectTimer) }
        connectTimer = nil
    }
}
