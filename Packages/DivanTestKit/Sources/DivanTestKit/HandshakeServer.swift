import Foundation
import Glibc
import Synchronization

/// A server that reads requests and answers each with the next of its texts: for what a client says
/// before there is a WebSocket.
final class HandshakeServer: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let state: Mutex<(answers: [String], requests: [String])>

    struct Failure: Error {}

    /// Listens on a free port of the loopback interface.
    init(answers: [String]) throws {
        state = Mutex((answers, []))
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptor = listening
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The pointers are used during the calls only.
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(listening, name, size) == 0 && listen(listening, 8) == 0
                    && getsockname(listening, name, &size) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in serve() }.start()
    }

    /// The requests so far, with their fields.
    var requests: [String] { state.withLock { $0.requests } }

    /// The value of a field of a request; names are compared without case.
    func field(_ name: String, of request: Int = 0) -> String? {
        guard requests.indices.contains(request) else { return nil }
        let start = name.lowercased() + ": "
        return requests[request].split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix(start) }
            .map { String($0.dropFirst(start.count)) }
    }

    private func serve() {
        while let answer = state.withLock({ $0.answers.first }) {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { break }
            let request = read(connection)
            state.withLock { state in
                state.requests.append(request)
                state.answers.removeFirst()
            }
            let bytes = Array(answer.utf8)
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
        close(descriptor)
    }

    private func read(_ connection: Int32) -> String {
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while !text.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { break }
            text += piece[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// An answer without a body.
    static func answer(_ status: String, _ fields: String...) -> String {
        (["HTTP/1.1 \(status)"] + fields + ["Content-Length: 0", "", ""]).joined(separator: "\r\n")
    }
}
