import DivanDatabase
import DivanJSON
import DivanLog
import DivanQuery
import Foundation

/// Extensions of the official SDK that an application enables.
public final class Extension: Sendable {
    private init() {}

    /// Enables vector search; does nothing, because vector search is always available.
    ///
    /// - Throws: Nothing; the official method throws.
    public static func enableVectorSearch() throws {}
}

/// An index of vectors, for `APPROX_VECTOR_DISTANCE`.
///
/// A document's vector is an array of numbers, or the base64 text of little-endian 32-bit floats. Documents without a
/// valid vector of the configured length are not in the index.
///
/// The index is trained by the first query that finds enough vectors: they are divided into cells, of which a query
/// searches the nearest. Until then, a query compares all vectors.
public struct VectorIndexConfiguration: IndexConfiguration {
    /// The default of ``isLazy``: vectors are read from documents when they are saved.
    public static let defaultIsLazy = false
    /// The default of ``encoding``: 8 bits for each number.
    public static let defaultEncoding = ScalarQuantizerType.SQ8
    /// The default of ``metric``: the squared Euclidean distance.
    public static let defaultDistanceMetric = DistanceMetric.euclideanSquared
    /// The default of ``minTrainingSize``: 25 vectors for each centroid.
    public static let defaultMinTrainingSize: UInt32 = 0
    /// The default of ``maxTrainingSize``: 100 vectors for each centroid.
    public static let defaultMaxTrainingSize: UInt32 = 0
    /// The default of ``numProbes``: all cells of a small index, otherwise at least 8.
    public static let defaultNumProbes: UInt32 = 0

    /// The expression of the vectors, in SQL++; of a lazy index, the values from which vectors are computed.
    public let expression: String
    /// The number of dimensions of a vector: 2 to 4,096.
    public let dimensions: UInt32
    /// The number of centroids: 1 to 64,000; about the square root of the number of documents is best.
    public let centroids: UInt32
    /// Whether the application computes the vectors; see ``QueryIndex/beginUpdate(limit:)``.
    public var isLazy = Self.defaultIsLazy
    /// How vectors are stored in the index.
    public var encoding = VectorEncoding.scalarQuantizer(type: Self.defaultEncoding)
    /// How the distance of two vectors is measured.
    public var metric = Self.defaultDistanceMetric
    /// The number of vectors from which the index is trained; 0 means 25 for each centroid, which is also the minimum.
    public var minTrainingSize = Self.defaultMinTrainingSize
    /// The largest number of vectors that training reads; 0 means 100 for each centroid.
    public var maxTrainingSize = Self.defaultMaxTrainingSize
    /// The number of cells that a query searches by default; 0 means the default of the library.
    public var numProbes = Self.defaultNumProbes

    /// Creates a configuration; it is checked when the index is created.
    public init(expression: String, dimensions: UInt32, centroids: UInt32) {
        self.expression = expression
        self.dimensions = dimensions
        self.centroids = centroids
    }
}

/// How vectors are stored in an index.
public enum VectorEncoding: Hashable, Sendable {
    /// As 32-bit floats.
    case none
    /// Scalar quantization: each number in 4, 6 or 8 bits.
    case scalarQuantizer(type: ScalarQuantizerType)
    /// Product quantization: each of several equal parts of a vector as a number of 4 to 12 bits.
    ///
    /// The number of parts is at least 2 and divides the dimensions.
    case productQuantizer(subquantizers: UInt32, bits: UInt32)
}

/// The number of bits for each number of a vector.
public enum ScalarQuantizerType: Hashable, Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// 4 bits.
    case SQ4
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// 6 bits.
    case SQ6
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// 8 bits.
    case SQ8
}

/// How the distance of two vectors is measured; a smaller distance is nearer.
public enum DistanceMetric: Hashable, Sendable {
    /// The sum of the squared differences.
    case euclideanSquared
    /// One minus the cosine of the angle.
    case cosine
    /// The square root of the sum of the squared differences.
    case euclidean
    /// The negative dot product.
    case dot
}

extension VectorIndexConfiguration {
    /// The parameters as the store has them.
    ///
    /// - Throws: `CBLError.invalidParameter` for one outside its range.
    func checkedOptions() throws -> QueryVectorOptions {
        try require(2...4096 ~= dimensions, "dimensions must be 2 to 4096, not \(dimensions)")
        try require(1...64_000 ~= centroids, "centroids must be 1 to 64000, not \(centroids)")
        if case .productQuantizer(let subquantizers, let bits) = encoding {
            try require(
                subquantizers > 1 && dimensions % subquantizers == 0,
                "subquantizers must be at least 2 and divide the \(dimensions) dimensions,"
                    + " not \(subquantizers)"
            )
            try require(4...12 ~= bits, "product quantizer bits must be 4 to 12, not \(bits)")
        }
        try require(
            maxTrainingSize == 0 || minTrainingSize <= maxTrainingSize,
            "minTrainingSize \(minTrainingSize) exceeds maxTrainingSize \(maxTrainingSize)"
        )
        try require(
            numProbes <= centroids,
            "numProbes \(numProbes) exceeds the \(centroids) centroids"
        )
        let options = QueryVectorOptions(
            dimensions: Int(dimensions),
            centroidCount: Int(centroids),
            encoding: encoding.stored,
            metric: metric.stored,
            minTrainingCount: Int(minTrainingSize),
            maxTrainingCount: Int(maxTrainingSize),
            probeCount: Int(numProbes),
            isLazy: isLazy
        )
        if minTrainingSize > 0, minTrainingSize < options.minimumTrainingCount {
            Journal.query.warning(
                "Vector index: minTrainingSize \(minTrainingSize) is too small; the index is trained"
                    + " from \(options.minimumTrainingCount) vectors"
            )
        }
        return options
    }

    private func require(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
        if !condition { throw NSError(CBLError.invalidParameter, problem()) }
    }
}

extension VectorEncoding {
    fileprivate var stored: QueryVectorOptions.Encoding {
        switch self {
        case .none: .float32
        case .scalarQuantizer(let type):
            switch type {
            case .SQ4: .scalar(bits: 4)
            case .SQ6: .scalar(bits: 6)
            case .SQ8: .scalar(bits: 8)
            }
        case .productQuantizer(let subquantizers, let bits):
            .product(subquantizers: Int(subquantizers), bits: Int(bits))
        }
    }
}

extension DistanceMetric {
    fileprivate var stored: QueryVectorMetric {
        switch self {
        case .euclideanSquared: .euclideanSquared
        case .cosine: .cosine
        case .euclidean: .euclidean
        case .dot: .dot
        }
    }
}

extension IndexPlan {
    init(_ config: VectorIndexConfiguration, of collection: QueryCollection) throws {
        try self.init(
            QueryExpression(sql: config.expression),
            config.checkedOptions(),
            of: collection
        )
    }

    init(
        _ expression: QueryExpression,
        _ options: QueryVectorOptions,
        of collection: QueryCollection
    ) throws {
        self.init(
            definition: .vector(try expression.checked(over: collection), options),
            source: QueryVectorIndex(name: "", expression: expression.sql, options: options).source
        )
    }
}

extension QueryIndex {
    /// Whether a vector index has enough vectors and was trained; `false` for other indexes.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func isTrained() throws -> Bool {
        let (store, path) = (try collection.openStore(), collection.path)
        return try translatingErrors {
            try store.vectorIndexState(ExactText(name), in: path)?.isTrained ?? false
        }
    }
}
