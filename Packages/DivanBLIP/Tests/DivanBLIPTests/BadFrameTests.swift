import DivanBLIP
import DivanTestKit
import Testing

/// Everything that a peer can get wrong, and what it costs us.
@Suite struct BadFrameTests {
    @Test(arguments: [
        ("", BLIPError.Reason.truncatedFrame(byteCount: 0)),
        ("01", .truncatedFrame(byteCount: 1)),
        ("0100", .truncatedFrame(byteCount: 2)),
        ("0100000000", .truncatedFrame(byteCount: 5)),
        ("01ff", .truncatedFrame(byteCount: 2)),
        ("80", .truncatedFrame(byteCount: 1)),
        ("ffffffffffffffffffff0100", .varintTooLong),
        ("80808080808080808002", .varintTooLong),
        ("0134", .truncatedFrame(byteCount: 2)),
        ("013480", .truncatedFrame(byteCount: 3)),
        ("013480808080808080808002", .varintTooLong),
    ])
    func `a truncated frame is refused`(hex: String, reason: BLIPError.Reason) throws {
        expectRefusal([try #require([UInt8](hex: hex))], reason)
    }

    @Test
    func `every prefix of a valid frame is refused`() throws {
        var scribe = FrameBuilder()
        let frame = scribe.message(1, FrameBuilder.request, [("Profile", "echo")], [1, 2, 3])
        for count in frame.indices {
            var connection = BLIPConnection()
            let cut = Array(frame.prefix(count))
            #expect(throws: BLIPError.self) { try connection.receive(cut.span) }
            #expect(connection.next() == nil)
        }
    }

    @Test
    func `a wrong checksum is refused, and nothing is delivered`() throws {
        var scribe = FrameBuilder()
        var frame = scribe.message(1, FrameBuilder.request, [("Profile", "rev")], [7])
        frame[frame.count - 1] ^= 1
        var connection = BLIPConnection()
        let error = #expect(throws: BLIPError.self) { try connection.receive(frame.span) }
        #expect(connection.next() == nil)
        #expect(error?.description.hasPrefix("BLIP frame 0: checksum ") == true)
        let again = #expect(throws: BLIPError.self) { try connection.receive(frame.span) }
        #expect(again == error)
    }

    @Test(arguments: [
        ([5, 0x41, 0, 0x42, 0], BLIPError.Reason.truncatedProperties),
        ([4, 0x41, 0, 0x42, 0x43], .malformedProperties),
        ([2, 0x41, 0], .malformedProperties),
        ([6, 0x41, 0, 0x42, 0, 0x43, 0], .malformedProperties),
        ([4, 0xFF, 0, 0x42, 0], .malformedProperties),
        ([6, 0xC3, 0, 0xA9, 0, 0x43, 0], .malformedProperties),
        ([5, 0xED, 0xA0, 0x80, 0, 0], .malformedProperties),
        ([0x80], .truncatedProperties),
        ([], .truncatedProperties),
        ([0x81, 0xA0, 0x06], .propertiesTooLarge(byteCount: 102_401, limit: 102_400)),
        (
            [255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
            .propertiesTooLarge(byteCount: UInt64.max, limit: 102_400)
        ),
        ([255, 255, 255, 255, 255, 255, 255, 255, 255, 2], .varintTooLong),
    ])
    func `malformed properties are refused`(plain: [UInt8], reason: BLIPError.Reason) {
        for flags in [FrameBuilder.request, FrameBuilder.request | FrameBuilder.compressed] {
            var scribe = FrameBuilder()
            expectRefusal([scribe.frame(1, flags, plain)], reason)
        }
        var scribe = FrameBuilder()
        let frames = plain.map {
            scribe.frame(1, FrameBuilder.request | FrameBuilder.moreComing, [$0])
        }
        expectRefusal(frames + [scribe.frame(1, FrameBuilder.request, [])], reason)
    }

    @Test
    func `100 KiB of properties are accepted`() throws {
        var scribe = FrameBuilder()
        let value = String(repeating: "x", count: 102_400 - 3)
        var connection = BLIPConnection()
        let frame = scribe.message(1, FrameBuilder.request, [("h", value)])
        let events = try connection.events(of: [frame])
        #expect(events.first?.request?.properties.byteCount == 102_400)
    }

    @Test
    func `a request number out of order is refused`() {
        for number: UInt64 in [0, 2, 1 << 32, 1 << 63, UInt64.max] {
            var scribe = FrameBuilder()
            expectRefusal(
                [scribe.message(number, FrameBuilder.request, [])],
                .requestNumber(number, expected: 1)
            )
        }
        var scribe = FrameBuilder()
        let again = [
            scribe.message(1, FrameBuilder.request, []),
            scribe.message(1, FrameBuilder.request, []),
        ]
        expectRefusal(again, .requestNumber(1, expected: 2))
    }

    @Test
    func `a reply without a request is refused, a second reply is ignored`() throws {
        var scribe = FrameBuilder()
        expectRefusal([scribe.message(1, FrameBuilder.reply, [])], .replyNumber(1))

        var connection = BLIPConnection()
        connection.send(BLIPRequest(profile: "a"))
        connection.send(BLIPRequest(profile: "b", isNoReply: true))
        scribe = FrameBuilder()
        let replies = [
            scribe.message(1, FrameBuilder.reply, []), scribe.message(1, FrameBuilder.reply, []),
            scribe.message(2, FrameBuilder.reply, []), scribe.message(0, FrameBuilder.reply, []),
        ]
        #expect(try connection.events(of: replies).count == 1)
        #expect(connection.ignoredFrameCount == 3)
        let tooHigh = scribe.message(3, FrameBuilder.errorReply, [])
        #expect(throws: BLIPError.self) { try connection.receive(tooHigh.span) }
    }

    @Test(arguments: [UInt8(3), 6, 7])
    func `a frame of unknown type is ignored with or without a checksum`(type: UInt8) throws {
        for isInChecksum in [true, false] {
            var scribe = FrameBuilder()
            let outside: [UInt8] = [9, type, 1, 2, 0, 0, 0, 0]
            let unknown = isInChecksum ? scribe.frame(9, type, [1, 2]) : outside
            var connection = BLIPConnection()
            let frames = [unknown, [1, type], [1, type, 0, 0, 0, 0, 1]]
            let request = scribe.message(1, FrameBuilder.request, [("Profile", "echo")])
            let events = try connection.events(of: frames + [request])
            #expect(events.first?.request?.profile == "echo")
            #expect(connection.ignoredFrameCount == 3)
        }
    }

    @Test
    func `an acknowledgement of an unknown message is ignored`() throws {
        var connection = BLIPConnection()
        for hex in ["0134e8ff03", "0135e8ff03", "ffffff7f3400", "0035ffffffffffffffffff01"] {
            #expect(try connection.events(of: [try #require([UInt8](hex: hex))]).isEmpty)
        }
        #expect(connection.ignoredFrameCount == 0)
    }

    @Test
    func `unknown high flag bits are ignored`() throws {
        var scribe = FrameBuilder()
        var connection = BLIPConnection()
        let long = scribe.message(1, 0, [("Profile", "y")])
        let frame = [long[0], 0x80, 0x01] + long[2...]
        #expect(try connection.events(of: [frame]).first?.request?.profile == "y")
    }

    @Test(arguments: UInt64(0)..<300)
    func `damaged frames can only end the connection`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var scribe = FrameBuilder()
        var frames = (1...6).map { number in
            let flags = number.isMultiple(of: 2) ? FrameBuilder.compressed : 0
            return scribe.message(UInt64(number), flags, [("Profile", "rev")], Array("body".utf8))
        }
        let index = Int.random(in: frames.indices, using: &generator)
        let place = Int.random(in: frames[index].indices, using: &generator)
        frames[index][place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        var connection = BLIPConnection(limits: .small)
        var deliveredCount = 0
        do {
            for frame in frames {
                deliveredCount += try connection.events(of: [frame]).count
            }
        } catch {
            #expect([1002, 1009].contains(error.closeCode), "seed \(seed)")
        }
        #expect(deliveredCount <= 6, "seed \(seed)")
        #expect(deliveredCount >= index, "seed \(seed)")
    }

    private func expectRefusal(_ frames: [[UInt8]], _ reason: BLIPError.Reason) {
        var connection = BLIPConnection()
        let error = #expect(throws: BLIPError.self) { try connection.events(of: frames) }
        #expect(error?.reason == reason)
        #expect(error?.closeCode == 1002)
    }
}

extension BLIPConnection.Limits {
    /// Limits that a test reaches quickly.
    static var small: Self {
        var limits = Self()
        limits.frameByteCount = 20_000
        limits.messageByteCount = 100_000
        limits.openByteCount = 150_000
        limits.openMessageCount = 10
        limits.unansweredRequestCount = 20
        return limits
    }
}
