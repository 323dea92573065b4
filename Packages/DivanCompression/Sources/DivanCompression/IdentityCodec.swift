/// Does not change the bytes, for networks and disks that are faster than any codec.
public struct IdentityCodec: CompressionCodec {
    /// Creates the codec; it has no settings.
    public init() {}

    /// `"none"`.
    public var name: String { "none" }

    /// Returns `inputByteCount`: a piece keeps its length.
    public func maximumByteCount(for inputByteCount: Int) -> Int { inputByteCount }

    /// Returns a compressor that copies.
    public func makeCompressor() -> any StreamCompressor { IdentityStream() }

    /// Returns a decompressor that copies up to the limit.
    public func makeDecompressor() -> any StreamDecompressor { IdentityStream() }
}

extension CompressionCodec where Self == IdentityCodec {
    /// No compression.
    public static var none: Self { Self() }
}

private final class IdentityStream: StreamCompressor, StreamDecompressor {
    func compress(_ input: Span<UInt8>, appendingTo output: inout [UInt8]) {
        input.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }

    func compress(
        _ head: Span<UInt8>,
        followedBy body: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) {
        compress(head, appendingTo: &output)
        compress(body, appendingTo: &output)
    }

    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard input.count <= limit else { throw .outputTooLarge(codec: "none", limit: limit) }
        input.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }

    func reset() {}
}
