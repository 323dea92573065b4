import DivanTestKit
import DivanVectors
import Testing

/// Exact distances, also of vectors at the ends of the range of floats.
@Suite struct VectorQueryTests {
    private func distance(
        _ metric: DistanceMetric,
        _ first: [Float],
        _ second: [Float]
    ) throws -> Float {
        try VectorQuery(first, metric: metric).distance(to: second.span)
    }

    @Test
    func `distances follow the definition of their metric`() throws {
        #expect(try distance(.euclideanSquared, [0, 0, 1], [3, 4, 1]) == 25)
        #expect(try distance(.euclidean, [0, 0, 1], [3, 4, 1]) == 5)
        #expect(try distance(.cosine, [2, 0], [0, 3]) == 1)
        #expect(try distance(.cosine, [2, 0], [-3, 0]) == 2)
        #expect(try distance(.cosine, [2, 0], [7, 0]) == 0)
        #expect(try distance(.dot, [1, 2, 3], [4, 5, 6]) == -32)
    }

    @Test(arguments: DistanceMetric.allCases)
    func `distances agree with sums of doubles to 1e-5`(metric: DistanceMetric) throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var source = NormalNumbers(seed: seed)
        for dimensions in [1, 2, 3, 31, 32, 33, 100, 384, 1536, 4096] {
            let (first, second) = (
                source.vector(dimensions, scale: 1), source.vector(dimensions, scale: 2)
            )
            let pairs = zip(first.map(Double.init), second.map(Double.init))
            let product = pairs.reduce(0) { $0 + $1.0 * $1.1 }
            let squared = pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            let lengths = [first, second].map { $0.reduce(0) { $0 + Double($1) * Double($1) } }
            let scale = (lengths[0] * lengths[1]).squareRoot()
            let (exact, unit): (Double, Double) =
                switch metric {
                case .euclideanSquared: (squared, squared)
                case .euclidean: (squared.squareRoot(), squared.squareRoot())
                case .cosine: (1 - product / scale, 1)
                case .dot: (-product, scale)
                }
            let found = Double(try distance(metric, first, second))
            #expect(abs(found - exact) <= 1e-5 * unit, "seed \(seed), \(dimensions) dimensions")
        }
    }

    @Test
    func `a zero vector has the cosine distance 1 from every vector`() throws {
        #expect(try distance(.cosine, [0, 0], [1, 2]) == 1)
        #expect(try distance(.cosine, [1, 2], [0, 0]) == 1)
        #expect(try distance(.cosine, [0, 0], [0, 0]) == 1)
    }

    @Test
    func `cosine distances of huge and tiny vectors are correct`() throws {
        for scale: Float in [.leastNonzeroMagnitude, 1e-30, 1e19, 3e38] {
            let found = try distance(.cosine, [scale, 0], [scale, scale])
            #expect(abs(found - (1 - 0.5.squareRoot().asFloat)) < 1e-6, "\(scale)")
        }
    }

    @Test
    func `rounding never makes a distance negative`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var source = NormalNumbers(seed: seed)
        for _ in 0..<500 {
            let vector = source.vector(37, scale: 1)
            let longer = vector.map { $0 * 3.7 }
            #expect(try distance(.cosine, vector, longer) >= 0, "seed \(seed)")
        }
    }

    @Test(arguments: DistanceMetric.allCases)
    func `rows are compared one by one at any address`(metric: DistanceMetric) throws {
        let rows: [[Float]] = [[1, 2, 3], [-1, 0, 1], [0, 5, 0]]
        let query = try VectorQuery([3, 2, 1], metric: metric)
        var bytes: [UInt8] = [7]
        for number in rows.joined() {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
        }
        var distances: [Float] = [0, 0, 0]
        try query.distances(to: bytes.span.bytes.extracting(1...), into: distances.mutableSpan)
        #expect(try distances == rows.map { try query.distance(to: $0.span) })
    }

    @Test
    func `a row with NaN has the distance NaN, and one with infinity is infinitely far`() throws {
        for metric in DistanceMetric.allCases {
            #expect(try distance(metric, [1, 2], [.nan, 1]).isNaN)
        }
        #expect(try distance(.euclidean, [1, 2], [.infinity, 1]) == .infinity)
    }

    @Test
    func `invalid vectors are refused`() throws {
        #expect(throws: VectorError.dimensions(0)) { try VectorQuery([], metric: .dot) }
        #expect(throws: VectorError.dimensions(4097)) {
            try VectorQuery([Float](repeating: 0, count: 4097), metric: .dot)
        }
        #expect(throws: VectorError.notFinite(position: 1)) {
            try VectorQuery([0, .nan], metric: .dot)
        }
        #expect(throws: VectorError.vectorLength(3, expected: 2)) {
            try distance(.cosine, [1, 2], [1, 2, 3])
        }
    }
}

extension Double {
    fileprivate var asFloat: Float { Float(self) }
}
