public import DivanQuery
internal import DivanVectors

/// How far the training of a vector index is.
public struct VectorIndexState: Hashable, Sendable {
    /// The parameters of the index.
    public let options: QueryVectorOptions
    /// Whether vectors are in cells, of which a query searches some; otherwise it compares all vectors.
    public let isTrained: Bool
    /// The number of vectors that the index had when it was trained; 0 if it is not trained.
    public let trainedCount: Int
    /// The number of vectors, if the index is not trained.
    public let untrainedCount: Int
    /// The number of vectors that were added since the training and are in no cell; counted up to a limit.
    public let freshCount: Int
    /// Whether a training has begun and has not ended.
    public let isBeingTrained: Bool
    /// Whether it has so many vectors that counting them, before training it again, is left to the background.
    let isLarge: Bool
    /// Whether there may be more to do than to move the new vectors.
    let isOutdated: Bool

    /// Whether there is work to do (`VectorIndexWork`).
    var needsUpkeep: Bool {
        isBeingTrained || isOutdated
            || (isTrained
                ? freshCount > StoreLimits.freshVectorCount
                : untrainedCount >= options.minimumTrainingCount)
    }
}

extension QueryVectorOptions {
    /// The number of vectors that training reads at most: 100 for each centroid or codeword, if the index does not
    /// say.
    var maximumTrainingCount: Int {
        let wanted = maxTrainingCount > 0 ? maxTrainingCount : 100 * meanCount
        let possible = StoreLimits.vectorSampleByteCount / (4 * dimensions)
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
