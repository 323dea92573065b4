import DivanBLIP
import DivanBLIPChannel
import DivanPlatform
import DivanSimulation
import DivanTestKit
import DivanTransport
import DivanZlib
import Foundation
import Synchronization
import Testing

/// Requests and replies over transports: a pair in one process, and a network in virtual time.
@Suite struct BLIPChannelTests {
    private let loop = VirtualLoop()

    /// Both ends of a pair on the test's loop; the far end echoes.
    private func pair(_ asker: @escaping @Sendable (BLIPChannel) -> Asker) -> InProcessPair {
        let pair = InProcessPair(subprotocol: "x", firstLoop: loop, secondLoop: loop)
        BLIPChannel.open(over: pair.second, codec: DeflateCodec()) { Echo($0) }
        BLIPChannel.open(over: pair.first, codec: DeflateCodec(), asker)
        return pair
    }

    @Test
    func `the README's example works`() {
        let heard = EventLog()
        _ = pair { Asker($0, heard, bodies: [[1, 2, 3]]) }
        loop.run(for: .seconds(1))
        #expect(heard.replies == [[1, 2, 3]])
    }

    @Test
    func `messages sent between calls of the handler are sent`() {
        let heard = EventLog()
        let pair = InProcessPair(subprotocol: "x", firstLoop: loop, secondLoop: loop)
        BLIPChannel.open(over: pair.second, codec: DeflateCodec()) { Echo($0) }
        let channel = BLIPChannel.open(over: pair.first, codec: DeflateCodec()) {
            Asker($0, heard, bodies: [])
        }
        loop.run(for: .seconds(1))
        loop.execute { channel.send(BLIPRequest(profile: "echo", body: .bytes([7]))) }
        loop.run(for: .seconds(1))
        #expect(heard.replies == [[7]])
    }

    /// Larger than a BLIP window and than what the transport accepts at once.
    @Test
    func `messages that exceed the window are sent when there is room`() {
        let heard = EventLog()
        let body = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
        let network = SimulatedNetwork(loop: loop, random: SeededGenerator(seed: 3))
        network.listen(at: "hub") { transport in
            BLIPChannel.open(over: transport, codec: DeflateCodec()) { Echo($0) }
        }
        let client = network.makeTransport(from: "a", to: "hub", subprotocols: ["x"])
        BLIPChannel.open(over: client, codec: DeflateCodec()) {
            Asker($0, heard, bodies: [body, body])
        }
        loop.run(for: .seconds(60))
        #expect(heard.replies == [body, body])
        network.lose(.reset)
        loop.run(for: .seconds(60))
        #expect(heard.endCount == 1)
    }

    @Test
    func `an unreadable body is reported even if the peer sends nothing more`() {
        let heard = EventLog()
        let pair = InProcessPair(subprotocol: "x", firstLoop: loop, secondLoop: loop)
        pair.second.start(Silent())
        let channel = BLIPChannel.open(over: pair.first, codec: DeflateCodec()) {
            Asker($0, heard, bodies: [])
        }
        loop.run(for: .seconds(1))
        loop.execute {
            channel.send(BLIPRequest(profile: "echo", body: .source(BrokenSource())))
        }
        loop.run(for: .seconds(1))
        #expect(heard.brokenCount == 1)
    }

    @Test
    func `an invalid frame closes the channel with its code, and nothing more is reported`() {
        let heard = EventLog()
        let pair = InProcessPair(subprotocol: "x", firstLoop: loop, secondLoop: loop)
        BLIPChannel.open(over: pair.first, codec: DeflateCodec()) { Asker($0, heard, bodies: []) }
        let stranger = InvalidFrameSender(pair.second)
        pair.second.start(stranger)
        loop.run(for: .seconds(1))
        #expect(heard.errors.count == 1)
        #expect(heard.endCount == 1)
        #expect(stranger.closeCode == heard.errors.first?.closeCode)
    }

    @Test
    func `a handler is notified of a connection that could not be opened`() {
        let heard = EventLog()
        let network = SimulatedNetwork(loop: loop, random: SeededGenerator(seed: 1))
        let client = network.makeTransport(from: "a", to: "nobody", subprotocols: ["x"])
        BLIPChannel.open(over: client, codec: DeflateCodec()) { Asker($0, heard, bodies: [[1]]) }
        loop.run(for: .seconds(60))
        #expect(heard.endCount == 1)
        #expect(heard.replies.isEmpty)
    }

    @Test
    func `a channel and its handler are released after the end`() {
        let heard = EventLog()
        weak var channel: BLIPChannel?
        do {
            let pair = pair { Asker($0, heard, bodies: [[1]]) }
            let own = BLIPChannel.open(
                over: InProcessPair(subprotocol: nil, firstLoop: loop, secondLoop: loop).first,
                codec: DeflateCodec()
            ) { Asker($0, heard, bodies: []) }
            channel = own
            loop.run(for: .seconds(1))
            pair.first.close(code: 1000, reason: "")
            own.close()
            loop.run(for: .seconds(1))
        }
        #expect(heard.endCount == 2)
        #expect(channel == nil)
    }

    @Test func `queuedByteCount can be read only on the loop`() async {
        await #expect(processExitsWith: .failure) {
            let loop = VirtualLoop()
            let pair = InProcessPair(subprotocol: "x", firstLoop: loop, secondLoop: loop)
            let channel = BLIPChannel.open(over: pair.first, codec: DeflateCodec()) { Echo($0) }
            let thread = Thread { _ = channel.queuedByteCount }
            thread.start()
            while !thread.isFinished { CurrentThread.yield() }
        }
    }
}

/// The events that a requester received.
private final class EventLog: Sendable {
    private let state = Mutex<(replies: [[UInt8]], errors: [BLIPError], endCount: Int)>(([], [], 0))
    private let broken = Mutex(0)

    /// Bodies that could not be read.
    var brokenCount: Int { broken.withLock { $0 } }

    func addBroken() { broken.withLock { $0 += 1 } }

    var replies: [[UInt8]] { state.withLock { $0.replies } }
    var errors: [BLIPError] { state.withLock { $0.errors } }
    var endCount: Int { state.withLock { $0.endCount } }

    func add(_ reply: [UInt8]) { state.withLock { $0.replies.append(reply) } }
    func add(_ error: BLIPError) { state.withLock { $0.errors.append(error) } }
    func end() { state.withLock { $0.endCount += 1 } }
}

/// Sends all its requests at once.
private final class Asker: BLIPHandler {
    private let channel: BLIPChannel
    private let heard: EventLog
    private let bodies: [[UInt8]]

    init(_ channel: BLIPChannel, _ heard: EventLog, bodies: [[UInt8]]) {
        self.channel = channel
        self.heard = heard
        self.bodies = bodies
    }

    func channelDidOpen(_ peer: TransportPeer) {
        for body in bodies { channel.send(BLIPRequest(profile: "echo", body: .bytes(body))) }
    }

    func channelDidReceive(_ event: BLIPEvent) {
        switch event {
        case .reply(_, let reply): heard.add(reply.body)
        case .bodyFailed: heard.addBroken()
        default: break
        }
    }

    func channelDidFail(_ error: BLIPError) { heard.add(error) }

    func channelDidClose(_ close: TransportClose) { heard.end() }
}

/// A body whose second piece cannot be read.
private final class BrokenSource: BLIPBodySource {
    private struct Broken: Error {}
    private var hasBegun = false

    func read(upTo count: Int) throws -> [UInt8] {
        guard !hasBegun else { throw Broken() }
        hasBegun = true
        return [UInt8](repeating: 1, count: count)
    }
}

/// Sends nothing.
private final class Silent: MessageReceiver {
    func transportDidOpen(_ peer: TransportPeer) {}
    func transportDidReceive(_ message: ArraySlice<UInt8>) {}
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) {}
}

/// Sends bytes that are not a frame.
private final class InvalidFrameSender: MessageReceiver {
    private let transport: any MessageTransport
    private let code = Mutex<UInt16?>(nil)

    init(_ transport: any MessageTransport) { self.transport = transport }

    var closeCode: UInt16? { code.withLock { $0 } }

    func transportDidOpen(_ peer: TransportPeer) {
        for _ in 0..<2 { transport.send([0x07, 0x00, 0xFF, 0xFF, 0x01]) }
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {}
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}

    func transportDidClose(_ close: TransportClose) {
        if case .clean(let code, _, _) = close { self.code.withLock { $0 = code } }
    }
}
