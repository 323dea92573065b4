import DivanCompression
import Testing

/// The identity codec meets every requirement, and the contract detects codecs that violate one.
@Suite struct CodecContractTests {
    @Test
    func `the identity codec fulfills the contract`() {
        #expect(CodecContract.violations(of: .none) == [])
    }

    @Test
    func `combined codecs fulfill the contract`() {
        #expect(CodecContract.violations(of: GradedCodec([.none, .none])) == [])
        let mixed = MixedCodec([.none, GradedCodec([.none, .none])])
        #expect(mixed.grades.count == 3)
        #expect(CodecContract.violations(of: mixed) == [])
    }

    @Test
    func `the contract detects levels that cannot read each other`() {
        let mixture = GradedCodec([.none, MixedCodec([.none])])
        #expect(CodecContract.violations(of: mixture).contains { $0.hasPrefix("A call failed") })
    }

    @Test
    func `an unknown format in a mixed stream is reported as corrupt`() throws {
        let error = CompressionError.corrupt(codec: "mixed", detail: "unknown format 1")
        #expect(throws: error) {
            try MixedCodec([.none]).decompressed([1, 2].span, limit: 100)
        }
    }

    @Test(arguments: [
        (Fault.dropsLastByte, "Piece 0 is not restored unchanged."),
        (.overwritesOutput, "compress overwrites existing output."),
        (.growsSilently, "Piece 0 exceeds maximumByteCount"),
        (.ignoresLimit, "A piece longer than the limit is not rejected with outputTooLarge."),
        (.remembersForEver, "History survives reset."),
        (.refusesAll, "A call failed on valid bytes"),
    ])
    func `the contract reports a violation`(fault: Fault, violation: String) {
        let violations = CodecContract.violations(of: FaultyCodec(fault: fault))
        #expect(violations.contains { $0.hasPrefix(violation) }, "\(violations)")
    }

    @Test
    func `the README example works`() throws {
        let codec: any CompressionCodec = .none
        let packed = try codec.compressed([1, 2, 3].span)
        #expect(try codec.decompressed(packed.span, limit: 100) == [1, 2, 3])
    }

    @Test
    func `an error states the codec, the problem and the solution`() {
        let error = CompressionError.outputTooLarge(codec: "deflate", limit: 10)
        let text = "deflate: decompressed data exceeds 10 bytes; raise the limit or send less"
        #expect(error.description == text)
    }

    @Test func `the dictionary contract reports each violation`() {
        let found = DictionaryCodecContract.violations(of: CopyingCodec())
        for start in [
            "The name is empty.", "dictionaryByteCount is less than 1.",
            "A dictionary exceeds dictionaryByteCount: 1.",
            "pack overwrites", "Piece 0 exceeds", "Piece 0 is not restored unchanged.",
            "A dictionary does not reduce the size.",
            "A wrong length is accepted when unpacking a piece.",
        ] { #expect(found.contains { $0.hasPrefix(start) }, "\(start) \(found)") }
    }
}

/// One way for a codec to be wrong.
enum Fault: Sendable {
    case dropsLastByte
    case overwritesOutput
    case growsSilently
    case ignoresLimit
    case remembersForEver
    case refusesAll
}

private struct FaultyCodec: CompressionCodec {
    let fault: Fault
    var name: String { "faulty" }

    func maximumByteCount(for inputByteCount: Int) -> Int { inputByteCount }
    func makeCompressor() -> any StreamCompressor { FaultyStream(fault: fault) }
    func makeDecompressor() -> any StreamDecompressor { FaultyStream(fault: fault) }
}

private final class FaultyStream: StreamCompressor, StreamDecompressor {
    private let fault: Fault
    private var pieceCount = 0

    init(fault: Fault) {
        self.fault = fault
    }

    func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        let bytes = input.withUnsafeBufferPointer { Array($0) }
        pieceCount += 1
        switch fault {
        case .dropsLastByte: output += bytes.dropLast()
        case .overwritesOutput: output = bytes
        case .growsSilently: output += bytes + [0]
        case .remembersForEver where pieceCount > 1: output += bytes.map { ~$0 }
        case .refusesAll: throw .library(codec: "faulty", code: 1)
        default: output += bytes
        }
    }

    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard input.count <= limit || fault == .ignoresLimit || fault == .growsSilently else {
            throw .outputTooLarge(codec: "faulty", limit: limit)
        }
        input.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }

    func reset() {}
}

/// Copies, and returns whatever length is requested.
private struct CopyingCodec: DictionaryCodec {
    var name: String { "" }
    var dictionaryByteCount: Int { 0 }

    func dictionary(from samples: [[UInt8]]) -> [UInt8] { [1] }

    func maximumPlainByteCount(for packedByteCount: Int) -> Int { 0 }

    func makeCoder(dictionary: [UInt8]) -> any DictionaryCoder { CopyingCoder() }
}

private final class CopyingCoder: DictionaryCoder {
    func pack(_ plain: Span<UInt8>, appendingTo output: inout [UInt8]) {
        output = plain.withUnsafeBufferPointer { Array($0) }
    }

    func unpack(_ packed: Span<UInt8>, into output: consuming MutableSpan<UInt8>) {
        for place in 0..<output.count { output[place] = 0xFF }
    }
}
