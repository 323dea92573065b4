import DivanTestKit
import Testing

// How much memory a connection keeps is internal to the module.
@testable import DivanBLIP

/// What a connection keeps between two messages: a peer that sends nothing more must not hold it.
@Suite struct SpareMemoryTests {
    private static let megabytes = [UInt8](repeating: 0, count: 8 << 20)

    @Test(arguments: [FrameBuilder.compressed, FrameBuilder.compressed | FrameBuilder.moreComing])
    func `the memory of a long message is not kept for the next message`(flags: UInt8) throws {
        var scribe = FrameBuilder()
        var connection = BLIPConnection()
        let bomb = scribe.frame(1, flags, [0] + Self.megabytes)
        #expect(bomb.count < 16_384)
        _ = try connection.events(of: [bomb])
        #expect(connection.spareByteCount <= 256 << 10)
        _ = try connection.events(of: [scribe.message(2, FrameBuilder.compressed, [], [1, 2, 3])])
        #expect(connection.spareByteCount <= 256 << 10)
    }

    @Test func `the memory of a discarded message is not kept`() throws {
        var scribe = FrameBuilder()
        var connection = BLIPConnection()
        // A reply to no request.
        let reply = scribe.frame(1, FrameBuilder.compressed | 1, [0] + Self.megabytes)
        _ = try? connection.events(of: [reply])
        #expect(connection.spareByteCount <= 256 << 10)
    }

    @Test func `queued messages are counted`() throws {
        var scribe = FrameBuilder()
        var connection = BLIPConnection()
        let count = 100
        for number in 1...count {
            let frame = scribe.message(UInt64(number), FrameBuilder.request, [], [])
            for event in try connection.events(of: [frame]) {
                guard case .request(let request) = event else { continue }
                connection.reply(to: request.id, with: BLIPReply())
            }
        }
        #expect(connection.queuedMessageCount == count)
        var frame: [UInt8] = []
        while connection.nextFrame(into: &frame) {}
        #expect(connection.queuedMessageCount == 0)
    }
}
