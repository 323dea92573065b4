import DivanCompression
import DivanLZ4
import DivanTestKit
import Testing

@Suite struct LZ4DictionaryTests {
    private static let dictionary = Array(#"{"city":"Oslo","name":"Divan","stars":4}"#.utf8)

    private static func unpacked(
        _ packed: [UInt8],
        _ count: Int,
        with dictionary: [UInt8]
    ) throws -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: count)
        try LZ4DictionaryCodec().makeCoder(dictionary: dictionary)
            .unpack(packed.span, into: plain.mutableSpan)
        return plain
    }

    @Test func `LZ4 fulfills the dictionary codec contract`() {
        #expect(DictionaryCodecContract.violations(of: .lz4) == [])
    }

    @Test(arguments: UInt64(0)..<TestLength.of(8, long: 50))
    func `random pieces round-trip with random dictionaries`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let codec = LZ4DictionaryCodec()
        let letters = Array("abc{}:,0".utf8)
        func bytes(_ most: Int) -> [UInt8] {
            let count = Int.random(in: 1...most, using: &generator)
            return (0..<count).map { _ in letters.randomElement(using: &generator) ?? 0 }
        }
        let dictionary = seed % 5 == 0 ? bytes(7) : bytes(100_000)
        let coder = try codec.makeCoder(dictionary: dictionary)
        for _ in 0..<20 {
            let piece = bytes(seed % 7 == 0 ? 200_000 : 3_000)
            var packed: [UInt8] = []
            try coder.pack(piece.span, appendingTo: &packed)
            #expect(
                try Self.unpacked(packed, piece.count, with: dictionary) == piece,
                "seed \(seed)"
            )
        }
    }

    @Test(arguments: UInt64(0)..<2_000)
    func `damaged input gives bytes or an error`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let piece = Array(#"{"city":"Ulm","name":"Divan","stars":5,"x":[1,2,3]}"#.utf8)
        var packed: [UInt8] = []
        try LZ4DictionaryCodec().makeCoder(dictionary: Self.dictionary)
            .pack(piece.span, appendingTo: &packed)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: packed.indices, using: &generator)
            packed[place] = UInt8.random(in: 0...255, using: &generator)
        }
        let other = Bool.random(using: &generator) ? Self.dictionary : []
        let count = Int.random(in: 1...200, using: &generator)
        if let plain = try? Self.unpacked(packed, count, with: other) {
            #expect(plain.count == count, "seed \(seed)")
        }
    }
}
