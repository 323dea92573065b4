internal import CDivanLZ4

/// The frame around a block.
enum Block {
    /// The most plain bytes in a block.
    static let byteCount = Int(DIVAN_LZ4_BLOCK_BYTE_COUNT)
    /// The most bytes of the two lengths before it.
    static let headCount = Int(DIVAN_LZ4_HEAD_BYTE_COUNT)
    /// The codec's name in `CompressionError`.
    static let codecName = "lz4"
}
