/// The flags byte of a frame.
///
/// Source: `blip.md` §2.
struct FrameFlags: Equatable, Sendable {
    static let typeMask: UInt8 = 0x07
    static let compressed: UInt8 = 0x08
    static let urgent: UInt8 = 0x10
    static let noReply: UInt8 = 0x20
    static let moreComing: UInt8 = 0x40

    var bits: UInt8

    var kind: FrameKind? { FrameKind(rawValue: bits & Self.typeMask) }
    var isCompressed: Bool { bits & Self.compressed != 0 }
    var isUrgent: Bool { bits & Self.urgent != 0 }
    var isNoReply: Bool { bits & Self.noReply != 0 }
    var hasMoreComing: Bool { bits & Self.moreComing != 0 }
}

/// What a frame is part of.
enum FrameKind: UInt8, Sendable {
    case request = 0
    case reply = 1
    case errorReply = 2
    case acknowledgesRequest = 4
    case acknowledgesReply = 5
}

/// A message on the wire: requests and replies are numbered apart.
struct MessageKey: Hashable, Sendable {
    let number: UInt64
    let isReply: Bool
}

/// The numbers that both ends agree on.
///
/// Source: `blip.md` §1 (frames), §3 (checksum), §6 (flow control).
enum Wire {
    /// Most bytes in a frame that we send; Sync Gateway ends the connection above 32,768.
    static let longFrameByteCount = 16_384
    /// The same while an urgent message waits behind.
    static let shortFrameByteCount = 4096
    /// Plain bytes in a long frame that go-blip sends; a longer header leaves fewer.
    static let plainByteCount = 16_374
    static let checksumByteCount = 4
    /// A receiver acknowledges each time so many counted bytes have come.
    static let acknowledgeInterval = 50_000
    /// A sender pauses a message with so many counted bytes unacknowledged.
    static let windowByteCount = 128_000
}

/// The number and flags before every frame's payload.
struct FrameHeader {
    let number: UInt64
    let flags: FrameFlags
    let byteCount: Int

    init(_ frame: Span<UInt8>) throws(BLIPError.Reason) {
        var offset = 0
        number = try Self.requiredVarint(frame, at: &offset)
        let bits = try Self.requiredVarint(frame, at: &offset)
        // Unknown high bits are ignored, whatever their number.
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

/// Reads an unsigned LEB128 number and moves `offset` behind it; `nil` when it is not all there.
func readVarint(
    _ bytes: Span<UInt8>,
    at offset: inout Int
) throws(BLIPError.Reason) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    var index = offset
    while index < bytes.count {
        let byte = bytes[index]
        index += 1
        // The tenth byte holds the last bit of 64.
        guard shift < 63 || byte <= 1 else { throw .varintTooLong }
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 {
            offset = index
            return number
        }
        shift += 7
    }
    return nil
}

func appendVarint(_ number: UInt64, to output: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
        output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
    }
    output.append(UInt8(truncatingIfNeeded: rest))
}

func varintByteCount(_ number: UInt64) -> Int {
    max(1, (64 - number.leadingZeroBitCount + 6) / 7)
}
