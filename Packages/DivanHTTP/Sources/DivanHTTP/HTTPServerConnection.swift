/// The server's side of one HTTP/1.1 connection, without I/O: bytes in, requests out; responses in, bytes out.
///
/// One request is processed at a time. A connection waits for a request's headers (`idle`) and returns them
/// (`asked`); its owner can first read the body (`reading`, then `asked` again); then the response is sent
/// (`answering`), and the connection waits again or is closed (`closed`). Pipelined requests wait; the owner stops
/// reading at `HTTPLimits.waitingByteCount`. Each byte is processed once. A body that was not requested is not
/// read: the connection is closed after the response, so that its bytes are never interpreted as a request.
///
/// Source: RFC 9112 §2 to §9.
public struct HTTPServerConnection: Sendable {
    private enum State {
        case idle(HTTPHeadReader)
        case asked(HTTPRequest, isBodyRead: Bool)
        case reading(HTTPRequest, HTTPBodyReader)
        case answering(HTTPAnswerFraming, keepsAlive: Bool)
        case closed
    }

    private let limits: HTTPLimits
    private var state: State
    private var input: [UInt8] = []
    private var position = 0

    /// Creates a connection that waits for its first request.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        state = .idle(HTTPHeadReader(limits: limits.head))
    }

    /// The received bytes that have not been processed.
    public var waitingByteCount: Int { input.count - position }

    /// The number of bytes of an incomplete body.
    public var bodyByteCount: Int {
        if case .reading(_, let body) = state { body.byteCount } else { 0 }
    }

    /// Whether no part of a next request has arrived.
    public var isIdle: Bool {
        if case .idle(let reader) = state {
            // A carriage return may be half of an empty line, which begins no request.
            !reader.hasBegun && (waitingByteCount == 0 || isWaitingForLineFeed)
        } else {
            false
        }
    }

    private var isWaitingForLineFeed: Bool {
        waitingByteCount == 1 && input.last == UInt8(ascii: "\r")
    }

    /// Whether the connection must be closed after all bytes are written.
    public var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Appends bytes from the transport.
    public mutating func receive(_ bytes: Span<UInt8>) {
        if position == input.count {
            input.removeAll(keepingCapacity: input.capacity <= limits.waitingByteCount)
            position = 0
        } else if position > limits.waitingByteCount {
            // With a client that always pipelines, the input is never empty.
            input.removeFirst(position)
            position = 0
        }
        bytes.withUnsafeBufferPointer { input.append(contentsOf: $0) }
    }

    // MARK: Requests

    /// The next request when its headers are complete; `nil` if bytes or a response are missing.
    ///
    /// - Throws: `HTTPError`; send `refusal(_:)` and close the connection.
    public mutating func nextRequest() throws(HTTPError) -> HTTPRequest? {
        guard case .idle(var reader) = state else { return nil }
        state = .closed  // the reader is not shared while it changes, and after a throw this holds
        while position < input.count {
            // Empty lines before a request are ignored (RFC 9112 §2.2).
            if !reader.hasBegun, input[position] == UInt8(ascii: "\r") {
                guard position + 1 < input.count else { break }
                if input[position + 1] == UInt8(ascii: "\n") {
                    position += 2
                    continue
                }
            }
            // A line at a time: bytes after the head stay here.
            let end = input[position...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
            let line = input[position..<(end ?? input.count)]
            position += line.count
            reader.receive(line.span)
            let head: HTTPHead?
            do throws(HTTPHeadError) { head = try reader.next() } catch { throw HTTPError(error) }
            guard let head else { continue }
            let request = try HTTPRequest(head)
            state = .asked(request, isBodyRead: request.framing == .none)
            return request
        }
        state = .idle(reader)
        return nil
    }

    /// Requests the body of the current request, once.
    ///
    /// - Parameter byteLimit: The maximum size in bytes; `nil` means `HTTPLimits.bodyByteCount`.
    /// - Returns: The bytes to send to a client that waits for `100 Continue`.
    /// - Throws: `HTTPError` 413; send it as the response.
    public mutating func readBody(byteLimit: Int? = nil) throws(HTTPError) -> [UInt8] {
        guard case .asked(let request, let isBodyRead) = state,
            !isBodyRead || request.framing == .none
        else { return [] }
        let body = try HTTPBodyReader(
            request.framing,
            byteLimit: byteLimit ?? limits.bodyByteCount,
            limits: limits
        )
        state = .reading(request, body)
        guard request.expectsContinue, waitingByteCount == 0 else { return [] }
        return HTTPHeaders().head(startLine: "HTTP/1.1 100 Continue")
    }

    /// The body when it is complete; `nil` if bytes are missing.
    ///
    /// - Throws: `HTTPError`; send it as the response, after which the connection is closed.
    public mutating func nextBody() throws(HTTPError) -> [UInt8]? {
        guard case .reading(let request, var body) = state else { return nil }
        state = .asked(request, isBodyRead: false)
        position += try body.receive(input[position...])
        guard let complete = body.complete else {
            state = .reading(request, body)
            return nil
        }
        state = .asked(request, isBodyRead: true)
        return complete
    }

    // MARK: Answers

    /// Begins the response to the current request; a response without a request is not sent.
    ///
    /// - Parameter response: Only the length of its `body` is used: send the bytes with `send`. If its fields
    ///   contain `Connection: close`, the connection is closed after it.
    /// - Returns: The status line and header fields to write.
    public mutating func begin(_ response: HTTPResponse) -> [UInt8] {
        let (request, isBodyRead): (HTTPRequest, Bool)
        switch state {
        case .asked(let asked, let isRead): (request, isBodyRead) = (asked, isRead)
        case .reading(let asked, _): (request, isBodyRead) = (asked, false)
        case .idle, .answering, .closed: return []
        }
        let framing = HTTPAnswerFraming(of: response, to: request)
        let isLast = response.headers.elements("Connection").contains {
            $0.isEqualIgnoringCase("close")
        }
        let keepsAlive = request.keepsAlive && isBodyRead && framing != .close && !isLast
        state = .answering(framing, keepsAlive: keepsAlive)
        // HTTP/1.1 keeps the connection unless told otherwise; HTTP/1.0 ends it.
        let option = keepsAlive ? (request.knowsChunks ? nil : "keep-alive") : "close"
        return Self.head(response, framing, isTo: request.method, connection: option)
    }

    /// Whether the current response is sent with its body; false for `HEAD`.
    public var sendsBody: Bool {
        if case .answering(.nothing, _) = state { false } else { true }
    }

    /// The bytes to write for a piece of the body.
    public mutating func send(_ piece: [UInt8]) -> [UInt8] {
        guard case .answering(var framing, let keepsAlive) = state else { return [] }
        let bytes = framing.frame(piece)
        state = .answering(framing, keepsAlive: keepsAlive)
        return bytes
    }

    /// Ends the response; the connection waits for the next request, or `isClosed`.
    ///
    /// - Returns: The bytes to write.
    public mutating func end() -> [UInt8] {
        guard case .answering(let framing, let keepsAlive) = state else { return [] }
        // A body that is shorter than announced ends with the connection.
        let isWhole = framing.isComplete
        state = keepsAlive && isWhole ? .idle(HTTPHeadReader(limits: limits.head)) : .closed
        return framing.end
    }

    /// The complete response to an invalid request; the connection is closed after it.
    ///
    /// `headers` are additional header fields.
    public mutating func refusal(_ error: HTTPError, headers: HTTPHeaders = [:]) -> [UInt8] {
        state = .closed
        let response = HTTPResponse(
            status: error.status,
            contentType: "text/plain; charset=utf-8",
            headers: headers,
            Array("\(error.explanation)\n".utf8)
        )
        guard case .bytes(let body) = response.body else { return [] }
        return Self.head(response, .length(rest: body.count), isTo: "", connection: "close") + body
    }

    private static func head(
        _ response: HTTPResponse,
        _ framing: HTTPAnswerFraming,
        isTo method: String,
        connection: String?
    ) -> [UInt8] {
        var headers = response.headers
        // A field that cannot be sent is our mistake, and must not become a line of its own.
        while let field = headers.unsendableField { headers.remove(field) }
        for field in framing.fields(of: response, to: method) {
            headers.append(field.name, field.value)
        }
        headers.remove("Connection")
        if let connection { headers.append("Connection", connection) }
        let phrase = HTTPResponse.phrase(response.status)
        return headers.head(startLine: "HTTP/1.1 \(response.status) \(phrase)")
    }
}

/// How the body of an answer ends.
enum HTTPAnswerFraming: Equatable, Sendable {
    case length(rest: Int)
    case chunked
    /// With the end of the connection, for HTTP/1.0.
    case close
    /// There is none, as for `HEAD`.
    case nothing

    init(of response: HTTPResponse, to request: HTTPRequest) {
        let hasNone =
            request.method == "HEAD" || response.status == 204 || response.status == 304
        switch response.body {
        case _ where hasNone: self = .nothing
        case .bytes(let bytes): self = .length(rest: bytes.count)
        case .pieces(_, let count?): self = .length(rest: count)
        case .pieces(_, nil): self = request.knowsChunks ? .chunked : .close
        }
    }

    /// Whether the body may end here.
    var isComplete: Bool {
        switch self {
        case .length(let rest): rest == 0
        case .chunked, .close, .nothing: true
        }
    }

    /// The bytes that end the body.
    var end: [UInt8] { self == .chunked ? Array("0\r\n\r\n".utf8) : [] }

    /// The bytes for a piece; bytes beyond an announced length are dropped.
    mutating func frame(_ piece: [UInt8]) -> [UInt8] {
        guard !piece.isEmpty else { return [] }
        switch self {
        case .nothing: return []
        case .close: return piece
        case .chunked:
            return Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece
                + Array("\r\n".utf8)
        case .length(let rest):
            let sent = piece.count <= rest ? piece : Array(piece.prefix(rest))
            self = .length(rest: rest - sent.count)
            return sent
        }
    }

    /// The fields that describe it.
    func fields(of response: HTTPResponse, to method: String) -> [HTTPHeaders.Field] {
        let count: Int? =
            switch self {
            case .length(let rest): rest
            case .nothing where method == "HEAD":
                switch response.body {
                case .bytes(let bytes): bytes.count
                case .pieces(_, let count): count
                }
            case .chunked, .close, .nothing: nil
            }
        if let count { return [.init(name: "Content-Length", value: "\(count)")] }
        return self == .chunked ? [.init(name: "Transfer-Encoding", value: "chunked")] : []
    }
}
