/// A vector to which exact distances are computed.
///
/// Theory of operation: an index first ranks candidates by the estimates of a `CodeScanner`, which read one
/// byte or less per dimension, and then asks this type for the true distances of the best ones. It also serves
/// vectors that are not quantized. Whatever depends on the query alone is computed once.
///
/// Distances of vectors with NaN are NaN; `NearestNeighbors` ignores them. Rounding never produces a negative
/// distance where there are none.
public struct VectorQuery: Sendable {
    /// The vector.
    public let vector: [Float]
    /// The metric of all distances.
    public let metric: DistanceMetric
    let kernels: any VectorKernels
    let length: Float

    /// Prepares a vector.
    ///
    /// - Parameters:
    ///   - vector: 1 to 4096 finite numbers.
    ///   - metric: The metric of all distances.
    ///   - kernels: The kernels to compute with.
    /// - Throws: `VectorError.dimensions` or `.notFinite`.
    public init(
        _ vector: [Float],
        metric: DistanceMetric,
        kernels: any VectorKernels = NativeKernels.fastest
    ) throws(VectorError) {
        guard 1...VectorLimits.dimensionCount ~= vector.count else {
            throw .dimensions(vector.count)
        }
        try vector.span.requireFinite()
        self.vector = vector
        self.metric = metric
        self.kernels = kernels
        length = Float(vector.span.squaredLength.squareRoot())
    }

    /// Computes the distance of each row.
    ///
    /// - Parameters:
    ///   - rows: Rows of little-endian floats, one after another, at any address.
    ///   - distances: Receives one distance per row.
    /// - Throws: `VectorError.vectorLength` if the rows are not as many vectors of the query's dimensions.
    public func distances(
        to rows: RawSpan,
        into distances: consuming MutableSpan<Float>
    ) throws(VectorError) {
        guard rows.byteCount == distances.count * vector.count * 4 else {
            let length = rows.byteCount / 4 / max(distances.count, 1)
            throw .vectorLength(length, expected: vector.count)
        }
        switch metric {
        case .euclideanSquared, .euclidean:
            lend(&distances) { kernels.squaredDistances(from: vector.span, to: rows, into: $0) }
            if metric == .euclidean { update(&distances) { $0.squareRoot() } }
        case .cosine:
            let lengths = lend(&distances) { multiply(rows, into: $0) }
            for row in lengths.indices {
                let scale = length * lengths[row].squareRoot()
                let isExact = scale.isNormal && distances[row].isFinite
                let cosine = isExact ? distances[row] / scale : preciseCosine(rows, row)
                distances[row] = cosine > 1 ? 0 : 1 - cosine
            }
        case .dot:
            _ = lend(&distances) { multiply(rows, into: $0) }
            update(&distances) { -$0 }
        }
    }

    /// Returns the distance of a vector.
    ///
    /// - Throws: `VectorError.vectorLength` if it has another number of dimensions.
    public func distance(to vector: Span<Float>) throws(VectorError) -> Float {
        var distance: [Float] = [0]
        try distances(to: vector.bytes, into: distance.mutableSpan)
        return distance[0]
    }

    /// The cosine of the angle to a row whose square does not fit into a float.
    private func preciseCosine(_ rows: RawSpan, _ row: Int) -> Float {
        var (product, squaredLength) = (0.0, 0.0)
        for index in vector.indices {
            let value = Double(rows.float(at: (row * vector.count + index) * 4))
            product += Double(vector[index]) * value
            squaredLength += value * value
        }
        let scale = (vector.span.squaredLength * squaredLength).squareRoot()
        return scale == 0 ? 0 : Float(product / scale)
    }

    /// Computes the products, and returns the squared lengths of the rows.
    private func multiply(_ rows: RawSpan, into products: consuming MutableSpan<Float>) -> [Float] {
        var lengths = [Float](repeating: 0, count: products.count)
        kernels.products(
            of: vector.span,
            with: rows,
            into: products,
            squaredLengths: lengths.mutableSpan
        )
        return lengths
    }
}

extension [Float] {
    /// Creates an array that a closure fills.
    init(count: Int, filledBy compute: (consuming MutableSpan<Float>) -> Void) {
        self.init(repeating: 0, count: count)
        compute(mutableSpan)
    }
}

// Functions, because compiler 6.2 accepts no mutating methods of spans.

/// Passes a span to a function that consumes it, and keeps it.
func lend<Result, Failure>(
    _ span: inout MutableSpan<Float>,
    to body: (consuming MutableSpan<Float>) throws(Failure) -> Result
) throws(Failure) -> Result {
    // The second span ends before the first is used again.
    try span.withUnsafeMutableBufferPointer { (elements) throws(Failure) in
        try body(elements.mutableSpan)
    }
}

/// Replaces each element of a span.
func update(_ span: inout MutableSpan<Float>, _ change: (Float) -> Float) {
    for index in span.indices { span[index] = change(span[index]) }
}

extension Span<Float> {
    /// The squared length, which cannot overflow.
    var squaredLength: Double {
        var sum = 0.0
        for index in indices { sum += Double(self[index]) * Double(self[index]) }
        return sum
    }

    /// Refuses vectors with NaN or infinity.
    func requireFinite() throws(VectorError) {
        for index in indices where !self[index].isFinite { throw .notFinite(position: index) }
    }

    /// The vector of length 1 in the same direction; `nil` if all components are zero.
    var unit: [Float]? {
        let length = squaredLength.squareRoot()
        return length == 0 ? nil : indices.map { Float(Double(self[$0]) / length) }
    }
}
