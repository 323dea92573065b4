import DivanPlatform

/// A client of a local port that sends HTTP/1.1 exactly as a test writes it; every wait ends after ten seconds.
///
/// Used by one thread at a time.
public final class HTTPTestClient {
    /// The server ended the connection, or nothing arrived in time.
    public struct Failure: Error {
        /// The call that failed.
        public let call: String
    }

    /// A response.
    public struct Answer {
        /// The status; 0 if the first line has none.
        public let status: Int
        /// The status line and the fields.
        public let head: String
        /// The body, with chunked coding removed.
        public fileprivate(set) var body: [UInt8]

        /// The body as text.
        public var text: String { String(decoding: body, as: UTF8.self) }

        /// The value of a field; names are compared without case.
        public func field(_ name: String) -> String? {
            let lines = head.split(separator: "\r\n").map(String.init)
            let line = lines.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            return line.map { String($0.dropFirst(name.count + 2)) }
        }
    }

    private let socket: Socket
    private var received: [UInt8] = []

    /// Connects to a local port.
    ///
    /// - Throws: `Failure` if nothing listens on the port.
    public init(port: UInt16) throws(Failure) {
        guard let socket = Loopback.connect(to: port) else { throw Failure(call: "connect") }
        self.socket = socket
        socket.setTimeouts(receiving: 10)
    }

    deinit { socket.close() }

    /// Sends a text unchanged.
    public func send(_ text: String) {
        socket.sendAll(Array(text.utf8))
    }

    /// Sends a request, and reads the response.
    ///
    /// - Parameters:
    ///   - method: The method, such as `GET`.
    ///   - path: The target.
    ///   - host: The value of the Host field.
    ///   - fields: Further fields, `Name: value`.
    ///   - body: The body; its length is also sent.
    /// - Returns: The complete response.
    /// - Throws: `Failure`.
    public func ask(
        _ method: String,
        _ path: String,
        naming host: String = "Host: localhost",
        _ fields: String...,
        body: String? = nil
    ) throws(Failure) -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\n\(host)\r\n"
        for field in fields { head += field + "\r\n" }
        if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
        send(head + "\r\n" + (body ?? ""))
        return try readAnswer(hasBody: method != "HEAD")
    }

    /// Reads one complete response.
    ///
    /// - Throws: `Failure`.
    public func readAnswer(hasBody: Bool = true) throws(Failure) -> Answer {
        let head = String(decoding: try read(through: "\r\n\r\n"), as: UTF8.self)
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var answer = Answer(status: status, head: head, body: [])
        guard hasBody, status != 204, status != 304 else { return answer }
        if let length = answer.field("Content-Length").flatMap({ Int($0) }) {
            answer.body = try read(count: length)
        } else if answer.field("Transfer-Encoding") == "chunked" {
            while true {
                let line = try read(through: "\r\n").dropLast(2)
                let size = Int(String(decoding: line, as: UTF8.self), radix: 16) ?? 0
                answer.body += try read(count: size)
                _ = try read(count: 2)
                if size == 0 { break }
            }
        }
        return answer
    }

    /// Reads up to the end of a text.
    ///
    /// - Throws: `Failure`.
    public func read(through end: String) throws(Failure) -> [UInt8] {
        let wanted = Array(end.utf8)
        var searched = 0
        while true {
            while searched + wanted.count <= received.count {
                if received[searched..<searched + wanted.count].elementsEqual(wanted) {
                    return take(searched + wanted.count)
                }
                searched += 1
            }
            try receive()
        }
    }

    /// Whether the server has closed the connection; waits until it closes it or sends data.
    public func isAtEnd() -> Bool {
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { socket.receive(into: $0) } == .bytes(0)
    }

    private func read(count: Int) throws(Failure) -> [UInt8] {
        while received.count < count { try receive() }
        return take(count)
    }

    private func take(_ count: Int) -> [UInt8] {
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    private func receive() throws(Failure) {
        let piece = socket.receive(upTo: 65_536)
        guard !piece.isEmpty else { throw Failure(call: "recv") }
        received += piece
    }
}
