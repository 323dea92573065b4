/// Encodes vectors for storage, and prepares queries that compute distances from codes.
///
/// Theory of operation: a codec is created by `CodecTraining` from a sample, written next to the codes, and never
/// changes: codes that another codec has written are read with that one. Under the cosine distance, a quantizing
/// codec encodes vectors of length 1, because half the squared distance of two such vectors is their
/// cosine distance; this form has a smaller error for near vectors than a product.
///
/// A codec and its scanners are values for any thread.
public struct VectorCodec: Sendable {
    enum Quantizer: Equatable {
        case none
        case scalar(ScalarQuantizer)
        case product(ProductQuantizer)
    }

    /// How vectors are stored.
    public let encoding: VectorEncoding
    /// The number of dimensions of each vector.
    public let dimensions: Int
    /// The metric of the distances.
    public let metric: DistanceMetric
    /// The number of bytes of each code.
    public let codeByteCount: Int
    let quantizer: Quantizer
    let kernels: any VectorKernels

    init(
        _ quantizer: Quantizer,
        as encoding: VectorEncoding,
        dimensions: Int,
        metric: DistanceMetric,
        kernels: any VectorKernels
    ) {
        self.quantizer = quantizer
        self.encoding = encoding
        self.dimensions = dimensions
        self.metric = metric
        self.kernels = kernels
        codeByteCount = encoding.codeByteCount(dimensions: dimensions)
    }

    /// Creates a codec that stores vectors as floats, which needs no training.
    ///
    /// - Throws: `VectorError.dimensions`.
    public init(
        dimensions: Int,
        metric: DistanceMetric,
        kernels: any VectorKernels = NativeKernels.fastest
    ) throws(VectorError) {
        try VectorEncoding.float32.check(dimensions: dimensions)
        self.init(.none, as: .float32, dimensions: dimensions, metric: metric, kernels: kernels)
    }

    /// Appends the code of a vector.
    ///
    /// - Parameters:
    ///   - vector: The vector.
    ///   - codes: Receives the code.
    /// - Returns: The length of the difference between the vector and what the code stands for (`EstimateBounds`);
    ///   under the cosine distance, both are of length 1.
    /// - Throws: `VectorError.vectorLength`, `.notFinite`, or `.zeroVector` if a quantizing codec has the cosine
    ///   distance. Nothing is appended then.
    @discardableResult
    public func encode(
        _ vector: Span<Float>,
        appendingTo codes: inout [UInt8]
    ) throws(VectorError) -> Float {
        guard vector.count == dimensions else {
            throw .vectorLength(vector.count, expected: dimensions)
        }
        try vector.requireFinite()
        if case .none = quantizer {
            for component in vector.indices { codes.append(float: vector[component]) }
            return 0
        }
        guard metric == .cosine else { return quantize(vector, appendingTo: &codes) }
        guard let unit = vector.unit else { throw .zeroVector }
        return quantize(unit.span, appendingTo: &codes)
    }

    private func quantize(_ vector: Span<Float>, appendingTo codes: inout [UInt8]) -> Float {
        let squared =
            switch quantizer {
            case .none: 0.0
            case .scalar(let scalar): scalar.encode(vector, appendingTo: &codes)
            case .product(let product): product.encode(vector, kernels, appendingTo: &codes)
            }
        // Rounded up by more than the kernels' own rounding, for up to 2048 dimensions of a part.
        return Float(squared.squareRoot() * 1.0002).nextUp
    }

    /// Returns the vector that a code stands for; of length 1 if a quantizing codec has the cosine distance.
    ///
    /// - Throws: `VectorError.damaged` if the code has another length.
    public func decode(_ code: RawSpan) throws(VectorError) -> [Float] {
        guard code.byteCount == codeByteCount else {
            throw .damaged("a code has \(code.byteCount) bytes instead of \(codeByteCount)")
        }
        var vector: [Float] = []
        switch quantizer {
        case .none: vector = code.floats(from: 0)
        case .scalar(let scalar): scalar.decode(code, appendingTo: &vector)
        case .product(let product): product.decode(code, appendingTo: &vector)
        }
        return vector
    }

    /// Prepares a query.
    ///
    /// - Throws: `VectorError.vectorLength` if the query has another number of dimensions, and `.notFinite`.
    public func scanner(for query: Span<Float>) throws(VectorError) -> CodeScanner {
        try CodeScanner(self, query)
    }
}

/// Estimates the distances of codes from one query.
public struct CodeScanner: Sendable {
    private enum Form {
        case exact(VectorQuery)
        case scalar(ScalarQuantizer.Scanner)
        case product(ProductQuantizer.Scanner)
    }

    private let form: Form
    private let metric: DistanceMetric
    private let codeByteCount: Int
    private let kernels: any VectorKernels
    /// How far the estimates can be from true distances.
    public let bounds: EstimateBounds

    init(_ codec: VectorCodec, _ query: Span<Float>) throws(VectorError) {
        guard query.count == codec.dimensions else {
            throw .vectorLength(query.count, expected: codec.dimensions)
        }
        try query.requireFinite()
        metric = codec.metric
        codeByteCount = codec.codeByteCount
        kernels = codec.kernels
        let plain = query.indices.map { query[$0] }
        let vector = metric == .cosine ? query.unit ?? plain : plain
        let isProduct = metric == .dot
        let rounding: Float
        switch codec.quantizer {
        case .none:
            form = .exact(try VectorQuery(plain, metric: metric, kernels: kernels))
            rounding = 0
        case .scalar(let scalar):
            let scanner = scalar.scanner(for: vector.span, isProduct: isProduct)
            form = .scalar(scanner)
            rounding = scanner.rounding
        case .product(let product):
            let scanner = try product.scanner(for: vector.span, kernels, isProduct: isProduct)
            form = .product(scanner)
            rounding = scanner.rounding
        }
        bounds = EstimateBounds(
            metric: metric,
            length: Float(vector.span.squaredLength.squareRoot()).nextUp,
            // All distances from no direction are the same.
            rounding: metric == .cosine && query.unit == nil ? .infinity : rounding
        )
    }

    /// Estimates the distance of each code; exact if the codec stores floats.
    ///
    /// - Parameters:
    ///   - codes: Codes, one after another, at any address.
    ///   - distances: Receives one distance per code.
    /// - Throws: `VectorError.damaged` if the codes have another length.
    public func distances(
        to codes: RawSpan,
        into distances: consuming MutableSpan<Float>
    ) throws(VectorError) {
        guard codes.byteCount == distances.count * codeByteCount else {
            throw .damaged("\(codes.byteCount) bytes are not \(distances.count) codes")
        }
        switch form {
        case .exact(let query):
            return try query.distances(to: codes, into: distances)
        case .scalar(let scanner):
            lend(&distances) { scanner.distances(to: codes, kernels, into: $0) }
        case .product(let scanner):
            lend(&distances) { scanner.distances(to: codes, kernels, into: $0) }
        }
        if metric == .euclidean { update(&distances) { $0.squareRoot() } }
        if metric == .cosine { update(&distances) { $0 / 2 } }
    }
}
