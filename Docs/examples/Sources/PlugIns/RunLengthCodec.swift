public import DivanCompression

/// Writes a run of equal bytes as two bytes: its length and the byte.
///
/// A codec without history.
public struct RunLengthCodec: CompressionCodec {
    /// Creates the codec.
    public init() {}

    /// The name that both peers agree on.
    public var name: String { "runs" }

    /// Each byte may be a separate run.
    public func maximumByteCount(for inputByteCount: Int) -> Int { 2 * inputByteCount }

    /// Creates the sending half.
    public func makeCompressor() -> any StreamCompressor { RunStream() }

    /// Creates the receiving half.
    public func makeDecompressor() -> any StreamDecompressor { RunStream() }
}

private final class RunStream: StreamCompressor, StreamDecompressor {
    func compress(_ input: Span<UInt8>, appendingTo output: inout [UInt8]) {
        var start = 0
        while start < input.count {
            var end = start + 1
            while end < input.count, end - start < 255, input[end] == input[start] { end += 1 }
            output.append(UInt8(end - start))
            output.append(input[start])
            start = end
        }
    }

    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard input.count.isMultiple(of: 2) else {
            throw .corrupt(codec: "runs", detail: "half a run")
        }
        var room = limit
        for index in stride(from: 0, to: input.count, by: 2) {
            let count = Int(input[index])
            guard count > 0 else { throw .corrupt(codec: "runs", detail: "an empty run") }
            // Checked before the bytes are created, because a peer chooses the length of a run.
            guard count <= room else { throw .outputTooLarge(codec: "runs", limit: limit) }
            room -= count
            output.append(contentsOf: repeatElement(input[index + 1], count: count))
        }
    }

    func reset() {}
}
