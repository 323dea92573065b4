import DivanCompression
import DivanLZ4
import DivanTestKit
import Testing

/// The contract, history over many moves of the window, and what a hostile peer can send.
@Suite struct LZ4CodecTests {
    @Test
    func `fulfills the codec contract`() {
        #expect(CodecContract.violations(of: .lz4) == [])
    }

    @Test(arguments: UInt64(0)..<8)
    func `restores pieces of any length in order`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let compressor = LZ4Codec().makeCompressor()
        let decompressor = LZ4Codec().makeDecompressor()
        let words = (0..<200).map { _ in [UInt8].random(count: 12, using: &generator) }
        for _ in 0..<60 {
            let count = Int.random(in: 0...1500, using: &generator)
            let piece = (0..<count).flatMap { _ in words.randomElement(using: &generator) ?? [] }
            var packed: [UInt8] = []
            try compressor.compress(piece.span, appendingTo: &packed)
            #expect(packed.count <= LZ4Codec().maximumByteCount(for: piece.count), "seed \(seed)")
            var plain: [UInt8] = []
            try decompressor.decompress(packed.span, limit: piece.count, appendingTo: &plain)
            #expect(plain == piece, "seed \(seed)")
        }
    }

    @Test
    func `a repeated piece is short because of the history`() throws {
        let compressor = LZ4Codec().makeCompressor()
        var generator = SeededGenerator(seed: 1)
        let piece = [UInt8].random(count: 1300, using: &generator)
        var (first, second): ([UInt8], [UInt8]) = ([], [])
        try compressor.compress(piece.span, appendingTo: &first)
        try compressor.compress(piece.span, appendingTo: &second)
        #expect(first.count > 1300)
        #expect(second.count < 40)
    }

    @Test(arguments: [
        "80", "808080", "ffffff7f05", "0204", "020141", "0301", "030241", "00ffff7f",
        "028180044141",
        "0a05ffffffffff", "0a051e41ffff00", "0500", "0000",
    ])
    func `invalid bytes are reported as corrupt`(hex: String) throws {
        let piece = try #require([UInt8](hex: hex))
        var plain: [UInt8] = []
        let error = #expect(throws: CompressionError.self) {
            let decompressor = LZ4Codec().makeDecompressor()
            try decompressor.decompress(piece.span, limit: 1 << 20, appendingTo: &plain)
        }
        guard case .corrupt = error else {
            Issue.record("\(hex) gives \(String(describing: error))")
            return
        }
        #expect(plain.isEmpty)
    }

    @Test(arguments: UInt64(0)..<200)
    func `damaged input gives bytes or an error, never more than the limit`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = Array(repeatElement("sofa and table, ", count: 30).joined().utf8)
        var packed = try LZ4Codec().compressed(text.span)
        let place = Int.random(in: packed.indices, using: &generator)
        packed[place] = UInt8.random(in: 0...255, using: &generator)
        var plain: [UInt8] = []
        let decompressor = LZ4Codec().makeDecompressor()
        try? decompressor.decompress(packed.span, limit: 1000, appendingTo: &plain)
        #expect(plain.count <= 1000, "seed \(seed)")
    }

    @Test
    func `the README example works`() throws {
        let body = Array(repeatElement("sofa ", count: 100).joined().utf8)
        let packed = try LZ4Codec().compressed(body.span)
        #expect(packed.count < 40)
        #expect(try LZ4Codec().decompressed(packed.span, limit: 1024) == body)
    }
}
