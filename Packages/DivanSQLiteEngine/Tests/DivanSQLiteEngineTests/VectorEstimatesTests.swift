import DivanTestKit
import Testing

@testable import DivanSQLiteEngine

@Suite struct VectorEstimatesTests {
    @Test func `the least estimate is removed first, whatever their order`() {
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        for count in [0, 1, 2, 3, 100] {
            let distances = (0..<count).map { _ in
                Float.random(in: 0...9, using: &generator).rounded()
            }
            let estimates = distances.enumerated().map {
                VectorEstimates.Estimate(distance: $1, error: 0, id: Int64($0))
            }
            var heap = VectorEstimates(estimates)
            var found: [VectorEstimates.Estimate] = []
            while let least = heap.removeLeast() { found.append(least) }
            #expect(found.map(\.distance) == distances.sorted(), "seed \(seed)")
            #expect(Set(found.map(\.id)).count == count, "seed \(seed)")
        }
    }
}
