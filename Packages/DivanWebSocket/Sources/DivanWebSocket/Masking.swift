import DivanCrypto

/// Applies `key` to `bytes` in place; the same call masks and unmasks (RFC 6455 §5.3).
///
/// The pointer is to an array's own storage, from `withUnsafeMutableBytes`, and every offset below is within its count.
func applyMask(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
    // In memory the key's first byte comes first, whatever the machine's byte order.
    let word = UInt64(key.bigEndian) << 32 | UInt64(key.bigEndian)
    let wide = SIMD8<UInt64>(repeating: word)
    var offset = 0
    while offset + 64 <= bytes.count {
        let block = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
        bytes.storeBytes(of: block ^ wide, toByteOffset: offset, as: SIMD8<UInt64>.self)
        offset += 64
    }
    while offset + 8 <= bytes.count {
        let block = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        bytes.storeBytes(of: block ^ word, toByteOffset: offset, as: UInt64.self)
        offset += 8
    }
    while offset < bytes.count {
        bytes[offset] ^= UInt8(truncatingIfNeeded: key >> UInt32(24 - 8 * (offset & 3)))
        offset += 1
    }
}

/// Masking keys, taken from the random source in blocks.
struct MaskingKeys: Sendable {
    private static let blockByteCount = 256  // 64 keys for one call of the source

    private let random: any RandomSource
    private var block: ArraySlice<UInt8> = []

    init(random: any RandomSource) {
        self.random = random
    }

    /// Returns 32 fresh bits, which never repeat and which a peer cannot predict (RFC 6455 §10.3).
    mutating func next() -> UInt32 {
        if block.count < 4 { block = random.bytes(Self.blockByteCount)[...] }
        let key = bigEndian(block.prefix(4))
        block = block.dropFirst(4)
        return UInt32(truncatingIfNeeded: key)
    }
}

/// Reads up to 8 big-endian bytes.
func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
}
