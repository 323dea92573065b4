public import DivanQuery
internal import DivanVectors

/// How far the training of a vector index is.
public struct VectorIndexState: Hashable, Sendable {
    /// The parameters of the index.
    public let options: QueryVectorOptions
    /// Whether vectors are in cells, of which a query searches some; otherwise it compares all vectors.
    public let isTrained: Bool
    /// The number of vectors, if the index is not trained.
    public let untrainedCount: Int
    /// The number of vectors that were added since the training and are in no cell; counted up to a limit.
    public let freshCount: Int

    init(
        options: QueryVectorOptions,
        isTrained: Bool,
        untrainedCount: Int,
        freshCount: Int
    ) {
        self.options = options
        self.isTrained = isTrained
        self.untrainedCount = untrainedCount
        self.freshCount = freshCount
    }

    /// Whether the next query should train the index, or move new vectors into its cells.
    var needsTraining: Bool {
        isTrained
            ? freshCount > StoreLimits.freshVectorCount
            : untrainedCount >= options.minimumTrainingCount
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

    /// The number of documents that the index proposes at most to a query that returns `count`, unless it must be
    /// exact.
    ///
    /// Their exact distances decide, because codes are less precise.
    func candidateCount(for count: Int) -> Int { max(40, min(4 * count, count + 400)) }

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
