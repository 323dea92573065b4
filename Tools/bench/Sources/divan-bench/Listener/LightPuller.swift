import DivanBLIP
import DivanBLIPChannel
import DivanTransport
import DivanZlib

/// A client that subscribes to a listener's changes and stores nothing: a puller without a store.
final class LightPuller: BLIPHandler {
    private let channel: BLIPChannel
    private let crowd: EventCounter
    private var opening: BLIPRequestNumber?
    private var isCaughtUp = false

    private init(_ channel: BLIPChannel, in crowd: EventCounter) {
        self.channel = channel
        self.crowd = crowd
    }

    /// Connects, and reports events to the crowd.
    static func open(
        over transport: WebSocketClientTransport,
        in crowd: EventCounter
    ) -> BLIPChannel {
        BLIPChannel.open(over: transport, codec: DeflateCodec()) { LightPuller($0, in: crowd) }
    }

    /// Requests everything; on any thread.
    static func subscribe(_ channel: BLIPChannel, isContinuous: Bool) {
        channel.loop.execute {
            var properties: BLIPProperties = ["Profile": "subChanges", "collection": "0"]
            if isContinuous { properties.append("continuous", "true") }
            channel.send(BLIPRequest(properties: properties))
        }
    }

    func channelDidOpen(_ peer: TransportPeer) {
        opening = channel.askForDefaultCollection()
    }

    func channelDidReceive(_ event: BLIPEvent) {
        switch event {
        case .reply(opening, _): crowd.note(.ready)
        case .reply: isCaughtUp = false  // the changes come behind the answer to a subscription
        case .request(let request): receive(request)
        default: break
        }
    }

    func channelDidClose(_ close: TransportClose) { crowd.note(.closed) }

    private func receive(_ request: BLIPIncomingRequest) {
        switch request.profile {
        case "changes":
            let count = entryCount(request.body)
            if count == 0, !isCaughtUp {
                isCaughtUp = true
                crowd.note(.caughtUp)
            }
            guard !request.isNoReply else { return }
            let body = "[" + Array(repeating: "[]", count: count).joined(separator: ",") + "]"
            channel.reply(
                to: request.id,
                with: BLIPReply(
                    properties: ["maxHistory": "20", "blobs": "true"],
                    body: .bytes(Array(body.utf8))
                )
            )
        case "rev":
            crowd.note(.revision)
            channel.reply(to: request.id, with: .empty)
        default:
            channel.reply(to: request.id, with: .noHandler)
        }
    }

    /// Counts the lists in a list; the bench's document IDs contain no brackets.
    private func entryCount(_ body: [UInt8]) -> Int {
        body.count { $0 == UInt8(ascii: "[") } - (body.isEmpty ? 0 : 1)
    }
}

extension BLIPChannel {
    /// Requests the default collection, which is number 0 from then on; returns the number of the request that
    /// the reply belongs to.
    func askForDefaultCollection() -> BLIPRequestNumber? {
        let body = #"{"checkpoint_ids":["cp-bench"],"collections":["_default"]}"#
        return send(
            BLIPRequest(
                properties: ["Profile": "getCollections"],
                body: .bytes(Array(body.utf8))
            )
        )
    }
}
