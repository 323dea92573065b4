/// An answer: status, fields, and a body that is in memory or arrives piece by piece.
public struct HTTPResponse: Sendable {
    /// Where the body comes from.
    public enum Body: Sendable {
        /// In memory.
        case bytes([UInt8])
        /// Requested piece by piece as the client takes it; `byteCount` is its length if known.
        case pieces(any HTTPBodySource, byteCount: Int?)
    }

    /// The status, 200 to 599.
    public var status: Int
    /// Further fields; the connection adds those that say how the body ends.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Body

    /// Creates an answer.
    public init(status: Int, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates an answer whose body is in memory.
    public init(status: Int = 200, contentType: String, headers: HTTPHeaders = [:], _ body: [UInt8])
    {
        var headers = headers
        headers.append("Content-Type", contentType)
        self.init(status: status, headers: headers, body: .bytes(body))
    }

    /// The reason phrase of a status (RFC 9110 §15).
    static func phrase(_ status: Int) -> String {
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

/// A body that is produced while it is sent, so that it is never in memory as a whole.
///
/// A connection asks for one piece at a time, and for the next when the client has taken most of the previous ones.
/// Nothing is requested after `cancel`.
public protocol HTTPBodySource: AnyObject, Sendable {
    /// Requests the next piece; call `answer` once, now or later, on any thread.
    ///
    /// Called on the connection's loop, so it must not block: read on a thread of your own.
    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void)

    /// The connection ended before the body did, or the answer is sent without it, as to `HEAD`; a request for a piece
    /// may still be pending.
    func cancel()

    /// Whether it waits for data that may never come, as a feed does: it ends when the client ends its direction, which
    /// a client that disconnects does, too.
    var isEndless: Bool { get }
}

extension HTTPBodySource {
    /// It ends by itself.
    public var isEndless: Bool { false }
}

/// An answer of an `HTTPBodySource`.
public enum HTTPBodyPiece: Equatable, Sendable {
    /// The next bytes; if empty, nothing is sent, and the next piece is requested.
    case bytes([UInt8])
    /// The body is complete.
    case end
    /// The rest is unavailable: the connection is cut, so that the client does not take the body for complete.
    case failed
}
