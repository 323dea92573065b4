import DivanBLIP
import DivanBLIPChannel
import DivanSimulation
import DivanTransport
import DivanZlib
import Synchronization
import Testing

/// Sends every request's body back; other tests use it, too.
final class Echo: BLIPHandler {
    private let channel: BLIPChannel

    init(_ channel: BLIPChannel) { self.channel = channel }

    func channelDidReceive(_ event: BLIPEvent) {
        guard case .request(let request) = event else { return }
        channel.reply(to: request.id, with: BLIPReply(body: .bytes(request.body)))
    }
}

/// Keeps the replies.
private final class Asker: BLIPHandler {
    private let replies: Replies

    init(_ replies: Replies) { self.replies = replies }

    func channelDidReceive(_ event: BLIPEvent) {
        if case .reply(_, let reply) = event { replies.bodies.withLock { $0.append(reply.body) } }
    }
}

private final class Replies: Sendable {
    let bodies = Mutex<[[UInt8]]>([])
}

/// The README's example, verbatim.
@Suite struct ReadmeTests {
    @Test func `the example sends a request and gets a reply`() {
        let loop = VirtualLoop()
        let pair = InProcessPair(subprotocol: "x", firstLoop: loop, secondLoop: loop)
        let replies = Replies()

        BLIPChannel.open(over: pair.second, codec: DeflateCodec()) { Echo($0) }
        let channel = BLIPChannel.open(over: pair.first, codec: DeflateCodec()) { _ in
            Asker(replies)
        }
        loop.run(for: .seconds(1))
        channel.loop.execute { channel.send(BLIPRequest(profile: "echo", body: .bytes([7]))) }
        loop.run(for: .seconds(1))
        #expect(replies.bodies.withLock { $0 } == [[7]])
    }
}
