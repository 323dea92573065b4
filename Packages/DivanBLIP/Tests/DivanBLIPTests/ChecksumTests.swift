import DivanBLIP
import Testing

/// The checksum is the same however the processor folds it.
///
/// Short frames, those of 64 bytes and more, and those of 256 and more are computed by different code, each with a rest
/// of 0 to 15 bytes; the scribe computes it bit by bit. It continues from frame to frame, so that one wrong value
/// invalidates all that follow.
@Suite struct ChecksumTests {
    @Test func `the checksum matches its definition at every length`() throws {
        var scribe = FrameBuilder()
        var receiver = BLIPConnection()
        var sender = BLIPConnection()
        for length in 0..<700 {
            let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }
            let flags = FrameBuilder.request | FrameBuilder.noReply
            let expected = scribe.message(UInt64(length + 1), flags, [], body)

            let events = try receiver.events(of: [expected])
            #expect(events.count == 1, "length \(length)")
            sender.send(BLIPRequest(properties: [:], body: .bytes(body), isNoReply: true))
            var frame: [UInt8] = []
            while sender.nextFrame(into: &frame) {}
            #expect(frame == expected, "length \(length)")
        }
    }
}
