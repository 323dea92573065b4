// How a codec is stored. After the head of `CheckedBytes`:
//
//     kind (1), metric (1), bits (1), dimensions (4), subquantizers (4), floats
//
// The floats are the lowest values and the steps of scalar quantization, or the codewords of
// product quantization, one part after another.

extension VectorCodec {
    private static let floatsOffset = CheckedBytes.headByteCount + 11

    /// The codec as bytes, which `init(bytes:)` reads on any machine.
    public var bytes: [UInt8] {
        CheckedBytes.make { bytes in
            bytes += [encoding.kind, metric.rawValue, encoding.bits]
            bytes.append(number: UInt32(dimensions))
            bytes.append(number: encoding.subquantizerCount)
            switch quantizer {
            case .none: break
            case .scalar(let scalar):
                for float in scalar.lowest + scalar.steps { bytes.append(float: float) }
            case .product(let product):
                for book in product.books {
                    for codeword in 0..<book.count {
                        for float in book[codeword] { bytes.append(float: float) }
                    }
                }
            }
        }
    }

    /// Reads a codec.
    ///
    /// - Parameters:
    ///   - bytes: What `bytes` returned.
    ///   - kernels: The kernels to compute with.
    /// - Throws: `VectorError.damaged` for any other bytes.
    public init(
        bytes: RawSpan,
        kernels: any VectorKernels = NativeKernels.fastest
    ) throws(VectorError) {
        let start = CheckedBytes.headByteCount
        try CheckedBytes.check(bytes, atLeast: Self.floatsOffset - start)
        let dimensions = Int(bytes.number(at: start + 3))
        let encoding = VectorEncoding(
            kind: bytes.byte(at: start),
            bits: bytes.byte(at: start + 2),
            subquantizers: bytes.number(at: start + 7)
        )
        guard let encoding, (try? encoding.check(dimensions: dimensions)) != nil,
            let metric = DistanceMetric(rawValue: bytes.byte(at: start + 1))
        else { throw .damaged("the codec has impossible parameters") }
        let floatCount = encoding.parameterCount(dimensions: dimensions)
        guard bytes.byteCount == Self.floatsOffset + 4 * floatCount else {
            throw .damaged("a codec with \(floatCount) parameters has \(bytes.byteCount) bytes")
        }
        let floats = bytes.floats(from: Self.floatsOffset)
        guard floats.allSatisfy(\.isFinite) else { throw .damaged("a parameter is not finite") }
        let quantizer = try Self.quantizer(encoding, floats, dimensions)
        self.init(
            quantizer,
            as: encoding,
            dimensions: dimensions,
            metric: metric,
            kernels: kernels
        )
    }

    private static func quantizer(
        _ encoding: VectorEncoding,
        _ floats: [Float],
        _ dimensions: Int
    ) throws(VectorError) -> Quantizer {
        switch encoding {
        case .float32: return .none
        case .scalar(let bits):
            let (lowest, steps) = (Array(floats[..<dimensions]), Array(floats[dimensions...]))
            guard steps.allSatisfy({ $0 >= 0 }) else { throw .damaged("a step is negative") }
            return .scalar(ScalarQuantizer(bits: bits, lowest: lowest, steps: steps))
        case .product(let subquantizers, let bits):
            let bookCount = floats.count / subquantizers
            var books: [Centroids] = []
            for start in stride(from: 0, to: floats.count, by: bookCount) {
                let rows = Array(floats[start..<start + bookCount])
                books.append(try Centroids(rows, dimensions: dimensions / subquantizers))
            }
            return .product(ProductQuantizer(bits: bits, books: books))
        }
    }
}

extension VectorEncoding {
    /// The number in files.
    var kind: UInt8 {
        switch self {
        case .float32: 0
        case .scalar: 1
        case .product: 2
        }
    }

    /// The bits of a number; 0 for floats.
    var bits: UInt8 {
        switch self {
        case .float32: 0
        case .scalar(let bits), .product(_, let bits): UInt8(clamping: bits)
        }
    }

    fileprivate var subquantizerCount: UInt32 {
        if case .product(let subquantizers, _) = self { UInt32(clamping: subquantizers) } else { 0 }
    }

    /// The number of floats that describe a codec.
    fileprivate func parameterCount(dimensions: Int) -> Int {
        switch self {
        case .float32: 0
        case .scalar: 2 * dimensions
        case .product(_, let bits): dimensions << bits
        }
    }

    fileprivate init?(kind: UInt8, bits: UInt8, subquantizers: UInt32) {
        switch (kind, bits, subquantizers) {
        case (0, 0, 0): self = .float32
        case (1, _, 0): self = .scalar(bits: Int(bits))
        case (2, _, _): self = .product(subquantizers: Int(subquantizers), bits: Int(bits))
        default: return nil
        }
    }
}
