/// The 2 to 14 bytes before a payload.
///
/// Source: RFC 6455 §5.2.
struct FrameHeader {
    let isFinal: Bool
    let opcode: Opcode
    let maskingKey: UInt32?
    let byteCount: Int
    let payloadByteCount: Int

    /// Parses the header that starts at `start`; `nil` if it is not complete yet.
    init?(
        _ bytes: [UInt8],
        at start: Int,
        sentBy sender: Role,
        limits: WebSocketLimits
    ) throws(FrameError.Reason) {
        guard bytes.count - start >= 2 else { return nil }
        let (first, second) = (bytes[start], bytes[start + 1])

        guard first & 0x70 == 0 else { throw .reservedBits(first & 0x70) }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .opcode(first & 0x0F) }
        let isFinal = first & 0x80 != 0
        let isMasked = second & 0x80 != 0
        guard isMasked == (sender == .client) else { throw .masking(isMasked: isMasked) }
        let shortLength = second & 0x7F
        if opcode.isControl, !isFinal || shortLength > 125 { throw .controlFrame(opcode) }

        let lengthByteCount = shortLength == 127 ? 8 : shortLength == 126 ? 2 : 0
        let byteCount = 2 + lengthByteCount + (isMasked ? 4 : 0)
        guard bytes.count - start >= byteCount else { return nil }

        let keyStart = start + 2 + lengthByteCount
        var length = UInt64(shortLength)
        if lengthByteCount > 0 {
            length = bigEndian(bytes[start + 2..<keyStart])
            try Self.check(length, in: lengthByteCount)
        }
        // Compared as received, before any arithmetic could overflow.
        guard length <= UInt64(limits.payloadByteCount) else {
            throw .payload(byteCount: length, limit: limits.payloadByteCount)
        }

        self.isFinal = isFinal
        self.opcode = opcode
        self.maskingKey =
            isMasked
            ? UInt32(truncatingIfNeeded: bigEndian(bytes[keyStart..<keyStart + 4])) : nil
        self.byteCount = byteCount
        self.payloadByteCount = Int(length)
    }

    /// A length must use the shortest of its three forms and leave the top bit clear.
    private static func check(
        _ length: UInt64,
        in lengthByteCount: Int
    ) throws(FrameError.Reason) {
        let isShortest = lengthByteCount == 2 ? length > 125 : length > UInt64(UInt16.max)
        guard isShortest, length >> 63 == 0 else {
            throw .length(length, byteCount: lengthByteCount)
        }
    }
}
