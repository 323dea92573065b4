import DivanTestKit
import DivanVectors
import Testing

/// The nearest of many candidates, compared with sorting all of them.
@Suite struct NearestNeighborsTests {
    @Test
    func `the nearest vectors equal those found by sorting, in any order of insertion`() {
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let limit = Int.random(in: 0...12, using: &generator)
            // Few different distances, so that many are equal.
            let candidates = (0..<Int64.random(in: 0...60, using: &generator)).map {
                (id: $0, distance: Float(Int.random(in: 0...9, using: &generator)))
            }
            var neighbors = NearestNeighbors(limit: limit)
            for candidate in candidates.shuffled(using: &generator) {
                neighbors.insert(candidate.id, at: candidate.distance)
            }
            let sorted = candidates.sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }
            #expect(neighbors.sorted.map(\.id) == sorted.prefix(limit).map(\.id), "seed \(seed)")
            #expect(neighbors.count == min(limit, candidates.count))
        }
    }

    @Test
    func `the bound is infinite until the collection is full`() {
        var neighbors = NearestNeighbors(limit: 2)
        neighbors.insert(1, at: 5)
        #expect(neighbors.bound == .infinity)
        neighbors.insert(2, at: 3)
        #expect(neighbors.bound == 5)
        neighbors.insert(3, at: 4)
        #expect(neighbors.bound == 4)
    }

    @Test
    func `a distance of NaN is never kept, an infinite one is`() {
        var neighbors = NearestNeighbors(limit: 3)
        neighbors.insert(1, at: .nan)
        neighbors.insert(2, at: .infinity)
        #expect(neighbors.sorted.map(\.id) == [2])
    }
}
