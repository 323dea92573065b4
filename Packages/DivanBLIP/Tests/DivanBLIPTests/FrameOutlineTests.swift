import DivanBLIP
import DivanCompression
import Testing

/// What an observer sees of a frame.
@Suite struct FrameOutlineTests {
    private func firstFrame(of request: consuming BLIPRequest) -> [UInt8] {
        var connection = BLIPConnection(codec: IdentityCodec())
        connection.send(request)
        var frame: [UInt8] = []
        let isMade = connection.nextFrame(into: &frame)
        #expect(isMade)
        return frame
    }

    @Test func `a request shows its number and flags`() throws {
        let small = try BLIPFrameOutline(firstFrame(of: BLIPRequest(profile: "hello")).span)
        #expect(small.kind == .request)
        #expect(small.number == 1)
        #expect(!small.isCompressed && !small.isUrgent && !small.isNoReply && !small.hasMoreComing)
        let body = BLIPBody.bytes([UInt8](repeating: 7, count: 100_000))
        let frame = firstFrame(
            of: BLIPRequest(profile: "big", body: body, isUrgent: true, isNoReply: true)
        )
        let big = try BLIPFrameOutline(frame.span)
        #expect(big.isUrgent && big.isNoReply && big.hasMoreComing)
        #expect(big.byteCount == frame.count)
    }

    @Test func `acknowledgements show their byte count, and unknown types their number`() throws {
        #expect(
            try BLIPFrameOutline([9, 0x34, 0xD0, 0x86, 0x03].span).kind
                == .acknowledgesRequest(byteCount: 50_000)
        )
        #expect(try BLIPFrameOutline([9, 0x35, 5].span).kind == .acknowledgesReply(byteCount: 5))
        #expect(try BLIPFrameOutline([9, 0x03].span).kind == .unknown(3))
    }

    @Test func `an incomplete header is refused`() {
        for bytes: [UInt8] in [[], [1], [0x80], [1, 4]] {
            #expect(throws: BLIPError.self) { try BLIPFrameOutline(bytes.span) }
        }
    }
}
