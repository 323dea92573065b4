public import DivanCompression

/// A codec with its number in packed bodies.
public struct NumberedCodec: Sendable {
    /// 1 to 63; must never be reused for another codec while bodies are stored.
    public let number: UInt8
    /// The codec.
    public let codec: any CompressionCodec

    /// Returns `nil` for a number outside 1 to 63.
    public init?(number: UInt8, codec: any CompressionCodec) {
        guard 1...63 ~= number else { return nil }
        self.number = number
        self.codec = codec
    }
}
