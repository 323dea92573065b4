public import DivanJSON

/// The parameters of a vector index.
///
/// They are stored with the index as JSON, so the names of the members do not change.
public struct QueryVectorOptions: Hashable, Sendable {
    /// How vectors are stored.
    public enum Encoding: Hashable, Sendable {
        /// As floats.
        case float32
        /// Each component as a number of this many bits.
        case scalar(bits: Int)
        /// Each of equal parts as the number of one of `1 << bits` codewords.
        case product(subquantizers: Int, bits: Int)
    }

    /// The number of components of a vector.
    public var dimensions: Int
    /// The number of cells that vectors are divided into.
    public var centroidCount: Int
    /// How vectors are stored.
    public var encoding: Encoding
    /// How distances are measured.
    public var metric: QueryVectorMetric
    /// The number of vectors from which the index is trained; 0 means the default.
    public var minTrainingCount: Int
    /// The largest number of vectors that training reads; 0 means the default.
    public var maxTrainingCount: Int
    /// The number of cells that a query searches if it does not say; 0 means the default.
    public var probeCount: Int
    /// Whether the application computes the vectors.
    public var isLazy: Bool

    /// Creates parameters; the ranges are the caller's business.
    public init(
        dimensions: Int,
        centroidCount: Int,
        encoding: Encoding = .scalar(bits: 8),
        metric: QueryVectorMetric = .euclideanSquared,
        minTrainingCount: Int = 0,
        maxTrainingCount: Int = 0,
        probeCount: Int = 0,
        isLazy: Bool = false
    ) {
        self.dimensions = dimensions
        self.centroidCount = centroidCount
        self.encoding = encoding
        self.metric = metric
        self.minTrainingCount = minTrainingCount
        self.maxTrainingCount = maxTrainingCount
        self.probeCount = probeCount
        self.isLazy = isLazy
    }
}

extension QueryVectorOptions {
    /// The number of vectors that training needs: at least 25 for each centroid or codeword.
    public var minimumTrainingCount: Int { max(minTrainingCount, 25 * meanCount) }

    /// The number of means that are computed from the same vectors.
    public var meanCount: Int {
        guard case .product(_, let bits) = encoding else { return centroidCount }
        return max(centroidCount, 1 << bits)
    }
}

extension QueryVectorOptions {
    /// The parameters as JSON, without quotes that SQL would have to double.
    public var json: String {
        let members: JSONObject = [
            "bits": .int(Int64(bits)), "centroids": .int(Int64(centroidCount)),
            "dimensions": .int(Int64(dimensions)), "lazy": .bool(isLazy),
            "maxTraining": .int(Int64(maxTrainingCount)), "metric": .string(metric.rawValue),
            "minTraining": .int(Int64(minTrainingCount)), "probes": .int(Int64(probeCount)),
            "subquantizers": .int(Int64(subquantizerCount)),
        ]
        // Numbers and short texts are never refused.
        return String(decoding: (try? JSON.object(members).canonicalBytes()) ?? [], as: UTF8.self)
    }

    /// Reads parameters; `nil` for any other text.
    public init?(json text: String) {
        guard let json = try? JSON(parsing: Array(text.utf8)),
            let metric = json["metric"]?.string.flatMap(QueryVectorMetric.init(rawValue:)),
            case .bool(let isLazy)? = json["lazy"]
        else { return nil }
        func count(_ key: String) -> Int { json[key]?.int.flatMap { Int(exactly: $0) } ?? 0 }
        let (bits, subquantizers) = (count("bits"), count("subquantizers"))
        self.init(
            dimensions: count("dimensions"),
            centroidCount: count("centroids"),
            encoding: bits == 0
                ? .float32
                : subquantizers == 0
                    ? .scalar(bits: bits) : .product(subquantizers: subquantizers, bits: bits),
            metric: metric,
            minTrainingCount: count("minTraining"),
            maxTrainingCount: count("maxTraining"),
            probeCount: count("probes"),
            isLazy: isLazy
        )
    }

    private var bits: Int {
        switch encoding {
        case .float32: 0
        case .scalar(let bits), .product(_, let bits): bits
        }
    }

    private var subquantizerCount: Int {
        if case .product(let subquantizers, _) = encoding { subquantizers } else { 0 }
    }
}

/// How far two vectors are apart; a smaller distance is nearer.
///
/// The raw values are stored.
public enum QueryVectorMetric: String, CaseIterable, Hashable, Sendable {
    /// The sum of the squared differences.
    case euclideanSquared = "euclidean_squared"
    /// The length of the difference.
    case euclidean
    /// One minus the cosine of the angle.
    case cosine
    /// The negative dot product.
    case dot
}

extension QueryVectorMetric {
    /// The metric with a name of the language in any letter case, and whether the name asks for the similarity, which
    /// is greater for nearer vectors; `nil` for any other name.
    static func named(_ name: String) -> (metric: QueryVectorMetric, isSimilarity: Bool)? {
        switch name.lowercased() {
        case "default", "euclidean_squared", "euclidean2", "l2_squared": (.euclideanSquared, false)
        case "euclidean", "l2": (.euclidean, false)
        case "cosine", "cosine_distance": (.cosine, false)
        case "dot", "dot_product_distance": (.dot, false)
        case "cosine_similarity": (.cosine, true)
        case "dot_product_similarity": (.dot, true)
        default: nil
        }
    }
}

/// A vector index of a collection.
public struct QueryVectorIndex: Hashable, Sendable {
    /// Its name.
    public let name: ExactText
    /// The expression of the vectors, in SQL++.
    public let expression: String
    /// Its parameters.
    public let options: QueryVectorOptions

    /// Creates a description.
    public init(name: ExactText, expression: String, options: QueryVectorOptions) {
        self.name = name
        self.expression = expression
        self.options = options
    }

    /// Reads the text that describes a stored index; `nil` for any other text.
    public init?(name: ExactText, source: String) {
        guard let end = source.ranges(of: Self.separator).last,
            let options = QueryVectorOptions(json: "{\(source[end.upperBound...])")
        else { return nil }
        self.init(name: name, expression: String(source[..<end.lowerBound]), options: options)
    }

    /// The text that describes the index: `vector WITH {"bits":8,…}`.
    public var source: String { "\(expression)\(Self.separator)\(options.json.dropFirst())" }

    private static let separator = " WITH {"
}

/// A search in a vector index.
public struct CheckedVectorSearch: Hashable, Sendable {
    /// The source whose collection has the index.
    public var source: Int
    /// The index.
    public var index: ExactText
    /// The vectors of the source's documents.
    public var vector: CheckedExpression
    /// The vector that distances are measured from.
    public var target: CheckedExpression
    /// The number of cells to search; `nil` for the default of the index.
    public var probeCount: Int?
    /// Whether all vectors are compared with their exact numbers.
    public var isExact: Bool
    /// If set, the index proposes documents, of which at most this many are returned, the nearest first.
    ///
    /// Otherwise the distance of each row that meets the conditions is computed.
    public var nearestCount: Int?
    /// With `nearestCount`, the condition that the proposed documents must meet.
    public var filter: CheckedExpression?

    /// Creates a search.
    public init(
        source: Int,
        index: ExactText,
        vector: CheckedExpression,
        target: CheckedExpression,
        probeCount: Int? = nil,
        isExact: Bool = false,
        nearestCount: Int? = nil,
        filter: CheckedExpression? = nil
    ) {
        self.source = source
        self.index = index
        self.vector = vector
        self.target = target
        self.probeCount = probeCount
        self.isExact = isExact
        self.nearestCount = nearestCount
        self.filter = filter
    }
}
