import DivanBLIP
import DivanWebSocket
import DivanZlib
import Foundation
import Glibc

/// A server that hands out documents to whoever comes first, and tells whoever comes next that they
/// may not be read any more, as Sync Gateway does when a user loses a channel.
///
/// Source: `replication.md` §3 (flags of a change).
final class RevokingServer: Sendable {
    let port: UInt16
    private let socket: Int32
    private let documentIDs: [String]

    /// It could not listen.
    struct Failure: Error {}

    /// Listens on a free port of the loopback interface, for two connections.
    init(documentIDs: [String]) throws {
        self.documentIDs = documentIDs
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket
        // The system reads and writes the address during the call, as the general form of one.
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, byteCount) == 0 && listen(descriptor, 2) == 0
                    && getsockname(descriptor, $0, &byteCount) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            for isRevoked in [false, true] { serve(isRevoked: isRevoked) }
            close(socket)
        }
    }

    private func serve(isRevoked: Bool) {
        let connection = accept(socket, nil, nil)
        defer { close(connection) }
        var handshake = ServerHandshake()
        var request: HandshakeRequest?
        while connection >= 0, request == nil {
            let bytes = Self.receive(from: connection)
            guard !bytes.isEmpty else { return }
            handshake.receive(bytes.span)
            request = try? handshake.next()
        }
        let acceptance = try? request?.accept(subprotocol: "BLIP_3+CBMobile_3")
        Self.write(acceptance ?? [], to: connection)
        var socket = WebSocketConnection(role: .server, now: .zero)
        var blip = BLIPConnection(codec: DeflateCodec())
        var bytes = handshake.takeLeftover()
        while socket.isOpen {
            socket.receive(bytes.span, at: .zero)
            while case .message(let message, _)? = try? socket.next() {
                try? blip.receive(message.span)
            }
            while let event = blip.next() { answer(event, isRevoked: isRevoked, on: &blip) }
            var frame: [UInt8] = []
            while blip.nextFrame(into: &frame) {
                socket.send(frame.span)
                frame = []
            }
            Self.write(socket.takeOutput(), to: connection)
            bytes = Self.receive(from: connection)
            guard !bytes.isEmpty else { return }
        }
    }

    private func answer(_ event: BLIPEvent, isRevoked: Bool, on blip: inout BLIPConnection) {
        switch event {
        case .request(let request) where request.profile == "getCheckpoint":
            blip.reply(to: request.id, with: .error(domain: "HTTP", code: 404, message: "none"))
        case .request(let request):
            let text = request.profile == "getCollections" ? "[{}]" : ""
            blip.reply(to: request.id, with: BLIPReply(body: .bytes(Array(text.utf8))))
            guard request.profile == "subChanges" else { return }
            let list = isRevoked ? changes(from: 11, flags: ",2") : changes(from: 1)
            send("changes", list, on: &blip)
            send("changes", "[]", on: &blip)
        case .reply(_, let reply) where !isRevoked && reply.body.starts(with: [0x5B, 0x5B]):
            for (index, documentID) in documentIDs.enumerated() {
                let revision: BLIPProperties = [
                    "id": documentID, "rev": "1-aa", "sequence": "\(index + 1)",
                ]
                send("rev", "{\"n\":1}", revision, on: &blip)
            }
        default: break
        }
    }

    private func changes(from first: Int, flags: String = "") -> String {
        let entries = documentIDs.enumerated().map { index, documentID in
            "[\(first + index),\"\(documentID)\",\"1-aa\"\(flags)]"
        }
        return "[" + entries.joined(separator: ",") + "]"
    }

    private func send(
        _ profile: String,
        _ body: String,
        _ further: BLIPProperties = [:],
        on blip: inout BLIPConnection
    ) {
        var properties: BLIPProperties = ["Profile": profile, "collection": "0"]
        properties.append(contentsOf: further)
        _ = blip.send(BLIPRequest(properties: properties, body: .bytes(Array(body.utf8))))
    }

    private static func receive(from connection: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    private static func write(_ bytes: [UInt8], to connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = Glibc.send(connection, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            sent += count
        }
    }
}
