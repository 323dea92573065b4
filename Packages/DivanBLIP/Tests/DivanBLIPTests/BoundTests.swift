import DivanBLIP
import DivanCompression
import DivanTestKit
import DivanZlib
import Testing

/// What a peer can make us hold, and where the limits are.
@Suite struct BoundTests {
    @Test
    func `a frame above the limit is refused`() throws {
        var scribe = FrameBuilder()
        let frame = scribe.message(
            1,
            FrameBuilder.request,
            [],
            [UInt8](repeating: 0, count: 20_000)
        )
        let count = frame.count
        expectRefusal([frame], .frameTooLarge(byteCount: count, limit: 20_000), 1009)
        var sound = BLIPConnection(limits: .small)
        scribe = FrameBuilder()
        let body = [UInt8](repeating: 0, count: 20_000 - 7)
        #expect(try sound.events(of: [scribe.message(1, 0, [], body)]).count == 1)
    }

    @Test
    func `a message above the limit is refused, in one frame or in several`() {
        var scribe = FrameBuilder()
        let zeros = [UInt8](repeating: 0, count: 100_001)
        let bomb = scribe.frame(1, FrameBuilder.request | FrameBuilder.compressed, zeros)
        #expect(bomb.count < 200)
        expectRefusal([bomb], .messageTooLarge(limit: 100_000), 1009)

        scribe = FrameBuilder()
        let frames = (0..<6).map { _ in
            scribe.frame(1, FrameBuilder.moreComing, [UInt8](repeating: 0, count: 19_000))
        }
        expectRefusal(frames, .messageTooLarge(limit: 100_000), 1009)
    }

    /// Each frame alone is harmless: a hundred bytes that become 19,000.
    @Test
    func `a series of compressed frames is stopped at the limit`() {
        var scribe = FrameBuilder()
        let zeros = [UInt8](repeating: 0, count: 19_000)
        let more = FrameBuilder.moreComing | FrameBuilder.compressed
        let chain = (0..<6).map { _ in scribe.frame(1, more, zeros) }
        #expect(chain.allSatisfy { $0.count < 100 })
        expectRefusal(chain, .messageTooLarge(limit: 100_000), 1009)
    }

    @Test
    func `64 MB compressed to 64 KB are stopped at the limit`() throws {
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        let payload = try DeflateCodec(level: 9).compressed(zeros.span)
        let frame = [1, FrameBuilder.compressed] + payload + [0, 0, 0, 0]
        var connection = BLIPConnection()
        let error = #expect(throws: BLIPError.self) { try connection.receive(frame.span) }
        #expect(error?.reason == .messageTooLarge(limit: 32 << 20))
        #expect(error?.closeCode == 1009)
    }

    @Test
    func `the number of incomplete requests is limited`() {
        var scribe = FrameBuilder()
        let frames = (1...11).map { scribe.frame(UInt64($0), FrameBuilder.moreComing, [0]) }
        expectRefusal(frames, .openMessages(limit: 10), 1008)
    }

    @Test
    func `the total size of incomplete messages is limited`() {
        var scribe = FrameBuilder()
        let body = [UInt8](repeating: 0, count: 19_000)
        let frames = (1...8).map { scribe.frame(UInt64($0), FrameBuilder.moreComing, body) }
        expectRefusal(frames, .openBytes(limit: 150_000), 1009)
    }

    @Test
    func `complete messages no longer count`() throws {
        var scribe = FrameBuilder()
        var connection = BLIPConnection(limits: .small)
        let body = [UInt8](repeating: 0, count: 19_000)
        for number: UInt64 in 1...40 {
            let frames = [
                scribe.frame(number, FrameBuilder.noReply | FrameBuilder.moreComing, body),
                scribe.frame(number, 0, body),
            ]
            #expect(try connection.events(of: frames).count == 1)
        }
    }

    @Test
    func `requests count until their replies are sent`() throws {
        var scribe = FrameBuilder()
        var connection = BLIPConnection(limits: .small)
        for number: UInt64 in 1...60 {
            let events = try connection.events(of: [scribe.message(number, 0, [])])
            let id = try #require(events.first?.request?.id)
            connection.reply(to: id, with: .empty)
            if number.isMultiple(of: 20) { #expect(connection.takeFrames().count == 20) }
        }
        for number: UInt64 in 61...80 {
            _ = try connection.events(of: [scribe.message(number, 0, [])])
        }
        let one = scribe.message(81, 0, [])
        let error = #expect(throws: BLIPError.self) { try connection.receive(one.span) }
        #expect(error?.reason == .unansweredRequests(limit: 20))
        #expect(error?.closeCode == 1008)
    }

    @Test
    func `the size of unread replies is limited`() throws {
        var scribe = FrameBuilder()
        var limits = BLIPConnection.Limits()
        limits.queuedReplyByteCount = 100_000
        var connection = BLIPConnection(limits: limits)
        let reply = BLIPReply(body: .bytes([UInt8](repeating: 1, count: 30_000)))
        for number: UInt64 in 1...20 {
            let events = try connection.events(of: [scribe.message(number, 0, [])])
            let id = try #require(events.first?.request?.id)
            connection.reply(to: id, with: reply)
            if number.isMultiple(of: 4) { #expect(!connection.takeFrames().isEmpty) }
        }
        for number: UInt64 in 21...24 {
            let events = try connection.events(of: [scribe.message(number, 0, [])])
            connection.reply(to: try #require(events.first?.request?.id), with: reply)
        }
        let one = scribe.message(25, 0, [])
        let error = #expect(throws: BLIPError.self) { try connection.receive(one.span) }
        #expect(error?.reason == .queuedReplies(limit: 100_000))
        #expect(error?.closeCode == 1008)
    }

    @Test(arguments: [
        ("06", "deflate: decompression failed (invalid block type)"),
        ("0300", "deflate: decompression failed (unexpected end of stream)"),
        ("0202", "deflate: decompression failed (invalid distance too far back)"),
    ])
    func `invalid deflate data is refused`(hex: String, text: String) throws {
        let payload = try #require([UInt8](hex: hex + "ffffffff"))
        let frame = [1, FrameBuilder.compressed] + payload + [0, 0, 0, 0]
        var connection = BLIPConnection()
        let error = #expect(throws: BLIPError.self) { try connection.receive(frame.span) }
        #expect(error?.description.contains(text) == true, "\(String(describing: error))")
        #expect(error?.closeCode == 1002)
    }

    @Test
    func `an empty compressed frame does not break the next one`() throws {
        var scribe = FrameBuilder()
        let flags = FrameBuilder.compressed
        let frames = [
            scribe.frame(1, flags | FrameBuilder.moreComing, plainMessage([("Profile", "a")], [1])),
            scribe.frame(1, flags, plain: [], payload: []),
            scribe.message(2, flags, [("Profile", "b")], [2]),
        ]
        var connection = BLIPConnection()
        let requests = try connection.events(of: frames).compactMap(\.request)
        #expect(requests.map(\.body) == [[1], [2]])
    }

    private func expectRefusal(
        _ frames: [[UInt8]],
        _ reason: BLIPError.Reason,
        _ closeCode: UInt16
    ) {
        var connection = BLIPConnection(limits: .small)
        let error = #expect(throws: BLIPError.self) { try connection.events(of: frames) }
        #expect(error?.reason == reason)
        #expect(error?.closeCode == closeCode)
    }
}
