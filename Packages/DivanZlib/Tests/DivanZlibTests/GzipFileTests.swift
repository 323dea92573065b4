import DivanCompression
import DivanTestKit
import DivanZlib
import Testing

/// gzip files: round trips, members, and damage.
@Suite struct GzipFileTests {
    private func packed(_ plain: [UInt8], level: Int = 6) throws -> [UInt8] {
        let compressor = try GzipCompressor(level: level)
        var packed: [UInt8] = []
        try compressor.compress(plain.span, appendingTo: &packed)
        try compressor.finish(appendingTo: &packed)
        return packed
    }

    /// The contents of a file in pieces, and whether it is complete.
    private func contents(
        of pieces: [ArraySlice<UInt8>]
    ) throws -> (plain: [UInt8], isComplete: Bool) {
        let decompressor = GzipDecompressor()
        var plain: [UInt8] = []
        for piece in pieces {
            let bytes = Array(piece)
            var offset = 0
            while true {
                var output: [UInt8] = []
                let count = try decompressor.decompress(
                    bytes.span.extracting(offset..<bytes.count),
                    appendingTo: &output
                )
                #expect(output.count <= 128 << 10)
                offset += count
                plain += output
                if offset == bytes.count, output.isEmpty { break }
            }
        }
        return (plain, decompressor.isComplete)
    }

    @Test(arguments: UInt64(0)..<20)
    func `contents round-trip in pieces of any size, also of several members`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let letters = Array("abc{}:,0".utf8)
        let count = Int.random(in: 0...300_000, using: &generator)
        let plain = (0..<count).map { _ in letters.randomElement(using: &generator) ?? 0 }
        let file = try packed(plain, level: Int(seed % 12)) + packed(plain) + [0, 0]
        let pieces = file.pieces(longest: 5_000, using: &generator)
        let (found, isComplete) = try contents(of: pieces)
        #expect(isComplete && found == plain + plain, "seed \(seed)")
    }

    @Test func `a file is complete only at the end of a member`() throws {
        let file = try packed(Array("hello".utf8))
        for count in 0..<file.count {
            #expect(try !contents(of: [file[..<count]]).isComplete, "\(count)")
        }
        #expect(try contents(of: file.singles).plain == Array("hello".utf8))
    }

    @Test func `equal contents become equal files`() throws {
        #expect(try packed([1, 2, 3]) == packed([1, 2, 3]))
    }

    @Test func `other files, data after the end and a wrong checksum are refused`() throws {
        let file = try packed(Array("hello".utf8))
        var changed = file
        changed[file.count - 6] ^= 1
        for bytes in [[1, 2], file + [7], file + [0, 7], changed] {
            #expect(throws: CompressionError.self) { try contents(of: [bytes[...]]) }
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func `a damaged file gives bytes or an error`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var file = try packed((0..<2_000).map { UInt8($0 % 7) })
        let place = Int.random(in: file.indices, using: &generator)
        file[place] = UInt8.random(in: 0...255, using: &generator)
        let pieces = file.pieces(longest: 9, using: &generator)
        if let found = try? contents(of: pieces) {
            #expect(!found.isComplete || found.plain.count == 2_000, "seed \(seed)")
        }
    }
}
