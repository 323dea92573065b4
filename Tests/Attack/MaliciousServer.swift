import CouchbaseLiteSwift
import DivanBLIP
import DivanPlatform
import DivanTestKit
import DivanWebSocket
import DivanZlib
import Foundation
import Synchronization

/// A server that answers a replicator incorrectly, one connection after the other.
final class MaliciousServer: Sendable {
    let port: UInt16
    /// The body of its reply to every list of proposals; without one it closes the connection as soon as it
    /// has accepted a client.
    private let proposals: String?
    private let socket: Socket
    private let connections = Atomic<Int>(0)

    /// How often a client connected.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    init(answeringProposals proposals: String?) throws {
        self.proposals = proposals
        (socket, port) = try Loopback.listen()
        Thread.detachNewThread { [self] in serve() }
    }

    /// Stops listening.
    func close() {
        socket.shutdownBoth()
        socket.close()
    }

    private func serve() {
        while true {
            guard let connection = try? socket.acceptBlocking() else { return }
            connections.add(1, ordering: .relaxed)
            converse(connection)
            connection.close()
        }
    }

    private func converse(_ connection: Socket) {
        var handshake = ServerHandshake()
        var request: HandshakeRequest?
        while request == nil {
            let bytes = connection.receive(upTo: 65_536)
            guard !bytes.isEmpty else { return }
            handshake.receive(bytes.span)
            request = try? handshake.next()
        }
        let answer = try? request?.accept(subprotocol: "BLIP_3+CBMobile_3")
        connection.sendAll(answer ?? [])
        guard let proposals else { return }
        var socket = WebSocketConnection(role: .server, now: .zero)
        var blip = BLIPConnection(codec: DeflateCodec())
        var bytes = handshake.takeLeftover()
        while socket.isOpen {
            socket.receive(bytes.span, at: .zero)
            while case .message(let message, _)? = try? socket.next() {
                _ = try? blip.receive(message.span)
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
            connection.sendAll(socket.takeOutput())
            bytes = connection.receive(upTo: 65_536)
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
}
