import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanQuery

/// The options of `divan index make --vector`.
struct VectorIndexOptions {
    static let syntax: [CommandSyntax.Option] = [
        .value("--centroids", "N", "number of centroids (with --vector; default: √documents)"),
        .value(
            "--metric",
            "NAME",
            "euclidean_squared (default), euclidean, cosine or dot (with --vector)"
        ),
    ]

    private static let metrics: [(name: String, metric: DistanceMetric)] = [
        ("euclidean_squared", .euclideanSquared), ("euclidean", .euclidean), ("cosine", .cosine),
        ("dot", .dot),
    ]

    private let expression: String
    private let dimensions: UInt32
    private let centroids: UInt32?
    private let metric: DistanceMetric

    /// Reads the options; `nil` without `--vector`.
    init?(_ arguments: Arguments, _ expressions: [String]) throws(Failure) {
        guard let dimensions: UInt32 = try arguments.number("--vector", in: 2...4096) else {
            for option in ["--centroids", "--metric"] where arguments.has(option) {
                throw .usage("'\(option)' requires '--vector'")
            }
            return nil
        }
        for other in ["--text", "--array", "--where"] where arguments.has(other) {
            throw .usage("'--vector' and '\(other)' cannot be combined")
        }
        guard expressions.count == 1 else {
            throw .usage("divan index make: '--vector' requires exactly one EXPRESSION")
        }
        expression = expressions[0]
        self.dimensions = dimensions
        centroids = try arguments.number("--centroids", in: 1...64_000)
        let name = arguments.value("--metric") ?? Self.metrics[0].name
        guard let known = Self.metrics.first(where: { $0.name == name }) else {
            let names = Self.metrics.map(\.name).joined(separator: ", ")
            throw .usage("'--metric' must be one of \(names), not '\(name)'")
        }
        metric = known.metric
    }

    /// The index; without a number of centroids, about the square root of that of documents.
    func configuration(forDocuments count: UInt64) -> VectorIndexConfiguration {
        let usual = UInt32(min(max(Double(count).squareRoot(), 8), 64_000))
        var config = VectorIndexConfiguration(
            expression: expression,
            dimensions: dimensions,
            centroids: centroids ?? usual
        )
        config.metric = metric
        return config
    }
}

extension StoredIndex {
    /// `, trained` for a vector index whose vectors are in cells, or why they are not; blank for other indexes.
    func training(_ collection: CollectionPath, _ store: Store) throws -> String {
        guard let state = try store.vectorIndexState(name, in: collection) else { return "" }
        let (count, needed) = (state.untrainedCount, state.options.minimumTrainingCount)
        if state.isTrained {
            return ", trained with \(Numbers.count(state.trainedCount, "vector"))"
        }
        if state.isBeingTrained { return ", being trained" }
        return count < needed
            ? ", untrained: \(count) of the required \(needed) vectors"
            : ", untrained: the next search trains it"
    }
}
