import DivanBLIP
import DivanTestKit
import Testing

/// Acknowledgements in both directions: what waits, what continues, and the frames' bytes.
@Suite struct FlowControlTests {
    /// `0134e8ff03` of `blip.md` §6 is what go-blip sends after four of our frames.
    private let acknowledges65512 = [UInt8](hex: "0134e8ff03") ?? []

    @Test
    func `a message pauses at 128,000 unacknowledged bytes, and others continue`() throws {
        var sender = BLIPConnection()
        sender.send(BLIPRequest(profile: "large", body: .zeros(400_000)))
        let first = sender.takeFrames().map(Seen.init)
        #expect(first.count == 8)
        #expect(first.allSatisfy { $0.byteCount == 16_380 && $0.hasMore })
        #expect(!sender.hasOutput)
        #expect(sender.queuedByteCount == 400_000 + 15 - 8 * 16_374)

        sender.send(BLIPRequest(profile: "small"))
        #expect(sender.takeFrames().map(Seen.init).map(\.number) == [2])
        #expect(try sender.events(of: [acknowledges65512]).isEmpty)
        #expect(sender.hasOutput)
        #expect(sender.takeFrames().count == 8)
        #expect(!sender.hasOutput)
    }

    @Test
    func `a window grows with acknowledgements up to eight times its initial size`() throws {
        var sender = BLIPConnection()
        sender.send(BLIPRequest(profile: "large", body: .zeros(16_374 * 400)))
        var sent = 0
        var acknowledged = 0
        var widest = 0
        while acknowledged < 300 * 16_378 {
            sent += sender.takeFrames().count * 16_378
            widest = max(widest, sent - acknowledged)
            #expect(sent - acknowledged < min(128_000 + acknowledged, 1_024_000) + 16_378)
            acknowledged += 4 * 16_378
            _ = try sender.events(of: [[1, 0x34] + varint(UInt64(acknowledged))])
        }
        #expect(widest >= 1_024_000)
    }

    @Test(arguments: [
        "0134ebff07", "0134ffffffff0f", "0134ffffffffffffffffff01", "013400", "013410",
    ])
    func `an acknowledgement of too many or too few bytes changes nothing`(hex: String) throws {
        var sender = BLIPConnection()
        sender.send(BLIPRequest(profile: "large", body: .zeros(400_000)))
        #expect(sender.takeFrames().count == 8)
        let acknowledgement = try #require([UInt8](hex: hex))
        #expect(try sender.events(of: [acknowledgement, [2] + acknowledgement[1...]]).isEmpty)
        #expect(!sender.hasOutput)
    }

    @Test
    func `an earlier acknowledgement after a later one has no effect`() throws {
        var sender = BLIPConnection()
        sender.send(BLIPRequest(profile: "large", body: .zeros(800_000)))
        #expect(sender.takeFrames().count == 8)
        let all: [UInt8] = [1, 0x34] + varint(8 * 16_378)
        _ = try sender.events(of: [all, acknowledges65512, all])
        #expect(sender.takeFrames().count == 16)
        #expect(!sender.hasOutput)
    }

    @Test
    func `a receiver acknowledges every 50,000 bytes except the last`() throws {
        var sender = BLIPConnection()
        var receiver = BLIPConnection()
        sender.send(BLIPRequest(profile: "large", body: .zeros(16_374 * 9 - 15), isNoReply: true))
        var acknowledgements: [[UInt8]] = []
        while sender.hasOutput {
            for frame in sender.takeFrames() {
                let events = try receiver.events(of: [frame])
                #expect(events.count == (Seen(frame).hasMore ? 0 : 1))
                acknowledgements += receiver.takeFrames()
            }
            _ = try sender.events(of: acknowledgements)
        }
        #expect(acknowledgements == [acknowledges65512, [1, 0x34] + varint(131_024)])
    }

    @Test
    func `compressed bytes count with their compressed size`() throws {
        var sender = BLIPConnection()
        var receiver = BLIPConnection()
        sender.send(BLIPRequest(profile: "large", body: .zeros(1_000_000), isCompressed: true))
        let frames = sender.takeFrames()
        #expect(frames.allSatisfy { $0.count < 100 })
        #expect(!sender.hasOutput)
        #expect(try receiver.events(of: frames).first?.request?.body.count == 1_000_000)
        #expect(!receiver.hasOutput)
    }

    @Test
    func `replies use the same flow control`() throws {
        var asker = BLIPConnection()
        var answerer = BLIPConnection()
        asker.send(BLIPRequest(profile: "get"))
        let request = try #require(try answerer.events(of: asker.takeFrames()).first?.request)
        answerer.reply(to: request.id, with: BLIPReply(body: .zeros(300_000)))
        let frames = answerer.takeFrames()
        #expect(frames.count == 8)
        #expect(try asker.events(of: frames).isEmpty)
        let acknowledgements = asker.takeFrames()
        #expect(acknowledgements == [[1, 0x35] + varint(8 * 16_378)])
        _ = try answerer.events(of: acknowledgements)
        #expect(
            try asker.events(of: answerer.takeFrames()).first?.reply?.reply.body.count == 300_000
        )
    }

    @Test
    func `a peer that never acknowledges stops only that message`() throws {
        var sender = BLIPConnection()
        for _ in 0..<3 { sender.send(BLIPRequest(profile: "large", body: .zeros(200_000))) }
        sender.send(BLIPRequest(profile: "small"))
        let seen = sender.takeFrames().map(Seen.init)
        for number: UInt64 in 1...3 {
            #expect(seen.filter { $0.number == number }.count == 8)
        }
        #expect(seen.contains { $0.number == 4 && !$0.hasMore })
    }

    @Test
    func `acknowledgements that are not sent yet are merged`() throws {
        var scribe = FrameBuilder()
        var receiver = BLIPConnection()
        let part = [UInt8](repeating: 0, count: 60_000)
        for _ in 0..<100 {
            let frame = scribe.frame(1, FrameBuilder.moreComing, part)
            _ = try receiver.events(of: [frame])
        }
        #expect(receiver.takeFrames() == [[1, 0x34] + varint(100 * 60_004)])
        #expect(!receiver.hasOutput)
    }
}
