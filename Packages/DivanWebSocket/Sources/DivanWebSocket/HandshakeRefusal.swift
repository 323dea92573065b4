/// A server's response that ends a request without an upgrade.
///
/// Source: RFC 9110 §15; `websocket-and-urls.md` §2.
public struct HandshakeRefusal: Sendable, Equatable {
    /// The HTTP status, 300 to 599.
    public var status: Int
    /// Further header fields, such as `WWW-Authenticate`.
    public var headers: HTTPHeaders
    /// A sentence for the user of the client, sent as plain text.
    public var explanation: String

    /// Creates a refusal.
    public init(status: Int, headers: HTTPHeaders = [:], explanation: String = "") {
        self.status = status
        self.headers = headers
        self.explanation = explanation
    }

    /// Creates the refusal for an invalid request.
    public init(_ error: HandshakeError) {
        self.init(status: error.status, explanation: error.description)
        switch error.reason {
        case .method: headers.append("Allow", "GET")
        case .noUpgrade: headers.append("Upgrade", "websocket")
        case .version: headers.append("Sec-WebSocket-Version", "13")
        default: break
        }
    }

    /// The complete response; the connection is closed after it.
    ///
    /// - Throws: `HandshakeError` if a header field cannot be sent.
    public func bytes() throws(HandshakeError) -> [UInt8] {
        try headers.checkSendable()
        var all = headers
        let body = explanation.isEmpty ? [] : Array("\(explanation)\n".utf8)
        if !body.isEmpty { all.append("Content-Type", "text/plain; charset=utf-8") }
        all.append("Content-Length", String(body.count))
        all.append("Connection", "close")
        let startLine = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "Refused")"
        return all.head(startLine: startLine) + body
    }

    private static let phrases = [
        301: "Moved Permanently",
        302: "Found",
        307: "Temporary Redirect",
        400: "Bad Request",
        401: "Unauthorized",
        403: "Forbidden",
        404: "Not Found",
        405: "Method Not Allowed",
        408: "Request Timeout",
        426: "Upgrade Required",
        429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        500: "Internal Server Error",
        503: "Service Unavailable",
    ]
}
