/// A validated request without its body; the end of the body is unambiguous.
public struct HTTPRequest: Equatable, Sendable {
    /// The way in which the end of a body is determined (RFC 9112 §6).
    public enum Framing: Equatable, Sendable {
        /// There is no body.
        case none
        /// A fixed number of bytes follows.
        case length(Int)
        /// Chunks follow.
        case chunked
    }

    /// The method, such as `GET`.
    public let method: String
    /// The requested resource.
    public let target: HTTPTarget
    /// The header fields; a target in absolute form determines `Host`, whatever the client sent (RFC 9112 §3.2.2).
    public let headers: HTTPHeaders
    /// The way in which the body ends.
    public let framing: Framing
    /// Whether the client uses HTTP/1.1 and therefore supports chunks.
    public let knowsChunks: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    public let expectsContinue: Bool
    /// Whether the client wants to reuse the connection afterwards.
    public let keepsAlive: Bool

    /// Validates a head.
    ///
    /// - Throws: `HTTPError` for input that two implementations could interpret as different requests.
    public init(_ head: HTTPHead) throws(HTTPError) {
        let parts = head.startLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].utf8.allSatisfy(\.isHTTPTokenByte)
        else { throw HTTPError(HTTPHeadError.line(1)) }
        guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else {
            throw HTTPError(505, "only HTTP/1.1 and HTTP/1.0 are supported")
        }
        method = String(parts[0])
        target = try HTTPTarget(parts[1])
        var headers = head.headers
        knowsChunks = parts[2] == "HTTP/1.1"
        let hosts = headers.values("Host")
        guard hosts.count == 1 || (hosts.isEmpty && !knowsChunks) else {
            throw HTTPError(400, "a request must have exactly one Host header")
        }
        if let authority = HTTPTarget.authority(of: parts[1]) {
            headers.remove("Host")
            headers.append("Host", authority)
        }
        self.headers = headers
        framing = try Self.framing(headers, knowsChunks: knowsChunks)
        expectsContinue =
            framing != .none && knowsChunks
            && headers.elements("Expect").contains { $0.isEqualIgnoringCase("100-continue") }
        let options = headers.elements("Connection")
        keepsAlive =
            knowsChunks
            ? !options.contains { $0.isEqualIgnoringCase("close") }
            : options.contains { $0.isEqualIgnoringCase("keep-alive") }
    }

    private static func framing(
        _ headers: HTTPHeaders,
        knowsChunks: Bool
    ) throws(HTTPError) -> Framing {
        let codings = headers.values("Transfer-Encoding")
        let lengths = headers.values("Content-Length")
        if !codings.isEmpty {
            guard lengths.isEmpty, knowsChunks else {
                throw HTTPError(400, "use Content-Length or Transfer-Encoding, not both")
            }
            guard codings.count == 1, codings[0].isEqualIgnoringCase("chunked") else {
                throw HTTPError(501, "unsupported transfer coding; use chunked")
            }
            return .chunked
        }
        guard let text = lengths.first else { return .none }
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard lengths.count == 1, isNumber else {
            throw HTTPError(400, "Content-Length is not a number")
        }
        // Few enough digits that the number cannot overflow.
        guard text.utf8.count <= 18, let length = Int(text) else {
            throw HTTPError(413, "the announced body is too large; send less at a time")
        }
        return length == 0 ? .none : .length(length)
    }
}
