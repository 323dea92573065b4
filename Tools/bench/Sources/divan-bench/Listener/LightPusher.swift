import DivanBLIP
import DivanBLIPChannel
import DivanTransport
import DivanZlib

/// A client that pushes new documents without storing them: proposes 200, sends them, and continues
/// when all were answered.
final class LightPusher: BLIPHandler {
    /// What one of them pushes.
    struct Load: Sendable {
        /// The prefix of its document IDs; no other pusher may have the same.
        var prefix: String
        var count: Int
        var bodies: [[UInt8]]
    }

    private static let batch = 200
    private static let revision = "1-" + String(repeating: "ab", count: 20)

    private let channel: BLIPChannel
    private let crowd: EventCounter
    private let load: Load
    private var opening: BLIPRequestNumber?
    private var isProposing = true
    private var sentCount = 0
    private var answeredCount = 0

    private init(_ channel: BLIPChannel, _ load: Load, in crowd: EventCounter) {
        self.channel = channel
        self.load = load
        self.crowd = crowd
    }

    /// Connects, and reports events to the crowd.
    static func open(
        over transport: WebSocketClientTransport,
        _ load: Load,
        in crowd: EventCounter
    ) -> BLIPChannel {
        BLIPChannel.open(over: transport, codec: DeflateCodec()) {
            LightPusher($0, load, in: crowd)
        }
    }

    /// Begins to push; on any thread.
    static func begin(_ channel: BLIPChannel, _ load: Load) {
        channel.loop.execute { propose(channel, load, from: 0) }
    }

    private static func propose(_ channel: BLIPChannel, _ load: Load, from start: Int) {
        let entries = (start..<min(start + batch, load.count)).map {
            "[\"\(load.prefix)\($0)\",\"\(revision)\"]"
        }
        channel.send(
            BLIPRequest(
                properties: ["Profile": "proposeChanges", "collection": "0"],
                body: .bytes(Array("[\(entries.joined(separator: ","))]".utf8))
            )
        )
    }

    func channelDidOpen(_ peer: TransportPeer) {
        opening = channel.askForDefaultCollection()
    }

    func channelDidReceive(_ event: BLIPEvent) {
        switch event {
        case .reply(opening, _): crowd.note(.ready)
        case .reply(_, let reply):
            guard reply.error == nil else { return channel.close(code: 1011) }
            if isProposing { send() } else { answered() }
        default: break
        }
    }

    func channelDidClose(_ close: TransportClose) { crowd.note(.closed) }

    private func send() {
        isProposing = false
        let end = min(sentCount + Self.batch, load.count)
        for index in sentCount..<end {
            channel.send(
                BLIPRequest(
                    properties: [
                        "Profile": "rev", "collection": "0", "id": "\(load.prefix)\(index)",
                        "rev": Self.revision,
                    ],
                    body: .bytes(load.bodies[index % load.bodies.count])
                )
            )
        }
        sentCount = end
    }

    private func answered() {
        answeredCount += 1
        crowd.note(.revision)
        guard answeredCount == sentCount else { return }
        guard sentCount < load.count else { return crowd.note(.caughtUp) }
        isProposing = true
        Self.propose(channel, load, from: sentCount)
    }
}
