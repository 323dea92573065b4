import Divan
import DivanBLIP
import DivanWebSocket
import DivanZlib
import Foundation
import Glibc
import Synchronization

/// A server that answers a replicator as no server should, one connection after the other.
final class EvilHub: Sendable {
    let port: UInt16
    /// The body of its answer to every list of proposals; without one it hangs up as soon as it has
    /// let somebody in.
    private let proposals: String?
    private let socket: Int32
    private let connections = Atomic<Int>(0)

    /// How often somebody came.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    init(answeringProposals proposals: String?) throws {
        self.proposals = proposals
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket
        // The system reads and writes the address during the call, as the general form of one.
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, byteCount) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &byteCount) == 0
            }
        }
        guard isListening else { throw AttackFailure("no port for the hub") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in serve() }
    }

    /// Stops to listen.
    func close() {
        shutdown(socket, Int32(SHUT_RDWR))
        Glibc.close(socket)
    }

    private func serve() {
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { return }
            connections.add(1, ordering: .relaxed)
            converse(connection)
            Glibc.close(connection)
        }
    }

    private func converse(_ connection: Int32) {
        var handshake = ServerHandshake()
        var request: HandshakeRequest?
        while request == nil {
            let bytes = Self.read(connection)
            guard !bytes.isEmpty else { return }
            handshake.receive(bytes.span)
            request = try? handshake.next()
        }
        let answer = try? request?.accept(subprotocol: "BLIP_3+CBMobile_3")
        Self.write(answer ?? [], to: connection)
        guard let proposals else { return }
        var socket = WebSocketConnection(role: .server, now: .zero)
        var blip = BLIPConnection(codec: DeflateCodec())
        var bytes = handshake.takeLeftover()
        while socket.isOpen {
            socket.receive(bytes.span, at: .zero)
            while case .message(let message, _)? = try? socket.next() {
                try? blip.receive(message.span)
            }
            while let event = blip.next() {
                guard case .request(let request) = event else { continue }
                let text = Self.answer(to: request.profile, proposals)
                blip.reply(to: request.id, with: BLIPReply(body: .bytes(Array(text.utf8))))
            }
            var frame: [UInt8] = []
            while blip.nextFrame(into: &frame) {
                socket.send(frame.span)
                frame = []
            }
            Self.write(socket.takeOutput(), to: connection)
            bytes = Self.read(connection)
            guard !bytes.isEmpty else { return }
        }
    }

    private static func answer(to profile: String, _ proposals: String) -> String {
        switch profile {
        case "getCollections": "[{}]"
        case "proposeChanges": proposals
        default: ""
        }
    }

    private static func read(_ connection: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    private static func write(_ bytes: [UInt8], to connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = send(connection, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            sent += count
        }
    }
}
