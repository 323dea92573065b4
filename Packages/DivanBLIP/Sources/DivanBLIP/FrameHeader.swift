/// The number and flags before every frame's payload.
struct FrameHeader {
    let number: UInt64
    let flags: FrameFlags
    let byteCount: Int

    init(_ frame: Span<UInt8>) throws(BLIPError.Reason) {
        var offset = 0
        number = try Self.requiredVarint(frame, at: &offset)
        let bits = try Self.requiredVarint(frame, at: &offset)
        // Unknown high bits are ignored, however many there are.
        flags = FrameFlags(bits: UInt8(truncatingIfNeeded: bits))
        byteCount = offset
    }

    static func requiredVarint(
        _ bytes: Span<UInt8>,
        at offset: inout Int
    ) throws(BLIPError.Reason) -> UInt64 {
        guard let number = try readVarint(bytes, at: &offset) else {
            throw .truncatedFrame(byteCount: bytes.count)
        }
        return number
    }
}
