import DivanCompression
import DivanISAL
import DivanTestKit
import DivanZlib
import Testing

/// The contract at every level, interoperability with zlib in both directions, and what a peer can send.
@Suite struct ISALCodecTests {
    private func codec(level: Int = 2) throws -> ISALCodec {
        try #require(ISALCodec(level: level), "libisal-dev is missing; type: make setup")
    }

    @Test(arguments: 1...3)
    func `fulfills the codec contract`(level: Int) throws {
        #expect(CodecContract.violations(of: try codec(level: level)) == [])
    }

    @Test
    func `a level outside the range is clamped`() throws {
        #expect(try codec(level: -5).level == 1)
        #expect(try codec(level: 9).level == 3)
    }

    /// Pieces of every kind and length, one stream in each direction; `DIVAN_ISAL_MESSAGES` sends more.
    @Test(arguments: 1...3)
    func `zlib reads its output and it reads zlib's, for random messages`(level: Int) throws {
        let seed = Environment.seed
        var messages = RandomMessages(seed: seed)
        let ours = try codec(level: level)
        let zlib = DeflateCodec(level: 1)
        let (ourPacker, zlibPacker) = (ours.makeCompressor(), zlib.makeCompressor())
        let (ourReader, zlibReader) = (ours.makeDecompressor(), zlib.makeDecompressor())
        for number in 0..<Environment.messageCount {
            let message = messages.next()
            for (packer, reader, codec) in [
                (ourPacker, zlibReader, ours as any CompressionCodec),
                (zlibPacker, ourReader, zlib),
            ] {
                var packed: [UInt8] = []
                let cut = number % 3 == 0 ? message.count / 3 : message.count
                try packer.compress(
                    message.span.extracting(first: cut),
                    followedBy: message.span.extracting(cut...),
                    appendingTo: &packed
                )
                var plain: [UInt8] = []
                let limit = message.count
                try reader.decompress(packed.span, limit: limit, appendingTo: &plain)
                let most = codec.maximumByteCount(for: limit)
                guard plain == message, packed.count <= most else {
                    let story =
                        "\(limit) bytes become \(packed.count), at most \(most), and "
                        + (plain == message ? "come back" : "come back changed")
                    Issue.record("seed \(seed), level \(level), message \(number): \(story)")
                    return
                }
            }
        }
    }

    @Test
    func `zlib and ISA-L can alternate in one stream`() throws {
        let reader = DeflateCodec().makeDecompressor()
        let text = Array(repeatElement("sofa and table, ", count: 200).joined().utf8)
        for turn in 0..<6 {
            let packer =
                turn % 2 == 0 ? try codec().makeCompressor() : DeflateCodec().makeCompressor()
            for _ in 0..<3 {
                var packed: [UInt8] = []
                try packer.compress(text.span, appendingTo: &packed)
                var plain: [UInt8] = []
                try reader.decompress(packed.span, limit: text.count, appendingTo: &plain)
                #expect(plain == text)
            }
        }
    }

    @Test
    func `a decompression bomb stops at the limit`() throws {
        let bomb = try codec().compressed([UInt8](repeating: 0, count: 64 << 20).span)
        let decompressor = try codec().makeDecompressor()
        var plain: [UInt8] = []
        #expect(throws: CompressionError.outputTooLarge(codec: "deflate", limit: 1_000_000)) {
            try decompressor.decompress(bomb.span, limit: 1_000_000, appendingTo: &plain)
        }
        #expect(plain.count <= 1_000_000)
    }

    @Test(arguments: UInt64(0)..<200)
    func `damaged or truncated input gives bytes or an error, never more than the limit`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let text = Array(repeatElement("sofa and table, ", count: 30).joined().utf8)
        var packed = try codec().compressed(text.span)
        let place = Int.random(in: packed.indices, using: &generator)
        if seed % 2 == 0 {
            packed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        } else {
            packed.removeLast(place)
        }
        var plain: [UInt8] = []
        let decompressor = try codec().makeDecompressor()
        try? decompressor.decompress(packed.span, limit: 1000, appendingTo: &plain)
        #expect(plain.count <= 1000, "seed \(seed)")
        decompressor.reset()
        plain = []
        let sound = try codec().compressed(text.span)
        try decompressor.decompress(sound.span, limit: 1000, appendingTo: &plain)
        #expect(plain == text, "seed \(seed)")
    }

    @Test
    func `the README example works`() throws {
        // zlib replaces ISA-L if that is missing.
        let codec: any CompressionCodec = ISALCodec(level: 2) ?? DeflateCodec(level: 6)
        let body = Array(repeatElement("sofa ", count: 100).joined().utf8)
        let packed = try codec.compressed(body.span)
        #expect(packed.count < 40)
        #expect(try DeflateCodec().decompressed(packed.span, limit: 1024) == body)
    }
}

/// What remains if the library is missing.
@Suite struct AbsenceTests {
    @Test
    func `a codec is available exactly if the library is`() {
        #expect((ISALCodec() != nil) == ISALCodec.isAvailable)
    }

    @Test
    func `the library is ignored in a build without its header`() {
        #expect(ISALCodec.isBuiltIn || !ISALCodec.isAvailable)
    }
}
