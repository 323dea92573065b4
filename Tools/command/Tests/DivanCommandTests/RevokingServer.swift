import DivanBLIP
import DivanBLIPChannel
import DivanTransport
import DivanZlib
import Synchronization

/// A server that sends documents to the first client, and tells the next one that they
/// may not be read any more, as Sync Gateway does when a user loses a channel.
///
/// Source: `replication.md` §3 (flags of a change).
final class RevokingServer: Sendable {
    let port: UInt16
    private let server: WebSocketServer

    /// Listens on a free port of the loopback interface.
    init(documentIDs: [String]) throws {
        let visits = Visits()
        server = WebSocketServer(.init(networkInterface: "127.0.0.1")) { request in
            let isRevoked = visits.count.add(1, ordering: .relaxed).oldValue > 0
            request.accept(subprotocol: "BLIP_3+CBMobile_3") { transport in
                BLIPChannel.open(over: transport, codec: DeflateCodec()) { channel in
                    Conversation(channel, documentIDs, isRevoked: isRevoked)
                }
            }
        }
        port = try server.start()
    }

    private final class Visits: Sendable {
        let count = Atomic<Int>(0)
    }

    private final class Conversation: BLIPHandler {
        private let channel: BLIPChannel
        private let documentIDs: [String]
        private let isRevoked: Bool

        init(_ channel: BLIPChannel, _ documentIDs: [String], isRevoked: Bool) {
            self.channel = channel
            self.documentIDs = documentIDs
            self.isRevoked = isRevoked
        }

        func channelDidReceive(_ event: BLIPEvent) {
            switch event {
            case .request(let request) where request.profile == "getCheckpoint":
                channel.reply(
                    to: request.id,
                    with: .error(domain: "HTTP", code: 404, message: "none")
                )
            case .request(let request):
                let text = request.profile == "getCollections" ? "[{}]" : ""
                channel.reply(to: request.id, with: BLIPReply(body: .bytes(Array(text.utf8))))
                guard request.profile == "subChanges" else { return }
                send("changes", isRevoked ? changes(from: 11, flags: ",2") : changes(from: 1))
                send("changes", "[]")
            case .reply(_, let reply) where !isRevoked && reply.body.starts(with: [0x5B, 0x5B]):
                for (index, documentID) in documentIDs.enumerated() {
                    let revision: BLIPProperties = [
                        "id": documentID, "rev": "1-aa", "sequence": "\(index + 1)",
                    ]
                    send("rev", "{\"n\":1}", revision)
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

        private func send(_ profile: String, _ body: String, _ further: BLIPProperties = [:]) {
            var properties: BLIPProperties = ["Profile": profile, "collection": "0"]
            properties.append(contentsOf: further)
            channel.send(BLIPRequest(properties: properties, body: .bytes(Array(body.utf8))))
        }
    }
}
