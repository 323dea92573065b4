import DivanPlatform
import DivanTLS
import DivanTestKit

/// A blocking TCP socket on 127.0.0.1; a read that takes ten seconds fails instead of hanging.
final class LoopbackSocket {
    private let socket: Socket

    private init(_ socket: Socket) {
        self.socket = socket
        socket.setTimeouts(receiving: 10)
    }

    deinit {
        socket.close()
    }

    static func listening() throws -> LoopbackSocket {
        LoopbackSocket(try Loopback.listen(queue: 8).socket)
    }

    static func connected(to port: UInt16) throws -> LoopbackSocket {
        guard let socket = Loopback.connect(to: port) else {
            throw SystemError("connect", .connectionRefused)
        }
        return LoopbackSocket(socket)
    }

    func accepted() throws -> LoopbackSocket { LoopbackSocket(try socket.acceptBlocking()) }

    var port: UInt16 { socket.localAddress()?.port ?? 0 }

    /// Sends the session's output; a peer that has gone is noticed when reading.
    func flush(_ session: TLSSession) {
        var output: [UInt8] = []
        session.takeOutput(appendingTo: &output)
        socket.sendAll(output)
    }

    /// Transfers bytes between the socket and the session until `isDone`, given the plaintext.
    func drive(
        _ session: TLSSession,
        _ plaintext: inout [UInt8],
        until isDone: ([UInt8]) -> Bool
    ) throws {
        defer { flush(session) }
        while true {
            flush(session)
            if isDone(plaintext) { return }
            var bytes: [UInt8] = []
            do {
                bytes = try socket.descriptor.read(upTo: 65_536)
            } catch {
                guard error.errno == .connectionReset else { throw error }
            }
            guard !bytes.isEmpty else { return try session.receiveEnd() }
            try session.receive(bytes.span, appendingTo: &plaintext)
        }
    }
}
