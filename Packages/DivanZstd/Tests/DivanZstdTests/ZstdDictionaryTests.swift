import DivanCompression
import DivanPlatform
import DivanTestKit
import DivanZstd
import Foundation
import Testing

/// The contract, random pieces and dictionaries, and what a file may contain.
@Suite struct ZstdDictionaryTests {
    private static let rows = (0..<100).map {
        Array(#"{"city":"Ulm","name":"Hotel \#($0)","stars":4}"#.utf8)
    }

    /// Sanitizers' allocators end the process where others return an error.
    private static let refusesMemory =
        !CurrentProcess.hasSymbol("__asan_init") && !CurrentProcess.hasSymbol("__tsan_init")

    private func codec() throws -> ZstdDictionaryCodec {
        try #require(ZstdDictionaryCodec(), "libzstd-dev is missing; type: make setup")
    }

    private func unpacked(
        _ packed: [UInt8],
        _ count: Int,
        with dictionary: [UInt8]
    ) throws -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: count)
        try codec().makeCoder(dictionary: dictionary)
            .unpack(packed.span, into: plain.mutableSpan)
        return plain
    }

    @Test func `zstd fulfills the dictionary codec contract`() throws {
        #expect(DictionaryCodecContract.violations(of: try codec()) == [])
    }

    @Test func `the README example works`() throws {
        let rows = (0..<100).map { Array(#"{"city":"Ulm","name":"Hotel \#($0)","stars":4}"#.utf8) }
        let row = Array(#"{"city":"Ulm","name":"Hotel Lau","stars":3}"#.utf8)
        // If zstd is missing, LZ4 is used.
        let codec: any DictionaryCodec = try #require(ZstdDictionaryCodec())
        let coder = try codec.makeCoder(dictionary: codec.dictionary(from: rows))
        var packed: [UInt8] = []
        try coder.pack(row.span, appendingTo: &packed)
        #expect(packed.count < 25)
    }

    @Test func `a dictionary contains statistics if there are enough samples`() throws {
        let codec = try codec()
        let made = codec.dictionary(from: Self.rows)
        #expect(made.starts(with: [0x37, 0xA4, 0x30, 0xEC]))
        #expect(made.suffix(40) == Array(Self.rows.joined()).suffix(40))
        let long = codec.dictionary(from: Self.rows + [[UInt8](repeating: 66, count: 200_000)])
        #expect(long.count <= codec.dictionaryByteCount && long.last == 66)
        #expect(codec.dictionary(from: [[1, 2, 3]]) == [1, 2, 3])
        #expect(codec.dictionary(from: []).isEmpty)
    }

    @Test(arguments: UInt64(0)..<TestLength.of(8, long: 50))
    func `random pieces round-trip with random dictionaries`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let codec = try codec()
        let letters = Array("abc{}:,0".utf8)
        func bytes(_ most: Int) -> [UInt8] {
            let count = Int.random(in: 1...most, using: &generator)
            return (0..<count).map { _ in letters.randomElement(using: &generator) ?? 0 }
        }
        var dictionary = seed % 5 == 0 ? bytes(7) : bytes(100_000)
        if seed % 2 == 0 { dictionary = codec.dictionary(from: (0..<50).map { _ in bytes(2_000) }) }
        let coder = try codec.makeCoder(dictionary: dictionary)
        for _ in 0..<20 {
            let piece = bytes(seed % 7 == 0 ? 200_000 : 3_000)
            var packed: [UInt8] = []
            try coder.pack(piece.span, appendingTo: &packed)
            #expect(try unpacked(packed, piece.count, with: dictionary) == piece, "seed \(seed)")
            #expect(codec.maximumPlainByteCount(for: packed.count) >= piece.count, "seed \(seed)")
        }
    }

    @Test(arguments: UInt64(0)..<500)
    func `damaged input gives bytes or an error`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let dictionary = try codec().dictionary(from: Self.rows)
        let row = Self.rows[9]
        var packed: [UInt8] = []
        try codec().makeCoder(dictionary: dictionary).pack(row.span, appendingTo: &packed)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: packed.indices, using: &generator)
            packed[place] = UInt8.random(in: 0...255, using: &generator)
        }
        let other = Bool.random(using: &generator) ? dictionary : []
        let count = Int.random(in: 1...200, using: &generator)
        if let plain = try? unpacked(packed, count, with: other) {
            #expect(plain.count == count, "seed \(seed)")
        }
    }

    @Test func `a damaged dictionary and data after a frame are refused`() throws {
        var dictionary = try codec().dictionary(from: Self.rows)
        let row = Self.rows[9]
        var packed: [UInt8] = []
        try codec().makeCoder(dictionary: dictionary).pack(row.span, appendingTo: &packed)
        let count = row.count
        #expect(try unpacked(packed, count, with: dictionary) == row)
        // An empty frame, and a skippable one: the library would skip both.
        for further: [UInt8] in [
            [0x28, 0xB5, 0x2F, 0xFD, 0, 0, 1, 0, 0], [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0], [0],
        ] {
            #expect(throws: CompressionError.self) {
                try unpacked(packed + further, count, with: dictionary)
            }
        }
        for place in 8..<40 { dictionary[place] = 0xFF }
        let error = #expect(throws: CompressionError.self) {
            try codec().makeCoder(dictionary: dictionary)
        }
        #expect(error == .corrupt(codec: "zstd", detail: "invalid dictionary"))
    }

    /// In a process of its own, which gets little more memory than it has.
    @Test(.enabled(if: ZstdDictionaryTests.refusesMemory))
    func `running out of memory for a dictionary is not reported as damage`() async {
        await #expect(processExitsWith: .success) {
            let codec = try #require(ZstdDictionaryCodec())
            let dictionary = [UInt8](repeating: 65, count: 128 << 20)
            let held = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            let pageCount = try #require(held.split(separator: " ").first.flatMap { Int($0) })
            CurrentProcess.setAddressLimit(pageCount * CurrentProcess.pageByteCount + 64 << 20)
            let error = #expect(throws: CompressionError.self) {
                try codec.makeCoder(dictionary: dictionary)
            }
            #expect(error == .library(codec: "zstd", code: 64))
        }
    }
}

/// What remains if the library is missing.
@Suite struct AbsenceTests {
    @Test func `a codec is available exactly if the library is`() {
        #expect((ZstdDictionaryCodec() != nil) == ZstdDictionaryCodec.isAvailable)
        #expect(ZstdDictionaryCodec.isBuiltIn || !ZstdDictionaryCodec.isAvailable)
    }
}
