import DivanBLIP
import DivanCompression
import DivanTestKit
import Testing

/// A codec that doubles everything: frames stay within their limit, and messages arrive.
@Suite struct ExpandingCodecTests {
    private struct DoublingCodec: CompressionCodec {
        let name = "doubling"

        func maximumByteCount(for inputByteCount: Int) -> Int { inputByteCount * 2 }
        func makeCompressor() -> any StreamCompressor { Half() }
        func makeDecompressor() -> any StreamDecompressor { Half() }
    }

    private final class Half: StreamCompressor, StreamDecompressor {
        func reset() {}

        func compress(_ input: Span<UInt8>, appendingTo output: inout [UInt8]) {
            for index in input.indices { output += [input[index], input[index]] }
        }

        func decompress(_ input: Span<UInt8>, limit: Int, appendingTo output: inout [UInt8]) {
            for index in stride(from: 0, to: input.count, by: 2) { output.append(input[index]) }
        }
    }

    @Test
    func `frames stay within the size limit if a codec expands its input`() throws {
        var generator = SeededGenerator(seed: 4)
        let body: [UInt8] = .random(count: 60_000, using: &generator)
        var sender = BLIPConnection(codec: DoublingCodec())
        var receiver = BLIPConnection(codec: DoublingCodec())
        sender.send(BLIPRequest(profile: "big", body: .bytes(body), isCompressed: true))
        let frames = sender.takeFrames()
        #expect(frames.count > 7)
        #expect(frames.allSatisfy { $0.count <= 16_384 })
        let events = try receiver.events(of: frames)
        #expect(events.first?.request?.body == body)
    }
}
