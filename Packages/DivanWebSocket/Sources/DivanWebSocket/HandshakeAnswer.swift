/// Reads the server's answer: its head and, for a refusal, the explanation.
struct HandshakeAnswer: Sendable {
    /// A complete answer.
    struct Head {
        let status: Int
        let headers: HTTPHeaders
        let explanation: String
    }

    private let limits: WebSocketLimits
    private var reader: HTTPHeadReader
    private var head: (status: Int, phrase: String, headers: HTTPHeaders)?
    private var body: [UInt8] = []
    private var interimCount = 0

    /// Whether the peer has ended its direction.
    var hasEnded = false

    init(limits: WebSocketLimits) {
        self.limits = limits
        reader = HTTPHeadReader(limits: limits.head, prefix: "HTTP/1.")
    }

    mutating func receive(_ bytes: Span<UInt8>) {
        guard head != nil else { return reader.receive(bytes) }
        let room = limits.explanationByteCount - body.count
        bytes.withUnsafeBufferPointer { body.append(contentsOf: $0.prefix(max(0, room))) }
    }

    /// The bytes after the head of an accepted upgrade.
    mutating func takeLeftover() -> [UInt8] {
        let leftover = body
        body = []
        return leftover
    }

    mutating func next() throws(HandshakeError.Reason) -> Head? {
        while head == nil, let complete = try reader.nextHead() {
            let (status, phrase) = try Self.parse(complete.startLine)
            if (100...199).contains(status), status != 101 {
                try passOver(status)
                continue
            }
            head = (status, phrase, complete.headers)
            body = reader.takeLeftover()
        }
        guard let head else {
            if hasEnded { throw .ended }
            return nil
        }
        guard isComplete(head.headers, status: head.status) else { return nil }
        let explanation = text(head.headers) ?? head.phrase
        return Head(status: head.status, headers: head.headers, explanation: explanation)
    }

    /// Skips an interim answer, such as 103 (RFC 9110 §15.2).
    private mutating func passOver(_ status: Int) throws(HandshakeError.Reason) {
        interimCount += 1
        guard interimCount <= WebSocketLimits.interimAnswersCount else { throw .status(status) }
        let leftover = reader.takeLeftover()
        reader = HTTPHeadReader(limits: limits.head, prefix: "HTTP/1.")
        reader.receive(leftover.span)
    }

    /// Splits `HTTP/1.1 401 Unauthorized`.
    private static func parse(_ line: String) throws(HandshakeError.Reason) -> (Int, String) {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[1].utf8.count == 3, let status = Int(parts[1]),
            status >= 100
        else { throw .head(.line(1)) }
        return (status, parts.count > 2 ? String(parts[2]) : "")
    }

    // MARK: Body

    /// Whether all of the body that we want to read has arrived.
    private func isComplete(_ headers: HTTPHeaders, status: Int) -> Bool {
        guard status >= 300, !hasEnded, isExplanation(headers) else { return true }
        guard let length = contentLength(headers) else { return false }
        return body.count >= min(length, limits.explanationByteCount)
    }

    private func contentLength(_ headers: HTTPHeaders) -> Int? {
        headers["Content-Length"].flatMap { Int($0) }.map { max(0, $0) }
    }

    /// Whether the body is JSON or plain text in one piece.
    private func isExplanation(_ headers: HTTPHeaders) -> Bool {
        guard headers["Transfer-Encoding"] == nil else { return false }
        let type = headers["Content-Type"] ?? ""
        return type.isEqualIgnoringCase("application/json")
            || type.prefix(17).isEqualIgnoringCase("application/json;")
            || type.prefix(10).isEqualIgnoringCase("text/plain")
    }

    private func text(_ headers: HTTPHeaders) -> String? {
        guard isExplanation(headers) else { return nil }
        // Bytes after the announced end are not part of the text, however it was split.
        let length = min(contentLength(headers) ?? body.count, limits.explanationByteCount)
        let text = String(decoding: body.prefix(length), as: UTF8.self)
        let isJSON = headers["Content-Type"]?.prefix(16).isEqualIgnoringCase("application/json")
        let explanation = isJSON == true ? RefusalBody.reason(in: text) : text.firstLine
        return explanation.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension String {
    fileprivate var firstLine: String {
        prefix { !$0.isNewline }.trimmingBlanks()
    }
}
