import DivanPlatform
import DivanTLS
import DivanWebSocket

/// One attempt to open a WebSocket: name, TCP, proxy, TLS and the HTTP request, in this order.
///
/// On the loop only; kept alive by its owner until it has reported.
final class ClientOpening: ByteStreamOwner {
    /// The result of an attempt.
    enum Outcome {
        case accepted(ByteStream, SocketAddress, ClientHandshake.Acceptance)
        case redirected(location: String, headers: HTTPHeaders)
        case failed(TransportError)
    }

    private let endpoint: WebSocketEndpoint
    private let configuration: WebSocketClientConfiguration
    private let loop: EpollLoop
    private let counter: ByteCounter
    private var handshake: ClientHandshake
    private var tunnel: ProxyHandshake?  // until the proxy has answered
    private let tls: TLSContext?
    private var connector: TCPConnector?
    private var stream: ByteStream?
    private var address: SocketAddress?
    private var hasAnswered = false  // any byte came behind TLS
    private let departure = DisconnectSignal()  // of whoever waits for the name's addresses
    private var completion: ((Outcome, [TLSCertificate]) -> Void)?

    /// Prepares an attempt.
    ///
    /// - Throws: If the request cannot be built.
    init(
        _ endpoint: WebSocketEndpoint,
        headers: HTTPHeaders,
        configuration: WebSocketClientConfiguration,
        tls: TLSContext?,
        loop: EpollLoop,
        counter: ByteCounter,
        _ completion: @escaping (Outcome, [TLSCertificate]) -> Void
    ) throws(HandshakeError) {
        self.endpoint = endpoint
        self.configuration = configuration
        self.tls = tls
        self.loop = loop
        self.counter = counter
        self.completion = completion
        tunnel = try configuration.proxy.map { proxy throws(HandshakeError) in
            try ProxyHandshake(
                proxy,
                to: endpoint,
                userAgent: configuration.userAgent,
                limits: configuration.webSocket.limits
            )
        }
        handshake = try ClientHandshake(
            ClientHandshake.Request(
                host: endpoint.hostHeader,
                target: endpoint.target,
                subprotocols: configuration.subprotocols,
                userAgent: configuration.userAgent,
                headers: headers
            ),
            limits: configuration.webSocket.limits
        )
    }

    func start() {
        let loop = loop
        let found = LoopBound({ [weak self] outcome in self?.didFind(outcome) }, to: loop)
        let (name, port) = (configuration.proxy?.host ?? endpoint.lookupName, nextPort)
        NameLookup.shared.find(name, port: port, unlessGone: departure) { outcome in
            loop.execute { found.value(outcome) }
        }
    }

    private var nextPort: UInt16 { configuration.proxy?.port ?? endpoint.port }

    /// Gives up without a report.
    func cancel() {
        completion = nil
        departure.note()
        connector?.cancel()
        stream?.close()
    }

    /// Reports the time-out, unless a refusal has arrived whose body never ended: then reports the refusal.
    func timeOut() {
        if tunnel != nil {
            tunnel?.receiveEnd()
            if let outcome = try? tunnel?.next() { return didReachProxy(outcome) }
        } else if hasAnswered {
            handshake.receiveEnd()
            // A redirect would start a new attempt without a time limit.
            if let outcome = try? handshake.next(), case .refused = outcome {
                return report(outcome)
            }
        }
        fail(.timeout(.connection))
    }

    // MARK: Name and TCP

    private func didFind(_ outcome: NameLookup.Outcome) {
        guard completion != nil else { return }
        switch outcome {
        case .unknownHost: fail(.unknownHost(configuration.proxy?.host ?? endpoint.host))
        case .failed(let error): fail(.nameLookup(code: error.code))
        case .addresses(let addresses): connect(addresses)
        }
    }

    private func connect(_ addresses: [SocketAddress]) {
        var source: [SocketAddress] = []
        if let interface = configuration.networkInterface {
            source = NetworkInterface.addresses(of: interface)
            guard !source.isEmpty else { return fail(.unknownInterface(interface)) }
        }
        let connector = TCPConnector(
            addresses,
            from: source,
            attemptDelay: configuration.limits.attemptDelay,
            loop: loop
        ) { [weak self] result in self?.didConnect(result) }
        self.connector = connector
        connector.start()
    }

    private func didConnect(_ result: Result<(Socket, SocketAddress), SystemError>) {
        connector = nil
        switch result {
        case .failure(let error): fail(.system(call: error.call, errno: error.errno.rawValue))
        case .success(let (socket, address)):
            self.address = address
            do {
                open(socket, tunnel == nil ? try makeSession() : nil)
            } catch {
                socket.close()
                fail(.tls(error))
            }
        }
    }

    private func makeSession() throws(TLSError) -> TLSSession? {
        try tls.map { context throws(TLSError) in
            let (host, port) = (endpoint.host, endpoint.port)
            return try TLSSession(
                context,
                serverName: endpoint.certificateName,
                resuming: configuration.resumptions?.take(for: context, host: host, port: port)
            )
        }
    }

    private func open(_ socket: Socket, _ session: TLSSession?) {
        socket.prepareForMessages(stallTimeout: configuration.limits.stallTimeout)
        let stream = ByteStream(
            socket,
            tls: session,
            loop: loop,
            limits: configuration.limits,
            counter: counter
        )
        self.stream = stream
        if let tls, let cache = configuration.resumptions {
            let (host, port) = (endpoint.host, endpoint.port)
            stream.keepResumption = { cache.keep($0, for: tls, host: host, port: port) }
        }
        stream.owner = self
        stream.start()
    }

    // MARK: Proxy

    private func advanceTunnel() {
        do throws(HandshakeError) {
            guard let outcome = try tunnel?.next() else { return }
            didReachProxy(outcome)
        } catch {
            fail(.handshake(error))
        }
    }

    private func didReachProxy(_ outcome: ProxyHandshake.Outcome) {
        switch outcome {
        case .refused(let refusal):
            fail(
                .refused(
                    status: refusal.status,
                    explanation: refusal.explanation,
                    headers: refusal.headers
                )
            )
        case .connected:
            tunnel = nil
            do throws(TLSError) {
                guard let session = try makeSession() else { return streamDidOpen() }
                stream?.startTLS(session)
            } catch {
                fail(.tls(error))
            }
        }
    }

    // MARK: TLS and HTTP

    func streamDidOpen() {
        stream?.write(tunnel?.request() ?? handshake.request())
    }

    func streamWillWrite(to output: inout [UInt8]) {}

    func streamDidReceive(_ bytes: Span<UInt8>) {
        guard tunnel == nil else {
            tunnel?.receive(bytes)
            return advanceTunnel()
        }
        hasAnswered = true
        handshake.receive(bytes)
        advance()
    }

    func streamDidDrainInput() {}

    func streamDidDrainOutput() {}

    func streamDidEnd(_ problem: StreamProblem?) {
        switch problem {
        case .tls(let error): fail(.tls(error))
        case .system(let error) where !hasAnswered:
            fail(.system(call: error.call, errno: error.errno.rawValue))
        case nil, .system, .stalled:
            guard tunnel == nil else {
                tunnel?.receiveEnd()
                return advanceTunnel()
            }
            handshake.receiveEnd()
            advance()
        }
    }

    private func advance() {
        do throws(HandshakeError) {
            guard let outcome = try handshake.next() else { return }
            report(outcome)
        } catch {
            fail(.handshake(error))
        }
    }

    private func report(_ outcome: ClientHandshake.Outcome) {
        switch outcome {
        case .accepted(let acceptance):
            guard let stream, let address else { return }
            // From here on the stream belongs to the receiver of the report.
            self.stream = nil
            finish(.accepted(stream, address, acceptance), stream.peerCertificates)
        case .refused(let refusal):
            configuration.onResponse?(endpoint, refusal.headers)
            fail(
                .refused(
                    status: refusal.status,
                    explanation: refusal.explanation,
                    headers: refusal.headers
                )
            )
        case .redirected(_, let location, let headers):
            configuration.onResponse?(endpoint, headers)
            finish(.redirected(location: location, headers: headers), [])
        }
    }

    private func fail(_ reason: TransportError.Reason) {
        let certificates = stream?.peerCertificates ?? []
        // Until the tunnel is open, every problem is one with the proxy.
        let place = [tunnel == nil ? nil : configuration.proxy?.description, endpoint.description]
            .compactMap { $0 }.joined(separator: " to ")
        finish(.failed(TransportError(reason, place: place)), certificates)
    }

    private func finish(_ outcome: Outcome, _ certificates: [TLSCertificate]) {
        departure.note()
        connector?.cancel()
        stream?.finish()
        stream = nil
        let completion = completion
        self.completion = nil
        completion?(outcome, certificates)
    }
}
