import DivanTestKit
import DivanVectors
import Testing

/// Codes of every encoding: their size and error, the distances that scanners compute from them, and what is refused.
@Suite struct VectorCodecTests {
    static let encodings: [VectorEncoding] = [
        .float32, .scalar(bits: 8), .scalar(bits: 6), .scalar(bits: 4),
        .product(subquantizers: 12, bits: 8), .product(subquantizers: 12, bits: 5),
    ]

    /// The error of a squared distance that rounded weights may cause, for vectors whose lengths add up to 1.
    ///
    /// Scalar quantization rounds each weight to 2⁻¹⁴ of the largest one. The errors of 24 or more dimensions nearly
    /// cancel: this is six standard deviations.
    private static let rounding: Float = 2e-4

    private func codec(
        _ encoding: VectorEncoding,
        _ metric: DistanceMetric,
        _ vectors: ClusteredVectors,
        kernels: NativeKernels = .fastest
    ) throws -> VectorCodec {
        var training = try CodecTraining(
            encoding,
            dimensions: vectors.dimensions,
            metric: metric,
            sample: vectors.floats,
            seed: 1,
            kernels: kernels
        )
        return try training.finish()
    }

    private func codes(_ vectors: ClusteredVectors, of codec: VectorCodec) throws -> [UInt8] {
        var codes: [UInt8] = []
        for number in 0..<vectors.count {
            try codec.encode(vectors[number].span, appendingTo: &codes)
        }
        return codes
    }

    private func distances(
        _ codec: VectorCodec,
        _ query: [Float],
        _ codes: [UInt8]
    ) throws -> [Float] {
        var distances = [Float](repeating: -1, count: codes.count / codec.codeByteCount)
        let scanner = try codec.scanner(for: query.span)
        try scanner.distances(to: codes.span.bytes, into: distances.mutableSpan)
        return distances
    }

    // MARK: Codes

    @Test
    func `codes have the size that their encoding states`() throws {
        for dimensions in [12, 24, 300, 384] {
            let sizes = [
                VectorEncoding.float32: 4 * dimensions, .scalar(bits: 8): dimensions + 4,
                .scalar(bits: 6): dimensions * 3 / 4 + 4, .scalar(bits: 4): dimensions / 2 + 4,
                .product(subquantizers: 12, bits: 8): 12, .product(subquantizers: 12, bits: 5): 8,
            ]
            for (encoding, size) in sizes {
                #expect(encoding.codeByteCount(dimensions: dimensions) == size)
            }
        }
        let vectors = ClusteredVectors(count: 300, dimensions: 24, seed: 3)
        for encoding in Self.encodings {
            let codec = try codec(encoding, .dot, vectors)
            #expect(codec.codeByteCount == encoding.codeByteCount(dimensions: 24))
            #expect(try codes(vectors, of: codec).count == 300 * codec.codeByteCount)
        }
    }

    @Test(arguments: [4, 6, 8], [1, 2, 3, 5, 16, 17, 31, 32, 33, 100, 4096])
    func `a decoded component differs by at most half a step`(bits: Int, dimensions: Int) throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        // Components beyond the range of the sample would be clamped.
        let sample = (0..<4 * dimensions).map { _ in Float.random(in: 5...6, using: &generator) }
        var training = try CodecTraining(
            .scalar(bits: bits),
            dimensions: dimensions,
            metric: .dot,
            sample: sample,
            seed: 1
        )
        let codec = try training.finish()
        for number in 0..<4 {
            let vector = Array(sample[number * dimensions..<(number + 1) * dimensions])
            var code: [UInt8] = []
            try codec.encode(vector.span, appendingTo: &code)
            let decoded = try codec.decode(code.span.bytes)
            let largest = zip(vector, decoded).map { abs($0 - $1) }.max() ?? 0
            #expect(largest <= 0.5001 / Float((1 << bits) - 1), "seed \(seed)")
        }
    }

    @Test
    func `floats are stored unchanged`() throws {
        let codec = try VectorCodec(dimensions: 4, metric: .cosine)
        let vector: [Float] = [0, -0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
        var code: [UInt8] = []
        try codec.encode(vector.span, appendingTo: &code)
        #expect(try codec.decode(code.span.bytes) == vector)
        #expect(Array(code[4..<8]) == [0xCD, 0xCC, 0xCC, 0xBD])
    }

    @Test
    func `a product code contains the nearest codeword of each part`() throws {
        // Two parts with two different values each, which are then codewords.
        let sample: [Float] = [0, 0, 5, 5, 0, 0, 9, 9, 1, 1, 5, 5, 1, 1, 9, 9]
        var training = try CodecTraining(
            .product(subquantizers: 2, bits: 4),
            dimensions: 4,
            metric: .dot,
            sample: sample,
            seed: 1
        )
        let codec = try training.finish()
        var code: [UInt8] = []
        try codec.encode([0.4, 0.3, 8, 8].span, appendingTo: &code)
        #expect(code.count == 1)
        #expect(try codec.decode(code.span.bytes) == [0, 0, 9, 9])
    }

    // MARK: Distances

    @Test(arguments: encodings, DistanceMetric.allCases)
    func `a code has the same distance as its decoded vector`(
        encoding: VectorEncoding,
        metric: DistanceMetric
    ) throws {
        let seed = TestSeed.choose(below: 1_000_000)
        for dimensions in [24, 300] {
            let vectors = ClusteredVectors(
                count: 30,
                dimensions: dimensions,
                clusters: 6,
                queries: 3,
                seed: seed
            )
            let codec = try codec(encoding, metric, vectors)
            let codes = try codes(vectors, of: codec)
            for plain in vectors.queries {
                let exact = try VectorQuery(plain, metric: metric)
                let found = try distances(codec, plain, codes)
                for number in 0..<vectors.count {
                    let start = number * codec.codeByteCount
                    let code = codes.span.bytes.extracting(start..<start + codec.codeByteCount)
                    let decoded = try codec.decode(code)
                    let expected = try expectedDistance(of: decoded, exact, encoding)
                    let scale = metric == .cosine ? 2 : plain.length + decoded.length
                    let error =
                        metric == .euclidean
                        ? found[number] * found[number] - expected * expected
                        : found[number] - expected
                    let limit = Self.rounding * scale * scale
                    #expect(abs(error) < limit, "seed \(seed), vector \(number)")
                }
            }
        }
    }

    @Test
    func `the squared distance of a code from its own vector is about zero, and never negative`()
        throws
    {
        let seed = TestSeed.choose(below: 1_000_000)
        let vectors = ClusteredVectors(count: 100, dimensions: 36, seed: seed)
        for encoding in Self.encodings {
            let codec = try codec(encoding, .euclideanSquared, vectors)
            let codes = try codes(vectors, of: codec)
            for start in stride(from: 0, to: codes.count, by: codec.codeByteCount) {
                let code = Array(codes[start..<start + codec.codeByteCount])
                let vector = try codec.decode(code.span.bytes)
                let distance = try distances(codec, vector, code)[0]
                let scale = 2 * vector.length
                #expect(distance >= 0 && distance < Self.rounding * scale * scale, "seed \(seed)")
            }
        }
    }

    /// Quantizing codecs compute the cosine distance as half the squared distance of two vectors of length 1.
    private func expectedDistance(
        of decoded: [Float],
        _ query: VectorQuery,
        _ encoding: VectorEncoding
    ) throws -> Float {
        guard query.metric == .cosine, encoding != .float32 else {
            return try query.distance(to: decoded.span)
        }
        let length = query.vector.length
        return zip(query.vector, decoded).reduce(0) {
            $0 + ($1.0 / length - $1.1) * ($1.0 / length - $1.1)
        } / 2
    }

    @Test
    func `codes and distances are the same with all kernels`() throws {
        let vectors = ClusteredVectors(count: 400, dimensions: 60, seed: 5)
        for encoding in Self.encodings {
            let results = try NativeKernels.all.map { kernels in
                let codec = try codec(encoding, .euclidean, vectors, kernels: kernels)
                let codes = try codes(vectors, of: codec)
                return (codec.bytes, codes, try distances(codec, vectors.queries[0], codes))
            }
            #expect(results.allSatisfy { $0 == results[0] }, "\(encoding)")
        }
    }

    // MARK: Input that cannot be encoded

    @Test(arguments: [
        VectorEncoding.scalar(bits: 8), .scalar(bits: 4), .product(subquantizers: 2, bits: 4),
    ])
    func `vectors far outside the sample are encoded as the nearest possible ones`(
        encoding: VectorEncoding
    ) throws {
        let largest = Float.greatestFiniteMagnitude
        for sample: [Float] in [
            [1, 2, 1, 3], [-largest, largest, largest, -largest], [0, 0, 0, 0],
        ] {
            var training = try CodecTraining(
                encoding,
                dimensions: 2,
                metric: .euclideanSquared,
                sample: sample,
                seed: 1
            )
            let codec = try training.finish()
            var codes: [UInt8] = []
            for vector: [Float] in [
                [largest, -largest], [-largest, largest], [0, .leastNonzeroMagnitude],
            ] {
                try codec.encode(vector.span, appendingTo: &codes)
            }
            let found = try distances(codec, [0.5, 0.5], codes)
            #expect(found.allSatisfy { !$0.isNaN })
            let decoded = try codec.decode(codes.span.bytes.extracting(0..<codec.codeByteCount))
            #expect(decoded.allSatisfy { $0.isFinite })
        }
    }

    @Test
    func `a zero vector is refused only for the cosine distance`() throws {
        let vectors = ClusteredVectors(count: 50, dimensions: 24, seed: 2)
        let zeros = [Float](repeating: 0, count: 24)
        for encoding in Self.encodings {
            for metric in DistanceMetric.allCases {
                let codec = try codec(encoding, metric, vectors)
                var codes: [UInt8] = []
                if metric == .cosine, encoding != .float32 {
                    #expect(throws: VectorError.zeroVector) {
                        try codec.encode(zeros.span, appendingTo: &codes)
                    }
                    #expect(codes.isEmpty)
                } else {
                    try codec.encode(zeros.span, appendingTo: &codes)
                }
                _ = try codec.scanner(for: zeros.span)
            }
        }
    }

    @Test
    func `invalid vectors and encodings are refused`() throws {
        let codec = try codec(
            .scalar(bits: 8),
            .dot,
            ClusteredVectors(count: 9, dimensions: 4, seed: 2)
        )
        var codes: [UInt8] = []
        #expect(throws: VectorError.vectorLength(3, expected: 4)) {
            try codec.encode([1, 2, 3].span, appendingTo: &codes)
        }
        #expect(throws: VectorError.notFinite(position: 2)) {
            try codec.encode([1, 2, .infinity, 3].span, appendingTo: &codes)
        }
        #expect(throws: VectorError.vectorLength(3, expected: 4)) {
            try codec.scanner(for: [1, 2, 3].span)
        }
        #expect(throws: VectorError.self) { try codec.decode([1, 2, 3].span.bytes) }
        #expect(throws: VectorError.self) { try distances(codec, [1, 2, 3, 4], [1, 2, 3, 4, 5]) }
        for impossible: VectorEncoding in [
            .scalar(bits: 5), .product(subquantizers: 1, bits: 8),
            .product(subquantizers: 3, bits: 8), .product(subquantizers: 2, bits: 13),
            .product(subquantizers: 2, bits: 3), .product(subquantizers: -2, bits: 8),
        ] {
            #expect(throws: VectorError.encoding(impossible, dimensions: 4)) {
                try impossible.check(dimensions: 4)
            }
        }
    }
}

extension [Float] {
    fileprivate var length: Float { reduce(0) { $0 + $1 * $1 }.squareRoot() }
}
