/// Creates a codec from a sample of the vectors that it will encode.
///
/// Theory of operation: like `KMeans`, a state machine whose owner calls `step` until it is finished. Scalar
/// quantization is one pass over the sample, product quantization one k-means per part of the vectors, one after
/// another. The result depends on the sample and the seed only.
public struct CodecTraining: Sendable {
    private let encoding: VectorEncoding
    private let dimensions: Int
    private let metric: DistanceMetric
    private let seed: UInt64
    private let kernels: any VectorKernels
    private let sample: [Float]
    private var ranges: ComponentRanges
    private var next = 0
    private var part: KMeans?
    private var books: [Centroids] = []
    private var quantizer: VectorCodec.Quantizer?

    /// Prepares a training.
    ///
    /// - Parameters:
    ///   - encoding: How vectors will be stored.
    ///   - dimensions: The number of floats of a vector.
    ///   - metric: The metric of the distances.
    ///   - sample: Finite vectors, one after another; 25 to 100 per codeword are enough.
    ///   - seed: Determines all random choices.
    ///   - kernels: The kernels to compute with.
    /// - Throws: `VectorError.dimensions`, `.encoding`, `.sample`, `.notFinite` or `.trainingMemory`.
    public init(
        _ encoding: VectorEncoding,
        dimensions: Int,
        metric: DistanceMetric,
        sample: [Float],
        seed: UInt64,
        kernels: any VectorKernels = NativeKernels.fastest
    ) throws(VectorError) {
        try encoding.check(dimensions: dimensions)
        guard !sample.isEmpty, sample.count.isMultiple(of: dimensions) else {
            throw .sample(floatCount: sample.count)
        }
        guard sample.count * 4 <= VectorLimits.trainingByteCount else {
            let (needed, limit) = (sample.count * 4, VectorLimits.trainingByteCount)
            throw .trainingMemory(byteCount: needed, limit: limit)
        }
        try sample.span.requireFinite()
        self.encoding = encoding
        self.dimensions = dimensions
        self.metric = metric
        self.seed = seed
        self.kernels = kernels
        self.sample = metric == .cosine ? Self.normalized(sample, dimensions) : sample
        ranges = ComponentRanges(startingAt: self.sample[..<dimensions])
    }

    private static func normalized(_ sample: [Float], _ dimensions: Int) -> [Float] {
        var units: [Float] = []
        units.reserveCapacity(sample.count)
        for start in stride(from: 0, to: sample.count, by: dimensions) {
            let vector = start..<start + dimensions
            units += sample.span.extracting(vector).unit ?? Array(sample[vector])
        }
        return units
    }

    /// Does the next piece of work, about 10 ms, and returns whether the training is finished.
    public mutating func step(
        concurrently run: Concurrently = sequentially
    ) throws(VectorError) -> Bool {
        switch encoding {
        case .float32: quantizer = VectorCodec.Quantizer.none
        case .scalar(let bits):
            let vectorCount = max(VectorLimits.stepProductCount / 32 / dimensions, 1)
            let end = min(next + vectorCount * dimensions, sample.count)
            ranges.add(sample[next..<end])
            next = end
            if next == sample.count { quantizer = .scalar(ranges.quantizer(bits: bits)) }
        case .product(let subquantizers, let bits):
            try trainPart(of: dimensions / subquantizers, bits, run)
            if books.count == subquantizers {
                quantizer = .product(ProductQuantizer(bits: bits, books: books))
            }
        }
        return quantizer != nil
    }

    /// Does all remaining steps and returns the codec.
    ///
    /// - Parameters:
    ///   - run: Runs the parts of a step, for example on several threads.
    ///   - isCancelled: Whether to stop; asked between steps.
    /// - Returns: The codec.
    /// - Throws: `VectorError.cancelled`, and the errors of `KMeans`.
    public mutating func finish(
        concurrently run: Concurrently = sequentially,
        isCancelled: () -> Bool = { false }
    ) throws(VectorError) -> VectorCodec {
        repeat {
            if isCancelled() { throw .cancelled }
        } while try !step(concurrently: run)
        return try result()
    }

    /// The codec of a finished training.
    ///
    /// - Throws: `VectorError.cancelled` if it is not finished.
    public func result() throws(VectorError) -> VectorCodec {
        guard let quantizer else { throw .cancelled }
        return VectorCodec(
            quantizer,
            as: encoding,
            dimensions: dimensions,
            metric: metric,
            kernels: kernels
        )
    }

    private mutating func trainPart(
        of length: Int,
        _ bits: Int,
        _ run: Concurrently
    ) throws(VectorError) {
        if part == nil {
            var floats: [Float] = []
            floats.reserveCapacity(sample.count / dimensions * length)
            for start in stride(from: books.count * length, to: sample.count, by: dimensions) {
                floats += sample[start..<start + length]
            }
            part = try KMeans(
                floats,
                dimensions: length,
                centroids: 1 << bits,
                seed: seed &+ UInt64(books.count),
                kernels: kernels
            )
        }
        guard try part?.step(concurrently: run) == true, let found = try part?.result() else {
            return
        }
        part = nil
        // A sample with few different vectors has few codewords.
        books.append(try found.padded(to: 1 << bits))
    }
}
