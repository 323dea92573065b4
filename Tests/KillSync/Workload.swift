import DivanTestKit
import Foundation

/// What the two sides write; it depends only on the seed, so the checking side knows it too.
///
/// Each side writes its own documents in order, so the existing documents show how far it
/// came. With each new document an older one is updated, and some of those are deleted. In addition,
/// both sides edit the same few documents: the conflicts.
struct Workload {
    /// One write of one side.
    struct Step {
        var index: Int
        /// The older document that changes with it.
        var older: Int?
    }

    static let conflictCount = 200
    /// Documents written in one transaction.
    static let batchCount = 20

    let seed: UInt64
    /// Documents of each side.
    let count: Int

    func documentID(_ side: Side, _ index: Int) -> String { "\(side.rawValue)-\(index)" }
    func conflictID(_ number: Int) -> String { "both-\(number)" }

    func step(_ index: Int) -> Step {
        Step(index: index, older: index > 0 ? index / 2 : nil)
    }

    /// How often a document is written in total, including the first time.
    func versionCount(_ index: Int) -> Int {
        1 + [2 * index, 2 * index + 1].count { $0 > 0 && $0 < count }
    }

    /// Whether a document's first update deletes it.
    func isDeleted(_ index: Int) -> Bool {
        index % 37 == 5 && versionCount(index) > 1
    }

    func hasBlob(_ index: Int) -> Bool { index % 25 == 0 }

    func filler(_ side: Side, _ index: Int, _ version: Int) -> String {
        var generator = generator(side, index, version)
        return String(repeating: "x", count: Int.random(in: 0...400, using: &generator))
    }

    /// Words in full-text indexes.
    static let words = (0..<7).map { "word\($0)" }

    func text(_ index: Int, _ version: Int) -> String { "one word\((index + version) % 7) more" }

    /// Questions that return the same rows with and without indexes.
    static let questions = [
        "SELECT META().id FROM _ WHERE version = 2 AND `index` > 10 ORDER BY META().id",
        "SELECT COUNT(*), MAX(`index`) FROM _ WHERE version >= 2",
        "SELECT META().id FROM _ WHERE ANY d IN digits SATISFIES d = 1 END ORDER BY META().id",
        "SELECT META(b).id FROM _ AS b UNNEST b.digits AS d WHERE d = 2 ORDER BY META(b).id",
    ]

    /// A document's blob: up to 40,000 bytes, several frames.
    func blob(_ side: Side, _ index: Int, _ version: Int) -> [UInt8] {
        var generator = generator(side, index, version)
        let byteCount = Int.random(in: 0...40_000, using: &generator)
        var content = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: byteCount)
        for place in stride(from: 0, to: byteCount, by: 61) {
            content[place] = UInt8.random(in: 0...255, using: &generator)
        }
        return content
    }

    /// The documents that both sides edit in one life of a process.
    func conflicts(ofLife life: Int) -> [Int] {
        var generator = SeededGenerator(seed: seed &+ UInt64(life) &* 104_729)
        return (0..<3).map { _ in Int.random(in: 0..<Self.conflictCount, using: &generator) }
    }

    private func generator(_ side: Side, _ index: Int, _ version: Int) -> SeededGenerator {
        let place = UInt64(index) &* 4 &+ UInt64(version) &* 2_000_003 &+ UInt64(side.index)
        return SeededGenerator(seed: seed &* 1_000_003 &+ place)
    }
}
