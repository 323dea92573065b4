import DivanCompression
import DivanTestKit
import DivanZlib
import Testing

/// The contract at every level, recorded pieces, and what a hostile peer can send.
@Suite struct DeflateCodecTests {
    @Test(arguments: 0...9)
    func `fulfills the codec contract`(level: Int) {
        #expect(CodecContract.violations(of: DeflateCodec(level: level)) == [])
    }

    /// Two requests of `blip_frames.json`, "compressed requests, shared history".
    @Test
    func `encodes and decodes the recorded wire data`() throws {
        let plain = try #require(
            [UInt8](
                hex: "0d50726f66696c65006563686f007b2268656c6c6f223a2268656c6c6f2068656c6c6f20"
                    + "68656c6c6f2068656c6c6f227d"
            )
        )
        let compressor = DeflateCodec().makeCompressor()
        let decompressor = DeflateCodec().makeDecompressor()
        for hex in ["e20d28ca4fcbcc4965484dcec867a856ca48cdc9c957b282d00a18a4522d00", "e225550300"]
        {
            var packed: [UInt8] = []
            try compressor.compress(plain.span, appendingTo: &packed)
            #expect(packed.hexText == hex)
            var read: [UInt8] = []
            try decompressor.decompress(packed.span, limit: 100, appendingTo: &read)
            #expect(read == plain)
        }
    }

    @Test
    func `decodes stored blocks and a single zero byte`() throws {
        let decompressor = DeflateCodec().makeDecompressor()
        var plain: [UInt8] = []
        for hex in ["000200fdff414200", "00", "000100feff4300"] {
            let piece = try #require([UInt8](hex: hex))
            try decompressor.decompress(piece.span, limit: 10, appendingTo: &plain)
        }
        #expect(plain == Array("ABC".utf8))
    }

    @Test
    func `an empty piece keeps the stream in sync`() throws {
        let compressor = DeflateCodec().makeCompressor()
        let decompressor = DeflateCodec().makeDecompressor()
        var plain: [UInt8] = []
        for text in ["one", "", "two"] {
            var packed: [UInt8] = []
            try compressor.compress(Array(text.utf8).span, appendingTo: &packed)
            #expect(packed.isEmpty == text.isEmpty)
            try decompressor.decompress(packed.span, limit: 10, appendingTo: &plain)
        }
        #expect(plain == Array("onetwo".utf8))
    }

    /// One in a thousand once exceeded the bound by some bytes: the start of a block that should be stored had left
    /// zlib's window.
    @Test
    func `random data longer than the window stays within the size bound`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        let codec = DeflateCodec(level: 1)
        let compressor = codec.makeCompressor()
        for _ in 0..<300 {
            var piece: [UInt8] = []
            for _ in 0..<Int.random(in: 1...9_000, using: &generator) {
                withUnsafeBytes(of: generator.next()) { piece.append(contentsOf: $0) }
            }
            var packed: [UInt8] = []
            try compressor.compress(piece.span, appendingTo: &packed)
            let most = codec.maximumByteCount(for: piece.count)
            #expect(packed.count <= most, "seed \(seed), \(piece.count) bytes")
        }
    }

    @Test
    func `a decompression bomb stops at the limit`() throws {
        let bomb = try DeflateCodec(level: 9).compressed(
            [UInt8](repeating: 0, count: 64 << 20).span
        )
        #expect(bomb.count < 70_000)
        let decompressor = DeflateCodec().makeDecompressor()
        var plain: [UInt8] = []
        #expect(throws: CompressionError.outputTooLarge(codec: "deflate", limit: 1_000_000)) {
            try decompressor.decompress(bomb.span, limit: 1_000_000, appendingTo: &plain)
        }
        #expect(plain.count <= 1_000_000)
    }

    @Test(arguments: ["ff", "06", "0300", "e21200ffff", "63606060"])
    func `invalid bytes are reported as corrupt`(hex: String) throws {
        let piece = try #require([UInt8](hex: hex + "0000ffff0000ffff"))
        let decompressor = DeflateCodec().makeDecompressor()
        var plain: [UInt8] = []
        let error = #expect(throws: CompressionError.self) {
            try decompressor.decompress(piece.span, limit: 100, appendingTo: &plain)
        }
        guard case .corrupt = error else {
            Issue.record("\(hex) gives \(String(describing: error))")
            return
        }
    }

    @Test(arguments: UInt64(0)..<200)
    func `damaged input gives bytes or an error, never more than the limit`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = Array(repeatElement("sofa and table, ", count: 30).joined().utf8)
        var packed = try DeflateCodec().compressed(text.span)
        let place = Int.random(in: packed.indices, using: &generator)
        packed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        var plain: [UInt8] = []
        let decompressor = DeflateCodec().makeDecompressor()
        try? decompressor.decompress(packed.span, limit: 1000, appendingTo: &plain)
        #expect(plain.count <= 1000, "seed \(seed)")
        decompressor.reset()
        plain = []
        let sound = try DeflateCodec().compressed(text.span)
        try decompressor.decompress(sound.span, limit: 1000, appendingTo: &plain)
        #expect(plain == text, "seed \(seed)")
    }

    @Test
    func `the README example works`() throws {
        let compressor = DeflateCodec(level: 6).makeCompressor()
        let decompressor = DeflateCodec().makeDecompressor()
        for text in ["the first piece", "the next piece"] {
            var packed: [UInt8] = []
            try compressor.compress(Array(text.utf8).span, appendingTo: &packed)
            var plain: [UInt8] = []
            try decompressor.decompress(packed.span, limit: 1024, appendingTo: &plain)
            #expect(plain == Array(text.utf8))
        }
    }
}
