/// A response: status, header fields, and a body that is in memory or produced in pieces.
public struct HTTPResponse: Sendable {
    /// The source of the body.
    public enum Body: Sendable {
        /// A body in memory.
        case bytes([UInt8])
        /// A body in pieces, requested as the client reads them; `byteCount` is its length if known.
        case pieces(any HTTPBodySource, byteCount: Int?)
    }

    /// The status, 200 to 599.
    public var status: Int
    /// The header fields; the connection adds the fields that determine the end of the body.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Body

    /// Creates a response.
    public init(status: Int, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response with a body in memory.
    public init(status: Int = 200, contentType: String, headers: HTTPHeaders = [:], _ body: [UInt8])
    {
        var headers = headers
        headers.append("Content-Type", contentType)
        self.init(status: status, headers: headers, body: .bytes(body))
    }

    /// The reason phrase of a status (RFC 9110 §15).
    public static func phrase(_ status: Int) -> String {
        phrases[status] ?? "Status \(status)"
    }

    private static let phrases = [
        100: "Continue", 200: "OK", 201: "Created", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
        412: "Precondition Failed", 413: "Content Too Large", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 421: "Misdirected Request", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
        507: "Insufficient Storage",
    ]
}

/// A body that is produced while it is sent, so that it is never entirely in memory.
///
/// A connection requests one piece at a time, and the next when the client has read most of the previous pieces.
/// Nothing is requested after `cancel`.
public protocol HTTPBodySource: AnyObject, Sendable {
    /// Requests the next piece; call `answer` once, now or later, on any thread.
    ///
    /// Called on the connection's loop, so it must not block: read on another thread.
    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void)

    /// Called if the connection ends before the body, or if the response is sent without body, as for `HEAD`; a
    /// request for a piece can still be pending.
    func cancel()

    /// Whether the body waits for data that may never arrive, as in a feed; it then ends when the client closes its
    /// sending side.
    var isEndless: Bool { get }
}

extension HTTPBodySource {
    /// False: the body ends by itself.
    public var isEndless: Bool { false }
}

/// A piece from an `HTTPBodySource`.
public enum HTTPBodyPiece: Equatable, Sendable {
    /// The next bytes; if empty, nothing is sent, and the next piece is requested.
    case bytes([UInt8])
    /// The body is complete.
    case end
    /// The rest is unavailable: the connection is aborted, so that the client does not treat the body as complete.
    case failed
}
