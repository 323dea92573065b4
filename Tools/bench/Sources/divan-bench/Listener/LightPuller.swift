import DivanBLIP
import DivanTransport
import DivanZlib

/// A client that subscribes to a listener's changes and keeps nothing: a puller without a store.
///
/// `@unchecked Sendable` holds because everything happens on the transport's loop.
final class LightPuller: MessageReceiver, @unchecked Sendable {
    private let transport: WebSocketClientTransport
    private let crowd: Crowd
    private let isContinuous: Bool
    private var connection = BLIPConnection(codec: DeflateCodec())
    private var frame: [UInt8] = []
    private var subscription: BLIPRequestNumber?
    private var isCaughtUp = false

    init(_ transport: WebSocketClientTransport, in crowd: Crowd, isContinuous: Bool) {
        self.transport = transport
        self.crowd = crowd
        self.isContinuous = isContinuous
    }

    func open() { transport.start(self) }

    func close() { transport.close(code: 1000, reason: "") }

    /// Asks for everything; on any thread.
    func subscribe() {
        transport.loop.execute {
            self.isCaughtUp = false
            var properties: BLIPProperties = ["Profile": "subChanges", "collection": "0"]
            if self.isContinuous { properties.append("continuous", "true") }
            self.subscription = self.connection.send(BLIPRequest(properties: properties))
            self.write()
        }
    }

    func transportDidOpen(_ peer: TransportPeer) {
        let body = #"{"checkpoint_ids":["cp-bench"],"collections":["_default"]}"#
        _ = connection.send(
            BLIPRequest(
                properties: ["Profile": "getCollections"],
                body: .bytes(Array(body.utf8))
            )
        )
        write()
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        guard (try? connection.receive(message.span)) != nil else {
            return transport.close(code: 1002, reason: "")
        }
        while let event = connection.next() {
            switch event {
            case .reply(let number, _): if number != subscription { crowd.note(.ready) }
            case .request(let request): receive(request)
            default: break
            }
        }
    }

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
            connection.reply(
                to: request.id,
                with: BLIPReply(
                    properties: ["maxHistory": "20", "blobs": "true"],
                    body: .bytes(Array(body.utf8))
                )
            )
        case "rev":
            crowd.note(.revision)
            connection.reply(to: request.id, with: .empty)
        default:
            connection.reply(to: request.id, with: .noHandler)
        }
    }

    /// Lists in a list; the bench's document IDs hold no brackets.
    private func entryCount(_ body: [UInt8]) -> Int {
        body.count { $0 == UInt8(ascii: "[") } - (body.isEmpty ? 0 : 1)
    }

    func transportDidDrainInput() { write() }
    func transportDidBecomeWritable() { write() }
    func transportDidClose(_ close: TransportClose) { crowd.note(.closed) }

    private func write() {
        while transport.isWritable, connection.nextFrame(into: &frame) {
            transport.send(frame.span)
            frame.removeAll(keepingCapacity: true)
        }
    }
}
