import DivanTestKit
import Testing

@testable import DivanStore

/// The cells that searches share.
@Suite struct VectorCellCacheTests {
    private func cell(_ count: Int) -> VectorCell {
        VectorCell(numbers: Array(0..<Int64(count)), codes: [UInt8](repeating: 1, count: 2 * count))
    }

    private func key(_ number: Int, _ version: String = "1") -> VectorCellCache.Key {
        VectorCellCache.Key(version: version, cell: number)
    }

    @Test func `a cell is kept for its version only`() {
        let cache = VectorCellCache(limit: 10_000)
        cache.keep(cell(10), as: key(1))
        #expect(cache.cell(key(1))?.numbers.count == 10)
        #expect(cache.cell(key(2)) == nil)
        #expect(cache.cell(key(1, "2")) == nil)
    }

    @Test func `cells that are used stay, others go, within the limit`() {
        // Ten cells of 100 bytes.
        let cache = VectorCellCache(limit: 1_000)
        for number in 0..<100 {
            cache.keep(cell(10), as: key(number))
            #expect(cache.cell(key(0)) != nil)
        }
        #expect(cache.cell(key(99)) != nil)
        #expect(cache.cell(key(50)) == nil)
        #expect((0..<100).count { cache.cell(key($0)) != nil } <= 10)
    }

    @Test func `a cell that is larger than an eighth of the limit is not kept`() {
        let cache = VectorCellCache(limit: 1_000)
        cache.keep(cell(13), as: key(1))
        #expect(cache.cell(key(1)) == nil)
    }
}
