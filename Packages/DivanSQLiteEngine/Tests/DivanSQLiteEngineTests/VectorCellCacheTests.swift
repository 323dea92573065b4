import DivanTestKit
import Testing

@testable import DivanSQLiteEngine

/// The cells that searches share.
@Suite struct VectorCellCacheTests {
    private func cell(_ count: Int) -> VectorCell {
        VectorCell(numbers: Array(0..<Int64(count)), codes: [UInt8](repeating: 1, count: 2 * count))
    }

    private func keep(
        _ count: Int,
        _ number: Int,
        _ version: String = "1",
        in cache: VectorCellCache
    ) {
        guard cache.hasRoom(for: 10 * count, of: "a", at: version) else { return }
        cache.keep(cell(count), number, of: "a", at: version)
    }

    @Test func `a cell is kept for its version only`() {
        let cache = VectorCellCache(limit: 10_000)
        keep(10, 1, in: cache)
        #expect(cache.cell(1, of: "a", at: "1")?.numbers.count == 10)
        #expect(cache.cell(2, of: "a", at: "1") == nil)
        #expect(cache.cell(1, of: "b", at: "1") == nil)
        #expect(cache.cell(1, of: "a", at: "2") == nil)
        keep(10, 2, "2", in: cache)
        #expect(cache.cell(1, of: "a", at: "1") == nil)
        #expect(cache.cell(2, of: "a", at: "2") != nil)
    }

    @Test func `codes of removed vectors are counted after one search, and then after 100`() {
        let cache = VectorCellCache()
        #expect(!cache.hasRemoved("t", at: "1"))
        cache.noteRemoved("t", at: "1")
        #expect(cache.hasRemoved("t", at: "1") && !cache.hasRemoved("t", at: "2"))
        cache.noteCounted("t", at: "1")
        for _ in 0..<99 { cache.noteRemoved("t", at: "1") }
        #expect(!cache.hasRemoved("t", at: "1"))
        cache.noteRemoved("t", at: "1")
        #expect(cache.hasRemoved("t", at: "1"))
        cache.noteRemoved("t", at: "2")
        #expect(cache.hasRemoved("t", at: "2"), "another version may have others")
    }

    @Test func `the first cells stay until many others were refused`() {
        // Ten cells of 100 bytes.
        let cache = VectorCellCache(limit: 1_000)
        func kept() -> [Int] { (0..<2_000).filter { cache.cell($0, of: "a", at: "1") != nil } }
        for number in 0..<300 { keep(10, number, in: cache) }
        #expect(kept() == Array(0..<10))
        for number in 300..<900 { keep(10, number, in: cache) }
        #expect(kept().count == 10)
        #expect(kept().first ?? 0 > 300)
    }

    @Test func `a new version makes room`() {
        let cache = VectorCellCache(limit: 1_000)
        for number in 0..<20 { keep(10, number, in: cache) }
        keep(10, 20, "2", in: cache)
        #expect(cache.cell(20, of: "a", at: "2") != nil)
    }

    @Test func `a cell that is larger than an eighth of the limit is not kept`() {
        let cache = VectorCellCache(limit: 1_000)
        keep(13, 1, in: cache)
        #expect(cache.cell(1, of: "a", at: "1") == nil)
    }
}
