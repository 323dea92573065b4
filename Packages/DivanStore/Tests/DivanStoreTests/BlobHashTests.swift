import DivanCrypto
import DivanTestKit
import Testing

@testable import DivanStore

/// What is digested beside whoever brings it.
@Suite struct BlobHashTests {
    @Test(arguments: UInt64(1)...6)
    func `digests a long content as a short one`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let byteCount = Int.random(in: 0...6_000_000, using: &generator)
        let content = [UInt8](repeating: UInt8(seed), count: byteCount)
        let hash = BlobHash()
        for piece in content.pieces(longest: 900_000, using: &generator) {
            if Bool.random(using: &generator) {
                hash.update(Array(piece))
            } else {
                hash.update(Array(piece).span)
            }
        }
        #expect(hash.finalize() == SHA1.digest(of: content.span), "seed \(seed)")
    }

    @Test func `more contents than may have threads are digested all the same`() {
        let piece = [UInt8](repeating: 7, count: 400_000)
        let expected = SHA1.digest(of: Array([[UInt8]](repeating: piece, count: 8).joined()).span)
        for _ in 0..<2 {
            let hashes = (0..<2 * StoreLimits.hashingThreadsCount).map { _ in BlobHash() }
            for _ in 0..<8 {
                for hash in hashes { hash.update(piece) }
            }
            #expect(hashes.allSatisfy { $0.finalize() == expected })
        }
    }

    @Test func `a content that is given up leaves no thread behind`() {
        for _ in 0..<3 * StoreLimits.hashingThreadsCount {
            let hash = BlobHash()
            hash.update([UInt8](repeating: 1, count: 3_000_000))
            hash.update([UInt8](repeating: 2, count: 100))
        }
        let hash = BlobHash()
        for _ in 0..<30 { hash.update([UInt8](repeating: 3, count: 100_000)) }
        let content = [UInt8](repeating: 3, count: 3_000_000)
        #expect(hash.finalize() == SHA1.digest(of: content.span))
    }
}
