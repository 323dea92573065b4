import DivanTestKit
import DivanVectors
import Testing

/// The bounds of estimates: no true distance is outside of them.
@Suite struct EstimateBoundsTests {
    private static let metrics: [DistanceMetric] = [.euclideanSquared, .euclidean, .cosine, .dot]

    @Test(arguments: VectorCodecTests.encodings, metrics)
    func `each distance is within the bounds of its estimate`(
        encoding: VectorEncoding,
        metric: DistanceMetric
    ) throws {
        let seed = TestSeed.choose(below: 1_000_000)
        let vectors = ClusteredVectors(count: 600, dimensions: 24, queries: 20, seed: seed)
        var training = try CodecTraining(
            encoding,
            dimensions: 24,
            metric: metric,
            // A part, so that some components are outside of the range.
            sample: Array(vectors.floats[..<(300 * 24)]),
            seed: 1
        )
        let codec = try training.finish()
        var (codes, error): ([UInt8], Float) = ([], 0)
        for number in 0..<vectors.count {
            error = max(error, try codec.encode(vectors[number].span, appendingTo: &codes))
        }
        for query in vectors.queries + [vectors[0]] {
            let scanner = try codec.scanner(for: query.span)
            var estimates = [Float](repeating: 0, count: vectors.count)
            try scanner.distances(to: codes.span.bytes, into: estimates.mutableSpan)
            let exact = try VectorQuery(query, metric: metric)
            for number in 0..<vectors.count {
                let distance = try exact.distance(to: vectors[number].span)
                let greatest = scanner.bounds.greatestDistance(of: estimates[number], error: error)
                let limit = scanner.bounds.greatestEstimate(within: distance, error: error)
                #expect(distance <= greatest, "seed \(seed)")
                #expect(estimates[number] <= limit, "seed \(seed)")
            }
        }
    }

    @Test func `the bounds of eight bits are narrow`() throws {
        let vectors = ClusteredVectors(count: 600, dimensions: 96, queries: 20, seed: 5)
        var training = try CodecTraining(
            .scalar(bits: 8),
            dimensions: 96,
            metric: .euclideanSquared,
            sample: vectors.floats,
            seed: 1
        )
        let codec = try training.finish()
        var code: [UInt8] = []
        let error = try codec.encode(vectors[0].span, appendingTo: &code)
        let query = vectors.queries[0]
        let bounds = try codec.scanner(for: query.span).bounds
        let distance = try VectorQuery(query, metric: .euclideanSquared)
            .distance(to: vectors[0].span)
        #expect(bounds.greatestDistance(of: distance, error: error) < 1.1 * distance)
        #expect(bounds.greatestEstimate(within: distance, error: error) < 1.1 * distance)
    }

    @Test func `very large queries and queries without a direction exclude nothing`() throws {
        let floats = try VectorCodec(dimensions: 2, metric: .dot)
        let huge: [Float] = [3e38, -3e38]
        let bounds = try floats.scanner(for: huge.span).bounds
        #expect(bounds.greatestEstimate(within: .infinity, error: 0) == .infinity)
        let zero: [Float] = [0, 0]
        let cosine = try VectorCodec(dimensions: 2, metric: .cosine).scanner(for: zero.span).bounds
        #expect(cosine.greatestEstimate(within: 0, error: 0) == .infinity)
    }
}
