internal import CDivanLZ4

/// The frame around a block.
enum Block {
    /// Most plain bytes in a block.
    static let byteCount = Int(DIVAN_LZ4_BLOCK_BYTE_COUNT)
    /// Most bytes of the two lengths before it.
    static let headCount = Int(DIVAN_LZ4_HEAD_BYTE_COUNT)
    /// The word for `CompressionError`.
    static let codecName = "lz4"
}
