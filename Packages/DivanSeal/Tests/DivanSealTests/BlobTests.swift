import DivanSeal
import DivanTestKit
import Foundation
import Testing

/// Blobs that are sealed as they stream, and opened chunk by chunk.
struct BlobTests {
    private static let digest = [UInt8](repeating: 7, count: 20)

    private static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }
    }

    private static func sealed(
        _ content: [UInt8],
        pieces: Int = .max,
        _ seal: Seal
    ) throws -> [UInt8] {
        let sealer = try BlobSealer(seal)
        var (file, start): ([UInt8], Int) = ([], 0)
        while start < content.count {
            let piece = Array(content[start...].prefix(pieces))
            file += try sealer.append(piece.span)
            start += piece.count
        }
        return file + (try sealer.finish(digest: digest))
    }

    private static func opened(
        _ file: [UInt8],
        digest: [UInt8] = digest,
        _ seal: Seal
    ) throws -> [UInt8] {
        let opener = try BlobOpener(
            head: Array(file.prefix(24)),
            end: Array(file.suffix(16)),
            fileByteCount: file.count,
            digest: digest,
            seal: seal
        )
        var content: [UInt8] = []
        for number in 0..<opener.layout.chunkCount {
            let place = try #require(opener.layout.place(ofChunk: number))
            content += try opener.open(Array(file[place]).span, number: number)
        }
        return content
    }

    @Test(arguments: SealCipher.all, [0, 1, 65_535, 65_536, 65_537, 200_000])
    func `an encrypted blob decrypts unchanged for any size of pieces`(
        cipher: SealCipher,
        count: Int
    ) throws {
        let seal = Seal(key: try .test(1), cipher: cipher)
        let content = Self.content(count)
        for pieces in [Int.max, 1_000, 65_536, 100_000] {
            let file = try Self.sealed(content, pieces: pieces, seal)
            #expect(BlobLayout(byteCount: count).fileByteCount == file.count)
            #expect(BlobLayout(fileByteCount: file.count)?.byteCount == count)
            #expect(try Self.opened(file, seal) == content)
        }
    }

    @Test func `a modified, truncated, extended or reordered blob does not decrypt`() throws {
        let seal = Seal(key: try .test(1))
        let content = Self.content(150_000)
        let file = try Self.sealed(content, seal)
        var generator = SeededGenerator(seed: 18)
        for _ in 0..<200 {
            var damaged = file
            damaged[Int.random(in: 0..<file.count, using: &generator)] ^= 1 << 3
            #expect(throws: SealError.self) { try Self.opened(damaged, seal) }
        }
        for count in [0, 1, 16, 100, 65_552, 131_104] {
            #expect(throws: SealError.self) { try Self.opened(file.dropLast(count + 1), seal) }
            let longer = file + file.suffix(count + 1)
            #expect(throws: SealError.self) { try Self.opened(longer, seal) }
        }
        let (first, second) = (24..<65_576, 65_576..<131_128)
        let swapped = file[..<24] + file[second] + file[first] + file[131_128...]
        #expect(throws: SealError.damaged) { try Self.opened(Array(swapped), seal) }
        #expect(throws: SealError.damaged) {
            try Self.opened(file, digest: [UInt8](repeating: 8, count: 20), seal)
        }
        #expect(throws: SealError.otherKey) { try Self.opened(file, Seal(key: .test(2))) }
        #expect(try Self.sealed(content, seal) != file)
    }

    @Test func `a file length gives exactly one content length or is invalid`() {
        for byteCount in [0, 1, 65_535, 65_536, 65_537, 131_072, 131_073] {
            let layout = BlobLayout(byteCount: byteCount)
            #expect(BlobLayout(fileByteCount: layout.fileByteCount) == layout)
            #expect(layout.place(ofChunk: layout.chunkCount) == nil)
            #expect(layout.place(ofChunk: -1) == nil)
        }
        for fileByteCount in [0, 39, 41, 56, 65_592 + 1, 65_592 + 16] {
            #expect(BlobLayout(fileByteCount: fileByteCount) == nil)
        }
    }
}
