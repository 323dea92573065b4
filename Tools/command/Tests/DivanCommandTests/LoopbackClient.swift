import DivanPlatform
import DivanTestKit

/// A connection to a local port that sends raw bytes.
final class LoopbackClient {
    private let socket: Socket

    init(port: Int) throws {
        guard let socket = Loopback.connect(to: UInt16(port)) else {
            throw SystemError("connect", .connectionRefused)
        }
        self.socket = socket
    }

    deinit { socket.close() }

    /// Sends a text, and returns everything received until the other side closes.
    func ask(_ text: String) throws -> String {
        guard socket.sendAll(Array(text.utf8)) else { throw SystemError("send", .brokenPipe) }
        var answer: [UInt8] = []
        while case let piece = socket.receive(upTo: 4096), !piece.isEmpty { answer += piece }
        return String(decoding: answer, as: UTF8.self)
    }
}
