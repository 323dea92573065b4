import DivanJSON
import Glibc

/// A client of a port of this machine that speaks raw HTTP/1.1; every wait ends after ten seconds.
final class Visitor {
    struct Failure: Error {
        let call: String
    }

    /// One answer.
    struct Answer {
        var status: Int
        var head: String
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        func json() throws -> JSON { try JSON(parsing: body) }

        func field(_ name: String) -> String? {
            let lines = head.split(separator: "\r\n").map(String.init)
            let line = lines.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            return line.map { String($0.dropFirst(name.count + 2)) }
        }
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var wait = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        // The address is lent for the call.
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(call: "connect") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Sends a request, and reads its answer.
    func ask(
        _ method: String,
        _ path: String,
        naming host: String = "Host: localhost",
        _ fields: String...,
        body: String? = nil
    ) throws -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\n\(host)\r\n"
        for field in fields { head += field + "\r\n" }
        if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
        send(head + "\r\n" + (body ?? ""))
        return try readAnswer(hasBody: method != "HEAD")
    }

    /// Reads one answer whole.
    func readAnswer(hasBody: Bool = true) throws -> Answer {
        let head = String(decoding: try read(through: "\r\n\r\n"), as: UTF8.self)
        let status = Int(head.split(separator: " ")[1]) ?? 0
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
    func read(through end: String) throws -> [UInt8] {
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

    /// Whether the server has ended the connection.
    func isAtEnd() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 0
    }

    private func read(count: Int) throws -> [UInt8] {
        while received.count < count { try receive() }
        return take(count)
    }

    private func take(_ count: Int) -> [UInt8] {
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    private func receive() throws {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { throw Failure(call: "recv") }
        received += piece.prefix(count)
    }
}
