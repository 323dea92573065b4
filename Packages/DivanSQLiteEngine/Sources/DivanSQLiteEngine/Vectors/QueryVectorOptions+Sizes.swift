internal import DivanQuery
internal import DivanStorage
internal import DivanVectors

extension QueryVectorOptions {
    /// The number of vectors that training reads at most: 100 for each centroid or codeword, if the index does not
    /// say.
    var maximumTrainingCount: Int {
        let wanted = maxTrainingCount > 0 ? maxTrainingCount : 100 * meanCount
        let possible = StorageLimits.vectorSampleByteCount / (4 * dimensions)
        return max(centroidCount, min(wanted, 256 * meanCount, possible))
    }

    /// The multiplications with which the cell and the code of a vector are found.
    var placingProductCount: Int {
        guard case .product(_, let bits) = encoding else { return dimensions * centroidCount }
        return dimensions * (centroidCount + 1 << bits)
    }

    /// The number of documents that the index proposes at most to a query that returns `count`, unless it must be
    /// exact.
    ///
    /// Their exact distances decide, because codes are less precise.
    func candidateCount(for count: Int) -> Int { max(40, min(4 * count, count + 400)) }

    /// Vectors in the form in which they are compared with cells: of length 1 for the cosine distance.
    ///
    /// - Parameter floats: Vectors, one after another.
    /// - Returns: The same number of vectors, in the same order.
    func directions(of floats: [Float]) -> [Float] {
        guard metric == .cosine else { return floats }
        return stride(from: 0, to: floats.count, by: dimensions).flatMap { start in
            let vector = floats[start..<min(start + dimensions, floats.count)]
            let length = vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
            return length > 0 ? vector.map { Float(Double($0) / length) } : Array(vector)
        }
    }

    /// Whether the parameters are within the limits, which those in a damaged file may not be.
    var isPossible: Bool {
        let counts = [minTrainingCount, maxTrainingCount, probeCount]
        return 2...VectorLimits.dimensionCount ~= dimensions
            && 1...VectorLimits.centroidCount ~= centroidCount
            && counts.allSatisfy { 0...Int(UInt32.max) ~= $0 }
            && (try? vectorEncoding.check(dimensions: dimensions)) != nil
    }

    var vectorEncoding: VectorEncoding {
        switch encoding {
        case .float32: .float32
        case .scalar(let bits): .scalar(bits: bits)
        case .product(let subquantizers, let bits):
            .product(subquantizers: subquantizers, bits: bits)
        }
    }
}

extension QueryVectorMetric {
    var distanceMetric: DistanceMetric {
        switch self {
        case .euclideanSquared: .euclideanSquared
        case .euclidean: .euclidean
        case .cosine: .cosine
        case .dot: .dot
        }
    }
}
