/// The reason why an opening handshake failed, on a client or server, and the remedy.
public struct HandshakeError: Error, Equatable {
    /// The violated rule, with the values.
    public enum Reason: Error, Equatable {
        /// The headers cannot be parsed; their limits are in `WebSocketLimits`.
        case head(HTTPHeadError)
        /// The connection ended within the headers.
        case ended
        /// The response has a success status other than 101.
        case status(Int)
        /// A proxy's response to CONNECT has a status below 200.
        case proxyStatus(Int)
        /// Bytes follow a proxy's response, although nothing was sent through the tunnel.
        case early(count: Int)
        /// A header of the upgrade is missing or differs from `expected`.
        case header(name: String, value: String?, expected: String)
        /// The server chose a subprotocol that was not offered.
        case subprotocol(String)
        /// The server chose no subprotocol although some were offered.
        case noSubprotocol(offered: [String])
        /// The request is not a GET.
        case method(String)
        /// The request does not request an upgrade to WebSocket.
        case noUpgrade
        /// The request has a WebSocket version other than 13.
        case version(String?)
        /// The request has a body, or contradictory headers about a body.
        case body
        /// A header contains a line break, or cannot be set by the caller.
        case unsendable(field: String)
    }

    /// What went wrong.
    public let reason: Reason

    /// Creates an error.
    public init(reason: Reason) {
        self.reason = reason
    }

    /// The HTTP status of the server's response (RFC 9110 §15).
    public var status: Int {
        switch reason {
        case .head(let error): HTTPError(error).status
        case .method: 405
        case .noUpgrade: 426
        default: 400
        }
    }

    /// The code in the WebSocket error domain that a client reports.
    ///
    /// Source: `tls-and-auth.md` §6.
    public var code: Int {
        switch reason {
        case .head(.tlsRecord), .ended: 1006
        case .status, .proxyStatus, .header, .noSubprotocol: 1002
        case .subprotocol: 403
        case .head(let error): HTTPError(error).status
        default: 400
        }
    }
}

extension HandshakeError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        "WebSocket handshake: \(reason.problem); \(reason.remedy)"
    }
}

extension HandshakeError.Reason {
    fileprivate var problem: String {
        switch self {
        case .head(.tlsRecord): "the peer uses TLS, but this connection does not"
        case .head(.notHTTP(let start)): "the peer does not use HTTP (received \(quoted(start)))"
        case .head(.line(let number)): "line \(number) of the headers is malformed"
        case .head(.head(let limit)): "the headers exceed \(limit) bytes"
        case .head(.lineLength(let limit)): "a header line exceeds \(limit) bytes"
        case .head(.headerCount(let limit)): "more than \(limit) headers"
        case .ended: "the peer closed the connection before the headers were complete"
        case .status(let status):
            "the server did not accept the WebSocket upgrade (HTTP \(status))"
        case .proxyStatus(let status): "the proxy refused the connection (HTTP \(status))"
        case .early(let count): "received \(count) unexpected bytes through the proxy"
        case .header(let name, let value?, let expected):
            "\(name) is \(quoted(value)), expected \(quoted(expected))"
        case .header(let name, nil, _): "\(name) is missing"
        case .subprotocol(let name):
            "the server chose \(quoted(name)), which the client did not offer"
        case .noSubprotocol(let offered):
            "the server supports none of \(offered.joined(separator: ", "))"
        case .method(let method): "the request method is \(quoted(method)), expected GET"
        case .noUpgrade: "the request is not a WebSocket upgrade"
        case .version(let version?): "unsupported version \(quoted(version))"
        case .version(nil): "Sec-WebSocket-Version is missing"
        case .body: "the request has a body"
        case .unsendable(let field): "invalid header \(quoted(field))"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .head(.tlsRecord): "use a wss URL, or turn off TLS on the peer"
        case .head(.notHTTP): "check the host and port"
        case .head(.head), .head(.lineLength), .head(.headerCount):
            "send fewer or shorter headers and cookies, or raise the WebSocketLimits"
        case .head(.line): "check for a proxy that rewrites headers"
        case .ended: "check the host and port, and use a wss URL if the peer uses TLS"
        case .status, .header:
            "check that the URL is a sync endpoint and that proxies allow WebSocket connections"
        case .proxyStatus, .early: "check the host and port of the proxy, or use another proxy"
        case .subprotocol, .noSubprotocol:
            "check that both sides use the same version of the sync protocol"
        case .method, .noUpgrade, .body: "connect with a WebSocket client"
        case .version: "use version 13"
        case .unsendable:
            "remove line breaks, control characters and headers that belong to the upgrade"
        }
    }
}

/// Text from outside, safe to print: control characters replaced, and truncated.
private func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(64).map { scalar in
        scalar.properties.generalCategory == .control ? "." : String(scalar)
    }
    return "'\(shown.joined())'"
}
