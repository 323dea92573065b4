import DivanHTTP
import DivanLog
import DivanPlatform
import DivanTLS

/// One HTTP connection: a byte stream and the requests and answers on it.
///
/// `HTTPServerConnection` knows the protocol; this class moves bytes, holds the current exchange, asks the body's
/// source for pieces as the client takes them, and enforces the time limits. The next request is handled once the
/// client has taken most of the previous answer, so that pipelined requests do not pile up answers. The peer may end
/// its direction and still read our answer; a body that has no end of its own ends then, too. On its loop only; its
/// shard keeps it until it ends.
final class HTTPChannel: ByteStreamOwner {
    private let stream: ByteStream
    /// The peer's address, or the address of the client for which a trusted proxy made the latest request.
    private(set) var client: SocketAddress
    private let address: SocketAddress
    private let proxies: TrustedProxies
    private let isSecure: Bool
    private let limits: HTTPLimits
    private let transport: TransportLimits
    private let room: BodyMemoryBudget
    private let log: Log
    private let onRequest: @Sendable (HTTPExchange) -> Void
    private let didEnd: () -> Void

    private var connection: HTTPServerConnection
    private var work = Work.none
    private var departure: DisconnectSignal?  // of the client whose request is at hand
    private var timer: TimerToken?
    private var heldByteCount = 0  // of the body at hand, or of a long answer, taken from the room
    private var hasPeerEnded = false
    private var isSpent = false  // the peer has ended, and all that it asked before is answered
    private var isEnded = false
    private var keeps: (@Sendable () -> Bool)?  // the latest request's `keepConnection`
    private var lastReceipt: Duration

    /// What the connection is doing.
    private enum Work {
        case none
        /// The server's owner is deciding about a request.
        case deciding
        /// A body is arriving; whoever decides waits for it.
        case reading(@Sendable (Result<[UInt8], HTTPError>) -> Void)
        /// An answer is being read from its source; `isAsked` while a piece is pending.
        case answering(any HTTPBodySource, isAsked: Bool)
        /// The answer is complete, and the client is taking it.
        case draining
    }

    init(
        _ stream: ByteStream,
        address: SocketAddress,
        isSecure: Bool,
        configuration: HTTPServerConfiguration,
        room: BodyMemoryBudget,
        log: Log,
        onRequest: @escaping @Sendable (HTTPExchange) -> Void,
        didEnd: @escaping () -> Void
    ) {
        self.stream = stream
        self.address = address
        client = address
        proxies = configuration.trustedProxies
        self.isSecure = isSecure
        self.room = room
        self.log = log
        self.onRequest = onRequest
        self.didEnd = didEnd
        limits = configuration.limits
        transport = configuration.transport
        connection = HTTPServerConnection(limits: configuration.limits)
        lastReceipt = stream.loop.now
    }

    func start() {
        watch(limits.headTimeout)
        stream.owner = self
        stream.start()
    }

    /// Whether no request is in progress, and none has begun to arrive.
    private var isIdle: Bool { isWaiting && connection.isIdle }

    /// Whether no complete request has arrived.
    private var isWaiting: Bool {
        if case .none = work { true } else { false }
    }

    /// How much is lost if the connection is closed: nothing, half a request, what the client takes its time with, or
    /// the server's own work.
    var busyness: Int {
        switch work {
        case .none: connection.isIdle ? 0 : 1
        case .reading, .answering, .draining: 2
        case .deciding: 3
        }
    }

    /// When the client last sent or took anything.
    var lastProgress: Duration { max(lastReceipt, stream.stall.lastProgress) }

    /// Whether the latest request's client may keep the connection.
    var isWelcome: Bool { keeps?() ?? true }

    /// Closes the connection at once.
    func close() {
        stream.close()
        end()
    }

    // MARK: ByteStreamOwner

    func streamDidOpen() {}

    func streamDidReceive(_ bytes: Span<UInt8>) {
        let wasIdle = isIdle
        lastReceipt = stream.loop.now
        connection.receive(bytes)
        proceed()
        // Empty lines do not start a request, and do not keep a connection open.
        if wasIdle, !isEnded, isWaiting, !connection.isIdle { watch(limits.headTimeout) }
    }

    func streamDidDrainInput() {}

    func streamWillWrite(to output: inout [UInt8]) {}

    func streamDidDrainOutput() {
        askForPiece()
        guard case .draining = work else { return }
        settle()
        if !isEnded { proceed() }
    }

    func streamDidEnd(_ problem: StreamProblem?) {
        if case .tls(let error) = problem {
            log.warning("\(address: address): \(error.description)")
        }
        hasPeerEnded = true
        switch work {
        // A peer that has ended its direction may still read: it gets the answers to its pipelined requests.
        case .none where problem == nil: endBehindAnswers()
        case .deciding where problem == nil, .draining where problem == nil: break
        case .answering(let source, _) where problem == nil && !source.isEndless: break
        case .none, .deciding, .reading, .answering, .draining: finish()
        }
    }

    // MARK: Requests

    private func proceed() {
        switch work {
        case .none: readRequest()
        case .reading(let completion):
            readBody(completion)
            // The rest of the body will never come.
            if hasPeerEnded, case .reading = work { finish() }
        case .deciding, .answering, .draining: break
        }
        guard !isEnded else { return }
        let mayRead = if case .reading = work { true } else { isWaitingForMore }
        stream.setReadingPaused(!mayRead)
    }

    private var isWaitingForMore: Bool {
        isWaiting || connection.waitingByteCount < limits.waitingByteCount
    }

    private func readRequest() {
        do throws(HTTPError) {
            guard let request = try connection.nextRequest() else {
                if hasPeerEnded { endBehindAnswers() }
                return
            }
            work = .deciding
            unwatch()
            onRequest(exchange(for: request))
        } catch {
            log.warning("\(address: address): \(error)")
            stream.write(connection.refusal(error, headers: AnswerDate.adding(to: HTTPHeaders())))
            finish()
        }
    }

    private func exchange(for request: HTTPRequest) -> HTTPExchange {
        let loop = stream.loop
        let asked = LoopBound({ [weak self] demand in self?.serve(demand) }, to: loop)
        client = proxies.client(at: address, request.headers)
        let exchange = HTTPExchange(
            request,
            address: client,
            certificates: stream.peerCertificates,
            isSecure: isSecure,
            loop: loop
        ) { demand in loop.execute { asked.value(demand) } }
        departure = exchange.departure
        return exchange
    }

    private func serve(_ demand: HTTPExchange.Demand) {
        guard !isEnded else { return }
        switch demand {
        case .body(let limit, let completion):
            guard case .deciding = work else { return }
            do throws(HTTPError) {
                stream.write(try connection.readBody(byteLimit: limit))
                work = .reading(completion)
                watch(limits.bodyTimeout)
                proceed()
            } catch {
                completion(.failure(error))
            }
        case .keep(let isWelcome):
            keeps = isWelcome
            if !isWelcome() { close() }
        case .answer(let response):
            switch work {
            case .deciding, .reading: begin(response)
            case .none, .answering, .draining: break
            }
        }
    }

    private func readBody(_ completion: @Sendable (Result<[UInt8], HTTPError>) -> Void) {
        do throws(HTTPError) {
            guard let body = try connection.nextBody() else {
                return try hold(connection.bodyByteCount)
            }
            try hold(body.count)
            work = .deciding
            unwatch()
            completion(.success(body))
        } catch {
            work = .deciding
            unwatch()
            completion(.failure(error))
        }
    }

    /// Takes room for the current body, and keeps it until the answer begins.
    private func hold(_ byteCount: Int) throws(HTTPError) {
        guard byteCount > heldByteCount else { return }
        guard room.take(byteCount - heldByteCount, for: party) else {
            throw HTTPError(503, "the server is overloaded; try again later")
        }
        heldByteCount = byteCount
    }

    private func letGo() {
        room.giveBack(heldByteCount, for: party)
        if heldByteCount > BufferedResponseBody.wholeByteCount { FreeMemory.releaseSoon() }
        heldByteCount = 0
    }

    /// The party charged for its bodies; none for a proxy on this machine, which represents many.
    private var party: SocketAddress.Origin? {
        transport.sparesLoopback && client.isLoopback ? nil : client.origin
    }

    // MARK: Answers

    private func begin(_ response: HTTPResponse) {
        unwatch()
        letGo()
        departure = nil
        var response = admit(response)
        response.headers = AnswerDate.adding(to: response.headers)
        stream.write(connection.begin(response))
        switch response.body {
        case .bytes(let bytes) where heldByteCount > 0 && connection.sendsBody:
            work = .answering(BufferedResponseBody(bytes), isAsked: false)
            askForPiece()
        case .bytes(let bytes):
            stream.write(connection.send(bytes))
            endAnswer()
        case .pieces(let source, _) where !connection.sendsBody:
            source.cancel()
            endAnswer()
        case .pieces(let source, _):
            work = .answering(source, isAsked: false)
            guard !hasPeerEnded || !source.isEndless else { return finish() }
            askForPiece()
        }
        if !isEnded { proceed() }
    }

    /// Takes room for an answer that is long; without room, another is sent in its place.
    private func admit(_ response: HTTPResponse) -> HTTPResponse {
        guard case .bytes(let bytes) = response.body,
            bytes.count > BufferedResponseBody.wholeByteCount
        else { return response }
        do throws(HTTPError) {
            try hold(room.share(of: bytes.count))
            return response
        } catch {
            log.warning("\(address: address): \(error)")
            let text = Array("\(error)\n".utf8)
            return HTTPResponse(status: error.status, contentType: "text/plain", text)
        }
    }

    /// Asks for the next piece unless one is pending, or the client is not taking what it has.
    private func askForPiece() {
        guard case .answering(let source, isAsked: false) = work,
            stream.queuedByteCount <= transport.lowWaterByteCount
        else { return }
        work = .answering(source, isAsked: true)
        let loop = stream.loop
        let answered = LoopBound({ [weak self] piece in self?.send(piece) }, to: loop)
        source.next { piece in loop.execute { answered.value(piece) } }
    }

    private func send(_ piece: HTTPBodyPiece) {
        guard !isEnded, case .answering(let source, isAsked: true) = work else { return }
        switch piece {
        case .bytes(let bytes):
            work = .answering(source, isAsked: false)
            stream.write(connection.send(bytes))
            // After this turn's write, which shows how much the client has taken.
            stream.loop.executeHere { [weak self] in self?.askForPiece() }
        case .end:
            work = .deciding
            endAnswer()
            if !isEnded { proceed() }
        case .failed:
            work = .deciding
            stream.abort()
            end()
        }
    }

    private func endAnswer() {
        letGo()
        stream.write(connection.end())
        work = .draining
        settle()
    }

    /// Continues with the next request once the client has taken most of the answer, or ends the connection once it has
    /// taken all; the stream gives up on a client that takes nothing.
    private func settle() {
        let isLast = connection.isClosed || isSpent || (hasPeerEnded && connection.isIdle)
        guard stream.unsentByteCount <= (isLast ? 0 : transport.lowWaterByteCount) else { return }
        work = .none
        guard !isLast else { return finish() }
        if connection.isIdle { stream.releaseMemory(above: BufferedResponseBody.pieceByteCount) }
        watch(connection.isIdle ? limits.idleTimeout : limits.headTimeout)
    }

    // MARK: The end

    /// The peer sends no more requests: ends the connection once it has taken all answers.
    private func endBehindAnswers() {
        unwatch()
        isSpent = true
        work = .draining
        settle()
    }

    /// Ends the connection after the queued bytes are written.
    private func finish() {
        stream.finish()
        end()
    }

    private func end() {
        guard !isEnded else { return }
        isEnded = true
        unwatch()
        letGo()
        if case .answering(let source, _) = work { source.cancel() }
        work = .none
        departure?.note()
        didEnd()
    }

    private func watch(_ patience: Duration) {
        unwatch()
        timer = stream.loop.scheduleHere(at: stream.loop.now + patience) { [weak self] in
            self?.giveUp()
        }
    }

    private func unwatch() {
        if let timer { stream.loop.cancel(timer) }
        timer = nil
    }

    private func giveUp() {
        timer = nil
        if !isIdle {
            let error = HTTPError(408, "the request timed out; send it again")
            log.warning("\(address: address): \(error)")
            stream.write(connection.refusal(error, headers: AnswerDate.adding(to: HTTPHeaders())))
        }
        finish()
    }
}
