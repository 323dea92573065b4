/// A client's request, as received by a server.
public struct HandshakeRequest: Sendable, Equatable {
    /// The HTTP method; an upgrade is a `GET`.
    public let method: String
    /// The path as sent, with its percent-encoding, beginning with a slash.
    public let path: String
    /// The part after the question mark.
    public let query: String?
    /// The header fields.
    public let headers: HTTPHeaders
    /// The subprotocols offered, in the client's order of preference.
    public let subprotocols: [String]
    /// The reason why this request cannot be upgraded, independent of its path; `nil` for a valid upgrade.
    public let defect: HandshakeError?

    init(_ head: HTTPHead) throws(HandshakeError.Reason) {
        // By bytes: Swift treats a blank followed by an accent as one character; HTTP does not.
        let parts = head.startLine.utf8
            .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map(Substring.init)
        guard parts.count == 3, parts[2] == "HTTP/1.1" else { throw .head(.line(1)) }
        method = String(parts[0])
        let target = try Self.target(parts[1])
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = String(target[..<(mark ?? target.endIndex)])
        query = mark.map { String(target[target.utf8.index(after: $0)...]) }
        headers = head.headers
        subprotocols = headers.elements("Sec-WebSocket-Protocol")
        guard !Self.hasBody(headers) else { throw .body }
        defect = Self.defect(method: method, headers).map { HandshakeError(reason: $0) }
    }

    /// The first subprotocol of the client's list that `supported` contains.
    ///
    /// The client's order decides, as with Sync Gateway.
    public func firstSubprotocol(of supported: [String]) -> String? {
        subprotocols.first { supported.contains($0) }
    }

    /// The response that upgrades the connection.
    ///
    /// - Parameters:
    ///   - subprotocol: One of `subprotocols`; `nil` omits the header.
    ///   - further: Further header fields, such as `Set-Cookie`.
    /// - Returns: The bytes to write; frames follow.
    /// - Throws: `HandshakeError` if the request has a `defect`, or a field cannot be sent.
    public func accept(
        subprotocol: String?,
        headers further: HTTPHeaders = [:]
    ) throws(HandshakeError) -> [UInt8] {
        if let defect { throw defect }
        var answer: HTTPHeaders = [
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Accept": HandshakeKey.accept(headers["Sec-WebSocket-Key"] ?? ""),
        ]
        if let subprotocol { answer.append("Sec-WebSocket-Protocol", subprotocol) }
        for field in further.fields { answer.append(field.name, field.value) }
        try answer.checkSendable()
        return answer.head(startLine: "HTTP/1.1 101 Upgraded")
    }

    /// Path and query; the scheme and host of the absolute form, which clients send to proxies, are dropped.
    private static func target(_ text: Substring) throws(HandshakeError.Reason) -> Substring {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .head(.line(1)) }
        let schemes = ["http", "https", "ws", "wss"]
        guard let target = HTTPTarget.originForm(text, schemes: schemes) else {
            throw .head(.line(1))
        }
        return target
    }

    /// Whether a body follows, or might: ambiguity here permits request smuggling.
    private static func hasBody(_ headers: HTTPHeaders) -> Bool {
        headers["Transfer-Encoding"] != nil
            || headers.values("Content-Length").contains { $0 != "0" }
    }

    private static func defect(method: String, _ headers: HTTPHeaders) -> HandshakeError.Reason? {
        guard method == "GET" else { return .method(method) }
        let asksUpgrade =
            headers.elements("Connection").contains { $0.isEqualIgnoringCase("upgrade") }
            && headers.elements("Upgrade").contains { $0.isEqualIgnoringCase("websocket") }
        guard asksUpgrade else { return .noUpgrade }
        let version = headers["Sec-WebSocket-Version"]
        guard version == "13" else { return .version(version) }
        let key = headers["Sec-WebSocket-Key"]
        guard headers.values("Sec-WebSocket-Key").count == 1, let key, HandshakeKey.isValid(key)
        else {
            return .header(name: "Sec-WebSocket-Key", value: key, expected: "16 bytes in Base64")
        }
        return nil
    }
}
