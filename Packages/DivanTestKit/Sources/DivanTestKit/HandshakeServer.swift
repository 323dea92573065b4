import Dispatch
public import DivanPlatform
import Foundation
import Synchronization

/// A server that reads requests and answers each with the next of its texts: to test a client before it has a
/// WebSocket.
///
/// It can also act as an HTTP proxy: after a `CONNECT` that it answers with 200, either the next answer follows on the
/// same connection, or the tunnel to a local port. A client that starts with TLS is connected to that port at once, as
/// with servers that answer clear text on their TLS port with 400.
public final class HandshakeServer: Sendable {
    /// The port on which it listens, on 127.0.0.1.
    public let port: UInt16
    private let socket: Socket
    private let farPort: UInt16?
    private let state: Mutex<(answers: [String], requests: [String])>

    /// Listens on a free port of the loopback interface until all answers are given.
    ///
    /// - Parameters:
    ///   - answers: Its answers, one after another.
    ///   - farPort: The port to which its tunnels lead.
    /// - Throws: `SystemError` if it cannot listen.
    public init(answers: [String], tunnellingTo farPort: UInt16? = nil) throws(SystemError) {
        state = Mutex((answers, []))
        self.farPort = farPort
        (socket, port) = try Loopback.listen(queue: 8)
        Thread { [self] in serve() }.start()
    }

    /// The requests so far, with their fields.
    public var requests: [String] { state.withLock { $0.requests } }

    /// The value of a field of a request; names are compared without case.
    public func field(_ name: String, of request: Int = 0) -> String? {
        guard requests.indices.contains(request) else { return nil }
        let start = name.lowercased() + ": "
        return requests[request].split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix(start) }
            .map { String($0.dropFirst(start.count)) }
    }

    /// An answer without a body.
    public static func answer(_ status: String, _ fields: String...) -> String {
        answer(status, fields: fields)
    }

    /// An answer without a body.
    public static func answer(_ status: String, fields: [String]) -> String {
        (["HTTP/1.1 \(status)"] + fields + ["Content-Length: 0", "", ""]).joined(separator: "\r\n")
    }

    private func serve() {
        while state.withLock({ !$0.answers.isEmpty }) {
            guard let connection = try? socket.acceptBlocking() else { break }
            if let farPort, Self.beginsTLS(connection) {
                Self.join(connection, to: farPort)
                connection.close()
                continue
            }
            while answer(on: connection) {
                guard let farPort else { continue }
                Self.join(connection, to: farPort)
                break
            }
            connection.close()
        }
        socket.close()
    }

    /// Whether the client starts a TLS handshake (RFC 8446 §5.1) rather than a request.
    private static func beginsTLS(_ connection: Socket) -> Bool {
        connection.peek() == 0x16
    }

    /// Answers one request; returns whether the connection has become a tunnel.
    private func answer(on connection: Socket) -> Bool {
        let request = read(connection)
        guard !request.isEmpty,
            let answer = state.withLock({ state -> String? in
                state.requests.append(request)
                return state.answers.isEmpty ? nil : state.answers.removeFirst()
            })
        else { return false }
        connection.sendAll(Array(answer.utf8))
        return request.hasPrefix("CONNECT ") && answer.hasPrefix("HTTP/1.1 200")
    }

    private func read(_ connection: Socket) -> String {
        var text: [UInt8] = []
        // One byte at a time: bytes after the head belong to the tunnel.
        while !text.suffix(4).elementsEqual("\r\n\r\n".utf8),
            case let piece = connection.receive(upTo: 1), !piece.isEmpty
        {
            text += piece
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Forwards bytes in both directions until both have ended.
    private static func join(_ near: Socket, to port: UInt16) {
        guard let far = Loopback.connect(to: port) else { return }
        defer { far.close() }
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pass(from: far, to: near)
            isOver.signal()
        }
        pass(from: near, to: far)
        isOver.wait()
    }

    private static func pass(from source: Socket, to target: Socket) {
        while case let piece = source.receive(upTo: 65_536), !piece.isEmpty {
            target.sendAll(piece)
        }
        target.shutdownSending()
    }
}
