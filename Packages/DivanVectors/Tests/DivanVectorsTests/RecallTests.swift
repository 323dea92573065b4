import DivanVectors
import Testing

/// How many of the true neighbours each encoding finds, on clustered vectors and compared with exact search.
@Suite struct RecallTests {
    struct Goal: CustomTestStringConvertible {
        var encoding: VectorEncoding
        /// Of the 10 nearest vectors, the share among the 10 nearest codes.
        var first: Double
        /// The share after a second look at the 40 nearest codes, by exact distances.
        var second: Double

        var testDescription: String { "\(encoding)" }
    }

    private static let goals = [
        Goal(encoding: .float32, first: 1, second: 1),
        Goal(encoding: .scalar(bits: 8), first: 0.97, second: 0.99),
        Goal(encoding: .scalar(bits: 6), first: 0.93, second: 0.99),
        Goal(encoding: .scalar(bits: 4), first: 0.8, second: 0.97),
        Goal(encoding: .product(subquantizers: 16, bits: 8), first: 0.6, second: 0.95),
        Goal(encoding: .product(subquantizers: 32, bits: 5), first: 0.6, second: 0.95),
    ]

    // Seeds are fixed, because shares of few queries vary.
    private static let vectors = ClusteredVectors(
        count: 1200,
        dimensions: 64,
        queries: 20,
        seed: 11
    )

    @Test(arguments: goals, [DistanceMetric.euclideanSquared, .cosine, .dot])
    func `a search of codes finds the true neighbours`(goal: Goal, metric: DistanceMetric) throws {
        let vectors = Self.vectors
        var training = try CodecTraining(
            goal.encoding,
            dimensions: vectors.dimensions,
            metric: metric,
            sample: vectors.floats,
            seed: 7
        )
        let codec = try training.finish()
        var codes: [UInt8] = []
        for number in 0..<vectors.count {
            try codec.encode(vectors[number].span, appendingTo: &codes)
        }
        var (first, second) = (0, 0)
        for plain in vectors.queries {
            let query = try VectorQuery(plain, metric: metric)
            var exact = [Float](repeating: 0, count: vectors.count)
            try query.distances(to: vectors.floats.span.bytes, into: exact.mutableSpan)
            var estimates = [Float](repeating: 0, count: vectors.count)
            let scanner = try codec.scanner(for: plain.span)
            try scanner.distances(to: codes.span.bytes, into: estimates.mutableSpan)

            let all = Array(0..<vectors.count)
            let expected = Set(nearest(10, of: all, by: exact))
            let candidates = nearest(40, of: all, by: estimates)
            first += expected.intersection(candidates.prefix(10)).count
            second += expected.intersection(nearest(10, of: candidates, by: exact)).count
        }
        let total = Double(10 * vectors.queries.count)
        #expect(Double(first) / total >= goal.first)
        #expect(Double(second) / total >= goal.second)
    }

    private func nearest(_ limit: Int, of numbers: [Int], by distances: [Float]) -> [Int] {
        var neighbors = NearestNeighbors(limit: limit)
        for number in numbers { neighbors.insert(Int64(number), at: distances[number]) }
        return neighbors.sorted.map { Int($0.id) }
    }
}
