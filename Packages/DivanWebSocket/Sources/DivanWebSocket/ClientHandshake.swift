public import DivanCrypto

/// The client's half of the opening handshake.
///
/// Write `request()`, then call `receive(_:)` and `next()` alternately.
///
/// Source: RFC 6455 §4.1; `websocket-and-urls.md` §2, with its order of headers.
public struct ClientHandshake: Sendable {
    /// The server's answer.
    public enum Outcome: Equatable, Sendable {
        /// The connection is now a WebSocket connection.
        case accepted(Acceptance)
        /// The server refused.
        case refused(Refusal)
        /// The server redirected to another URL; `headers` can set cookies.
        case redirected(status: Int, location: String, headers: HTTPHeaders)
    }

    /// An upgraded connection.
    public struct Acceptance: Equatable, Sendable {
        /// The offered subprotocol that the server chose; `nil` if none was offered.
        public let subprotocol: String?
        /// The header fields of the response.
        public let headers: HTTPHeaders
        /// Bytes after the headers: the first frames.
        public let leftover: [UInt8]
    }

    /// A refused upgrade.
    public struct Refusal: Equatable, Sendable {
        /// The HTTP status, 300 to 599.
        public let status: Int
        /// The server's explanation: `reason` of a JSON body, a text body, or the status line's text.
        public let explanation: String
        /// The header fields of the response.
        public let headers: HTTPHeaders
    }

    /// The parts of the request.
    public struct Request: Sendable {
        /// The value of the Host header: a name or address, with a port unless it is 80 or 443.
        public var host: String
        /// Path and query, beginning with a slash.
        public var target: String
        /// Subprotocols, in order of preference.
        public var subprotocols: [String]
        /// The value of the User-Agent header; a field of `headers` with that name takes precedence.
        public var userAgent: String
        /// Authorization, Cookie and further header fields; several cookies are joined into one line.
        public var headers: HTTPHeaders

        /// Creates a request.
        public init(
            host: String,
            target: String,
            subprotocols: [String],
            userAgent: String = "Divan",
            headers: HTTPHeaders = [:]
        ) {
            self.host = host
            self.target = target
            self.subprotocols = subprotocols
            self.userAgent = userAgent
            self.headers = headers
        }
    }

    private let bytes: [UInt8]
    private let acceptKey: String
    private let subprotocols: [String]
    private var answer: HandshakeAnswer

    /// Prepares a request.
    ///
    /// - Parameters:
    ///   - request: The parts of the request.
    ///   - key: 16 random bytes, new for each connection.
    ///   - limits: The limits for the response headers.
    /// - Throws: `HandshakeError` with `unsendable` if a part contains a line break or is a header that the upgrade
    ///   itself sets.
    public init(
        _ request: Request,
        key: [UInt8],
        limits: WebSocketLimits = WebSocketLimits()
    ) throws(HandshakeError) {
        let key = Base64.encode(key.span)
        bytes = try request.bytes(key: key)
        acceptKey = HandshakeKey.accept(key)
        subprotocols = request.subprotocols
        answer = HandshakeAnswer(limits: limits)
    }

    /// Prepares a request with a key from `random`.
    ///
    /// - Throws: As the other initializer.
    public init(
        _ request: Request,
        limits: WebSocketLimits = WebSocketLimits(),
        random: any RandomSource = SystemRandomSource()
    ) throws(HandshakeError) {
        try self.init(request, key: random.bytes(16), limits: limits)
    }

    /// The bytes to write.
    public func request() -> [UInt8] { bytes }

    /// Appends bytes from the transport.
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
        do {
            guard let head = try answer.next() else { return nil }
            return try outcome(of: head)
        } catch {
            throw HandshakeError(reason: error)
        }
    }

    private mutating func outcome(
        of head: HandshakeAnswer.Head
    ) throws(HandshakeError.Reason) -> Outcome {
        let headers = head.headers
        switch head.status {
        case 101:
            let subprotocol = try check(headers)
            return .accepted(
                Acceptance(
                    subprotocol: subprotocol,
                    headers: headers,
                    leftover: answer.takeLeftover()
                )
            )
        case 301, 302, 305, 307:
            guard let location = headers["Location"] else { break }
            return .redirected(status: head.status, location: location, headers: headers)
        case 300...599: break
        default: throw .status(head.status)
        }
        return .refused(
            Refusal(status: head.status, explanation: head.explanation, headers: headers)
        )
    }

    private func check(_ headers: HTTPHeaders) throws(HandshakeError.Reason) -> String? {
        try check(headers.elements("Connection"), "Connection", contains: "upgrade")
        try check(headers.elements("Upgrade"), "Upgrade", contains: "websocket")
        let accept = headers["Sec-WebSocket-Accept"]
        guard accept == acceptKey else {
            throw .header(name: "Sec-WebSocket-Accept", value: accept, expected: acceptKey)
        }
        if let extensions = headers["Sec-WebSocket-Extensions"] {
            throw .header(name: "Sec-WebSocket-Extensions", value: extensions, expected: "none")
        }
        guard let chosen = headers["Sec-WebSocket-Protocol"] else {
            guard subprotocols.isEmpty else { throw .noSubprotocol(offered: subprotocols) }
            return nil
        }
        guard subprotocols.contains(chosen) else { throw .subprotocol(chosen) }
        return chosen
    }

    private func check(
        _ elements: [String],
        _ name: String,
        contains expected: String
    ) throws(HandshakeError.Reason) {
        guard elements.contains(where: { $0.isEqualIgnoringCase(expected) }) else {
            throw .header(name: name, value: elements.first, expected: expected)
        }
    }
}

extension ClientHandshake.Request {
    /// The request's bytes, in the order of the protocol sheet.
    fileprivate func bytes(key: String) throws(HandshakeError) -> [UInt8] {
        let lines = HTTPHeaders(
            [("Host", host)]
                + (headers["User-Agent"] == nil ? [("User-Agent", userAgent)] : [])
                + joinedCookies
                + [
                    ("Connection", "Upgrade"),
                    ("Upgrade", "websocket"),
                    ("Sec-WebSocket-Version", "13"),
                    ("Sec-WebSocket-Key", key),
                ]
                + (subprotocols.isEmpty
                    ? [] : [("Sec-WebSocket-Protocol", subprotocols.joined(separator: ","))])
        )
        try lines.checkSendable()
        try check()
        return lines.head(startLine: "GET \(target) HTTP/1.1")
    }

    private func check() throws(HandshakeError) {
        let isTarget = target.hasPrefix("/") && target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isTarget else { throw HandshakeError(reason: .unsendable(field: "path")) }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw HandshakeError(reason: .unsendable(field: "Host"))
        }
        for name in subprotocols where name.isEmpty || !name.utf8.allSatisfy(\.isHTTPTokenByte) {
            throw HandshakeError(reason: .unsendable(field: "Sec-WebSocket-Protocol"))
        }
        for field in headers.fields where Self.setsField(field.name) {
            throw HandshakeError(reason: .unsendable(field: field.name))
        }
    }

    /// Whether the handshake sets a header field itself; such a field is rejected in `headers`.
    public static func setsField(_ name: String) -> Bool {
        let own = ["Host", "Connection", "Upgrade", "Content-Length", "Transfer-Encoding"]
        return own.contains { $0.isEqualIgnoringCase(name) }
            || name.prefix(14).isEqualIgnoringCase("Sec-WebSocket-")
    }

    /// The caller's fields with one Cookie line, at the position of the first.
    private var joinedCookies: [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        var hasCookie = false
        for field in headers.fields {
            if !field.name.isEqualIgnoringCase("Cookie") {
                pairs.append((field.name, field.value))
            } else if !hasCookie {
                pairs.append((field.name, headers.values("Cookie").joined(separator: "; ")))
                hasCookie = true
            }
        }
        return pairs
    }
}
