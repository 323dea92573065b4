public import DivanCompression

/// A codec under the number that packed bodies name it by.
public struct NumberedCodec: Sendable {
    /// 1 to 63; never reused for another codec as long as bodies are kept.
    public let number: UInt8
    /// The codec.
    public let codec: any CompressionCodec

    /// Returns `nil` for a number that a body cannot name.
    public init?(number: UInt8, codec: any CompressionCodec) {
        guard 1...63 ~= number else { return nil }
        self.number = number
        self.codec = codec
    }
}
