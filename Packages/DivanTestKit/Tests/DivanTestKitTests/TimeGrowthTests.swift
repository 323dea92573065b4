import DivanTestKit
import Testing

@Suite struct TimeGrowthTests {
    /// Adds numbers, and returns a sum so that no step can be left out.
    private func add(_ count: Int) -> Int {
        (0..<count).reduce(into: 0) { sum, number in sum = sum &* 31 &+ number }
    }

    /// Works until the thread has spent this processor time, however slow the processor is at the moment.
    private func spend(_ duration: Duration) {
        var spent = Duration.zero
        while spent < duration { spent += processorTime { #expect(add(2_000) != 1) } }
    }

    @Test func `linear work is within the limit`() {
        let growth = TimeGrowth(from: 10_000, to: 80_000, limit: 24) { #expect(add($0) != 1) }
        #expect(growth.isWithinLimit, "\(growth)")
    }

    @Test func `quadratic work exceeds the limit`() {
        let growth = TimeGrowth(from: 300, to: 2_400, limit: 24) { size in
            spend(.microseconds(size * size / 18))
        }
        #expect(!growth.isWithinLimit, "\(growth)")
        #expect(growth.ratio > 24 && growth.large > growth.small)
    }

    @Test func `work that ends at once is within the limit`() {
        var sizes: [Int] = []
        let growth = TimeGrowth(from: 1, to: 10, limit: 2) { sizes.append($0) }
        #expect(growth.isWithinLimit && growth.ratio < 1)
        #expect(sizes == [1, 10, 1])
    }
}
