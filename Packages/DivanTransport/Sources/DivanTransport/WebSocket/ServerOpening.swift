import DivanLog
import DivanTLS
import DivanWebSocket

/// An accepted connection until the decision about its upgrade: TLS and the HTTP request.
///
/// On its loop only; its shard keeps it until it reports.
final class ServerOpening: ByteStreamOwner {
    private let stream: ByteStream
    private let address: SocketAddress
    private let isSecure: Bool
    private let configuration: WebSocketServerConfiguration
    /// Counts the connection in the server's limit if there is room.
    private let reserve: () -> Bool
    private let log: Log
    private let onRequest: @Sendable (UpgradeRequest) -> Void
    private let didFinish: (WebSocketServerTransport?) -> Void

    private var handshake: ServerHandshake
    private var request: HandshakeRequest?
    private var departure: DisconnectSignal?
    private var timer: TimerToken?
    private var isDone = false

    init(
        _ stream: ByteStream,
        address: SocketAddress,
        isSecure: Bool,
        configuration: WebSocketServerConfiguration,
        reserve: @escaping () -> Bool,
        log: Log,
        onRequest: @escaping @Sendable (UpgradeRequest) -> Void,
        didFinish: @escaping (WebSocketServerTransport?) -> Void
    ) {
        self.stream = stream
        self.address = address
        self.isSecure = isSecure
        self.configuration = configuration
        self.reserve = reserve
        self.log = log
        self.onRequest = onRequest
        self.didFinish = didFinish
        handshake = ServerHandshake(limits: configuration.webSocket.limits)
    }

    func start() {
        let deadline = stream.loop.now + configuration.limits.handshakeTimeout
        timer = stream.loop.scheduleHere(at: deadline) { [weak self] in
            self?.giveUp("timed out waiting for a request")
        }
        stream.owner = self
        stream.start()
    }

    /// Drops the connection.
    func giveUp(_ problem: String) {
        guard !isDone else { return }
        log.warning("\(address: address): dropped, \(problem)")
        stream.close()
        finish(nil)
    }

    // MARK: ByteStreamOwner

    func streamDidOpen() {}

    func streamDidReceive(_ bytes: Span<UInt8>) {
        handshake.receive(bytes)
        // Before the decision the peer has nothing to send, but it may leave: so its end is read.
        guard request == nil else { return stream.setReadingPaused(true) }
        do throws(HandshakeError) {
            guard let request = try handshake.next() else { return }
            self.request = request
            ask(request)
        } catch {
            log.warning("\(address: address): \(error)")
            refuse(HandshakeRefusal(error))
        }
    }

    func streamDidDrainInput() {}

    func streamWillWrite(to output: inout [UInt8]) {}

    func streamDidDrainOutput() {}

    func streamDidEnd(_ problem: StreamProblem?) {
        if case .tls(let error) = problem {
            log.warning("\(address: address): \(error.description)")
        }
        stream.finish()  // an alert may still be on its way out
        finish(nil)
    }

    // MARK: Decision

    private func ask(_ request: HandshakeRequest) {
        let loop = stream.loop
        if let timer { loop.cancel(timer) }
        timer = loop.scheduleHere(at: loop.now + configuration.limits.decisionTimeout) {
            [weak self] in
            self?.refuseLate()
        }
        let decided = LoopBound({ [weak self] answer in self?.decide(answer) }, to: loop)
        let question = UpgradeRequest(
            request,
            address: configuration.trustedProxies.client(at: address, request.headers),
            certificates: stream.peerCertificates,
            isSecure: isSecure,
            loop: loop
        ) { answer in loop.execute { decided.value(answer) } }
        departure = question.departure
        onRequest(question)
    }

    private func decide(_ answer: UpgradeRequest.Answer) {
        guard !isDone, let request else { return }
        switch answer {
        case .refuse(let refusal): refuse(refusal)
        case .accept(let subprotocol, let headers, let onOpen):
            do throws(HandshakeError) {
                let bytes = try request.accept(
                    subprotocol: subprotocol,
                    headers: AnswerDate.adding(to: headers)
                )
                guard reserve() else { return refuseCrowd() }
                stream.write(bytes)
                accept(request, subprotocol: subprotocol, onOpen)
            } catch {
                log.warning("\(address: address): \(error)")
                refuse(HandshakeRefusal(error))
            }
        }
    }

    private func accept(
        _ request: HandshakeRequest,
        subprotocol: String?,
        _ onOpen: @Sendable (WebSocketServerTransport) -> Void
    ) {
        stream.setReadingPaused(true)  // until the transport starts
        let transport = WebSocketServerTransport(
            stream,
            peer: TransportPeer(
                subprotocol: subprotocol,
                address: address,
                certificates: stream.peerCertificates,
                headers: request.headers,
                isResumed: stream.isResumed
            ),
            leftover: handshake.takeLeftover(),
            webSocket: configuration.webSocket,
            limits: configuration.limits,
            log: log
        )
        finish(transport)
        onOpen(transport)
    }

    /// The limit was reached while this request was being decided.
    private func refuseCrowd() {
        refuse("too many connections", "the server has too many connections")
    }

    /// The application did not decide in time.
    private func refuseLate() {
        guard !isDone else { return }
        refuse("the application did not decide in time", "the server could not decide in time")
    }

    private func refuse(_ problem: String, _ explanation: String) {
        log.warning("\(address: address): refused, \(problem)")
        refuse(HandshakeRefusal(status: 503, explanation: "\(explanation); try again later"))
    }

    private func refuse(_ refusal: HandshakeRefusal) {
        var refusal = refusal
        refusal.headers = AnswerDate.adding(to: refusal.headers)
        do throws(HandshakeError) {
            stream.write(try refusal.bytes())
        } catch {
            log.error("\(address: address): \(error)")
        }
        stream.finish()
        finish(nil)
    }

    private func finish(_ transport: WebSocketServerTransport?) {
        guard !isDone else { return }
        isDone = true
        if let timer { stream.loop.cancel(timer) }
        timer = nil
        departure?.note()
        didFinish(transport)
    }
}
