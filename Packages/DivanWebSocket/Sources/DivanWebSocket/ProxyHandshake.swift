import DivanCrypto

/// Requests a tunnel to an endpoint from an HTTP proxy.
///
/// Write `request()`, then call `receive(_:)` and `next()` alternately. Once connected, the connection leads to the
/// endpoint: TLS and `ClientHandshake` follow as on a direct connection.
///
/// Source: RFC 9110 §9.3.6 (CONNECT), §11.7 (credentials); `websocket-and-urls.md` §3.
public struct ProxyHandshake: Sendable {
    /// The proxy's answer.
    public enum Outcome: Equatable, Sendable {
        /// The tunnel is open; nothing has been received through it yet.
        case connected
        /// The proxy refused: 407 means that it requires a user name and password, or that they are wrong.
        case refused(ClientHandshake.Refusal)
    }

    private let bytes: [UInt8]
    private var answer: HandshakeAnswer

    /// Prepares a request.
    ///
    /// Credentials are sent with the first request.
    ///
    /// - Throws: `HandshakeError` with `unsendable` if a part contains a line break, or a user name contains a colon.
    public init(
        _ proxy: HTTPProxy,
        to endpoint: WebSocketEndpoint,
        userAgent: String = "Divan",
        limits: WebSocketLimits = WebSocketLimits()
    ) throws(HandshakeError) {
        let target = "\(endpoint.bracketedHost):\(endpoint.port)"
        guard !endpoint.host.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw HandshakeError(reason: .unsendable(field: "Host"))
        }
        var headers: HTTPHeaders = ["Host": target, "User-Agent": userAgent]
        if let authorization = try proxy.authorization {
            headers.append("Proxy-Authorization", authorization)
        }
        try headers.checkSendable()
        bytes = headers.head(startLine: "CONNECT \(target) HTTP/1.1")
        answer = HandshakeAnswer(limits: limits)
    }

    /// The bytes to write.
    public func request() -> [UInt8] { bytes }

    /// Appends bytes from the proxy.
    public mutating func receive(_ bytes: Span<UInt8>) {
        answer.receive(bytes)
    }

    /// Records that no more bytes will arrive, so that a refusal without a length is known to be complete.
    public mutating func receiveEnd() {
        answer.hasEnded = true
    }

    /// Returns the outcome when the response is complete; do not call it again after that.
    ///
    /// - Throws: `HandshakeError`; every later call throws the same error: close the connection.
    public mutating func next() throws(HandshakeError) -> Outcome? {
        do throws(HandshakeError.Reason) {
            guard let head = try answer.next() else { return nil }
            switch head.status {
            case 200...299:
                // In a tunnel the client sends first, with or without TLS.
                let early = answer.takeLeftover()
                guard early.isEmpty else { throw .early(count: early.count) }
                return .connected
            case 300...599:
                return .refused(
                    ClientHandshake.Refusal(
                        status: head.status,
                        explanation: head.explanation,
                        headers: head.headers
                    )
                )
            default: throw .proxyStatus(head.status)
            }
        } catch {
            throw HandshakeError(reason: error)
        }
    }
}

extension HTTPProxy {
    /// The value of Proxy-Authorization (RFC 7617 §2).
    fileprivate var authorization: String? {
        get throws(HandshakeError) {
            guard let username else { return nil }
            let text = Array("\(username):\(password)".utf8)
            guard !username.utf8.contains(UInt8(ascii: ":")),
                !text.contains(where: \.breaksHTTPLine)
            else { throw HandshakeError(reason: .unsendable(field: "Proxy-Authorization")) }
            return "Basic \(Base64.encode(text.span))"
        }
    }
}
