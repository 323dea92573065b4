import DivanCompression

/// A codec unknown to the packages below: pairs of a count and a byte.
struct RunLengthCodec: CompressionCodec {
    let name = "rle"

    func maximumByteCount(for inputByteCount: Int) -> Int { inputByteCount * 2 }
    func makeCompressor() -> any StreamCompressor { Compressor() }
    func makeDecompressor() -> any StreamDecompressor { Decompressor() }

    private final class Compressor: StreamCompressor {
        func reset() {}

        func compress(_ input: Span<UInt8>, appendingTo output: inout [UInt8]) {
            var index = 0
            while index < input.count {
                var count = 1
                while index + count < input.count, count < 255, input[index + count] == input[index]
                {
                    count += 1
                }
                output += [UInt8(count), input[index]]
                index += count
            }
        }
    }

    private final class Decompressor: StreamDecompressor {
        func reset() {}

        func decompress(
            _ input: Span<UInt8>,
            limit: Int,
            appendingTo output: inout [UInt8]
        ) throws(CompressionError) {
            guard input.count.isMultiple(of: 2) else {
                throw .corrupt(codec: "rle", detail: "half a pair")
            }
            var byteCount = 0
            for index in stride(from: 0, to: input.count, by: 2) {
                guard input[index] > 0 else { throw .corrupt(codec: "rle", detail: "an empty run") }
                byteCount += Int(input[index])
                guard byteCount <= limit else { throw .outputTooLarge(codec: "rle", limit: limit) }
                output += repeatElement(input[index + 1], count: Int(input[index]))
            }
        }
    }
}
