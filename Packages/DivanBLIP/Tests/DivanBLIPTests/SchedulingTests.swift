import DivanBLIP
import DivanTestKit
import Testing

/// Which message is next, and how long the frames are (`blip.md` §5).
@Suite struct SchedulingTests {
    @Test
    func `two large messages alternate with full frames`() {
        var sender = BLIPConnection()
        for _ in 0..<2 { sender.send(BLIPRequest(profile: "large", body: .zeros(40_000))) }
        let seen = sender.takeFrames().map(Seen.init)
        #expect(seen.map(\.number) == [1, 2, 1, 2, 1, 2])
        #expect(seen.prefix(4).allSatisfy { $0.byteCount == 16_380 })
    }

    @Test
    func `an urgent message overtakes started messages, whose frames become shorter`() {
        var sender = BLIPConnection()
        for _ in 0..<3 { sender.send(BLIPRequest(profile: "large", body: .zeros(60_000))) }
        var frame: [UInt8] = []
        for _ in 0..<3 { _ = sender.nextFrame(into: &frame) }
        sender.send(BLIPRequest(profile: "now", body: .zeros(20_000), isUrgent: true))
        let seen = sender.takeFrames().map(Seen.init)
        #expect(seen.prefix(4).map(\.number) == [1, 4, 2, 4])
        #expect(seen.prefix(4).map(\.byteCount) == [4096, 16_380, 4096, 20_000 + 13 - 16_374 + 6])
        #expect(seen.dropFirst(4).allSatisfy { $0.number != 4 && $0.byteCount > 4096 })
    }

    @Test
    func `an urgent message does not overtake messages that have not started`() {
        var sender = BLIPConnection()
        for _ in 0..<4 { sender.send(BLIPRequest(profile: "normal")) }
        sender.send(BLIPRequest(profile: "now", isUrgent: true))
        #expect(sender.takeFrames().map { Seen($0).number } == [1, 2, 3, 4, 5])
    }

    @Test
    func `a normal message is sent between urgent messages`() {
        var sender = BLIPConnection()
        for _ in 0..<4 { sender.send(BLIPRequest(profile: "large", body: .zeros(60_000))) }
        var frame: [UInt8] = []
        for _ in 0..<4 { _ = sender.nextFrame(into: &frame) }
        for _ in 0..<2 { sender.send(BLIPRequest(profile: "now", isUrgent: true)) }
        let seen = sender.takeFrames().map(Seen.init)
        #expect(seen.prefix(5).map(\.number) == [1, 5, 2, 6, 3])
    }

    @Test(arguments: UInt64(0)..<30)
    func `requests start in the order of their numbers and all complete`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var sender = BLIPConnection()
        var seen: [Seen] = []
        for _ in 0..<40 {
            sender.send(
                BLIPRequest(
                    profile: "any",
                    body: .zeros(Int.random(in: 0...50_000, using: &generator)),
                    isUrgent: Bool.random(using: &generator)
                )
            )
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                var frame: [UInt8] = []
                if sender.nextFrame(into: &frame) { seen.append(Seen(frame)) }
            }
        }
        seen += sender.takeFrames().map(Seen.init)
        var begun: [UInt64] = []
        for frame in seen where !begun.contains(frame.number) { begun.append(frame.number) }
        #expect(begun == Array(1...40), "seed \(seed)")
        #expect(seen.filter { !$0.hasMore }.count == 40, "seed \(seed)")
        #expect(sender.queuedByteCount == 0, "seed \(seed)")
    }

    @Test
    func `a reply to an urgent request is urgent`() throws {
        var scribe = FrameBuilder()
        var connection = BLIPConnection()
        let frames = [
            scribe.message(1, FrameBuilder.urgent, []), scribe.message(2, FrameBuilder.request, []),
        ]
        for request in try connection.events(of: frames).compactMap(\.request) {
            connection.reply(to: request.id, with: .empty)
        }
        #expect(connection.takeFrames().map { Seen($0).flags } == [0x11, 0x01])
    }

    @Test(arguments: 0...9)
    func `no frame exceeds 16,384 bytes whatever its content`(level: Int) throws {
        var generator = SeededGenerator(seed: UInt64(level))
        let body = [UInt8].random(count: 100_000, using: &generator)
        var sender = BLIPConnection(codec: .deflate(level: level))
        var receiver = BLIPConnection()
        for _ in 0..<200 { sender.send(BLIPRequest(profile: "n", isNoReply: true)) }
        sender.send(BLIPRequest(profile: "x", body: .bytes(body), isCompressed: true))
        let frames = sender.takeFrames()
        #expect(frames.map(\.count).max() ?? 0 <= 16_384)
        #expect(frames.map(\.count).max() ?? 0 > 16_300)
        let events = try receiver.events(of: frames)
        #expect(events.last?.request?.body == body)
    }
}
