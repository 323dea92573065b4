import DivanCompression

/// Gives frames the checksum that a well-behaved sender would have written.
///
/// It follows the connection's own history: one decompressor, one compressor, one running CRC-32.
struct FrameForge {
    private let codec: any CompressionCodec
    private var decompressor: (any StreamDecompressor)?
    private var compressor: (any StreamCompressor)?
    private var checksum: UInt32 = 0

    private static let compressedFlag: UInt8 = 0x08
    private static let trailerByteCount = 4

    init(codec: any CompressionCodec) {
        self.codec = codec
    }

    /// The frame with its payload compressed; no part of it may be compressed yet.
    mutating func compressed(_ frame: [UInt8]) -> [UInt8] {
        guard let start = payloadStart(frame) else { return frame }
        compressor = compressor ?? (try? codec.makeCompressor())
        let payload = Array(frame[start..<frame.count - Self.trailerByteCount])
        var bytes = Array(frame[..<start])
        bytes[start - 1] |= Self.compressedFlag
        try? compressor?.compress(payload.span, appendingTo: &bytes)
        return bytes + frame.suffix(Self.trailerByteCount)
    }

    /// The frame with correct last four bytes.
    mutating func repaired(_ frame: [UInt8]) -> [UInt8] {
        guard let start = payloadStart(frame) else { return frame }
        let end = frame.count - Self.trailerByteCount
        let payload = Array(frame[start..<end])
        var plain = payload
        if frame[start - 1] & Self.compressedFlag != 0 {
            plain = []
            decompressor = decompressor ?? (try? codec.makeDecompressor())
            try? decompressor?.decompress(payload.span, limit: 200_000, appendingTo: &plain)
        }
        // ACKs (types 4 and 5) carry no checksum and do not count.
        if frame[start - 1] & 7 == 4 || frame[start - 1] & 7 == 5 { return frame }
        checksum = crc32(plain, continuing: checksum)
        let word = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
        return Array(frame[..<end]) + word
    }

    /// Where the payload starts: after the number and the flags.
    private func payloadStart(_ frame: [UInt8]) -> Int? {
        guard let numberEnd = frame.prefix(10).firstIndex(where: { $0 < 0x80 }) else { return nil }
        let start = numberEnd + 2
        return start <= frame.count - Self.trailerByteCount ? start : nil
    }
}

/// CRC-32/ISO-HDLC, bit by bit: inputs are short.
private func crc32(_ bytes: [UInt8], continuing before: UInt32) -> UInt32 {
    var value = ~before
    for byte in bytes {
        value ^= UInt32(byte)
        for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
    return ~value
}
