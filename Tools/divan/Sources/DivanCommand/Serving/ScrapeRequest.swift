/// The head of an HTTP request, as far as a monitor needs one.
///
/// Sans-IO: bytes in, an answer out as soon as the head is whole or wrong. Bodies are not read:
/// the connection is closed behind the answer.
///
/// Source: RFC 9112 §3, §5.
struct ScrapeRequest: Sendable {
    /// Bytes of a head; monitors send some hundred.
    static let headByteLimit = 8 << 10

    /// What the request asks for, or why it cannot.
    enum Outcome: Equatable, Sendable {
        /// More bytes are needed.
        case incomplete
        /// `GET`, or `HEAD` when no body is wanted.
        case wants(path: String, hasBody: Bool)
        /// An error's status.
        case refused(status: Int)
    }

    private var head: [UInt8] = []
    /// Bytes of `head` that no end begins in.
    private var searchedCount = 0

    /// Takes bytes as they come; the outcome stays once it is not `incomplete`.
    mutating func receive(_ bytes: some Swift.Collection<UInt8>) -> Outcome {
        head += bytes.prefix(Self.headByteLimit + 1 - min(head.count, Self.headByteLimit))
        guard let end = endOfHead() else {
            // An end may have begun in the last two.
            searchedCount = max(0, head.count - 2)
            return head.count > Self.headByteLimit ? .refused(status: 431) : .incomplete
        }
        guard end <= Self.headByteLimit else { return .refused(status: 431) }
        guard let line = head.prefix(while: { $0 != 0x0D && $0 != 0x0A }).text else {
            return .refused(status: 400)
        }
        return Self.outcome(ofLine: line)
    }

    /// Behind the empty line; a bare line feed ends a line too (RFC 9112 §2.2).
    private func endOfHead() -> Int? {
        for index in searchedCount..<head.count where head[index] == 0x0A {
            let rest = head[(index + 1)...]
            if rest.first == 0x0A { return index + 2 }
            if rest.starts(with: [0x0D, 0x0A]) { return index + 3 }
        }
        return nil
    }

    private static func outcome(ofLine line: String) -> Outcome {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]),
            words[1].hasPrefix("/"), !words[0].isEmpty
        else { return .refused(status: 400) }
        guard ["GET", "HEAD"].contains(words[0]) else { return .refused(status: 405) }
        let path = words[1].prefix { $0 != "?" }
        return .wants(path: String(path), hasBody: words[0] == "GET")
    }
}

/// What a monitor gets.
struct ScrapeAnswer: Equatable, Sendable {
    var status: Int
    var contentType = "text/plain; charset=utf-8"
    var body = ""

    /// Figures in the text format of Prometheus.
    static func metrics(_ text: String) -> ScrapeAnswer {
        ScrapeAnswer(
            status: 200,
            contentType: "text/plain; version=0.0.4; charset=utf-8",
            body: text
        )
    }

    /// Whether all is well.
    static func health(_ report: HealthReport) -> ScrapeAnswer {
        ScrapeAnswer(
            status: report.isHealthy ? 200 : 503,
            contentType: "application/json",
            body: report.json.canonicalText + "\n"
        )
    }

    /// There is nothing at the path.
    static let notFound = refusal(404)

    /// An error.
    static func refusal(_ status: Int) -> ScrapeAnswer {
        ScrapeAnswer(status: status, body: "\(status) \(phrase(status))\n")
    }

    /// The bytes to send.
    func bytes(hasBody: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
        head += "Content-Type: \(contentType)\r\nContent-Length: \(body.utf8.count)\r\n"
        if status == 405 { head += "Allow: GET, HEAD\r\n" }
        head += "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + (hasBody ? Array(body.utf8) : [])
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 404: "Not Found, try /metrics or /_health"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 431: "Request Header Fields Too Large"
        default: "Service Unavailable"
        }
    }
}

extension Swift.Collection<UInt8> {
    /// The bytes as text; `nil` when they are no UTF-8.
    fileprivate var text: String? { String(validating: self, as: UTF8.self) }
}
