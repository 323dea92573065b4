import DivanDatabase
import DivanJSON
import DivanQuery

/// The kinds of indexes; each lane creates and drops its own, over the documents of all.
enum CrashIndex: String, CaseIterable {
    case value
    case array
    case words
    case vectors

    var definition: QueryIndexDefinition {
        func property(_ key: String) -> CheckedExpression {
            .property(source: 0, QueryPath(keys: key))
        }
        switch self {
        case .value: return .value([CheckedKey(property("step"))], filter: nil)
        case .array: return .array(["tags"], [])
        case .words:
            let column = QueryIndexDefinition.FullTextColumn(name: "text", property("text"))
            return .fullText([column], tokenizer: "unicode61", filter: nil)
        case .vectors: return .vector(property("vector"), Self.vectorIndex.options)
        }
    }

    /// The text from which the store knows the index again.
    var source: String { self == .vectors ? Self.vectorIndex.source : "" }

    // Trained with 50 vectors, a fraction of the documents.
    private static let vectorIndex = QueryVectorIndex(
        name: "vectors",
        expression: "vector",
        options: QueryVectorOptions(dimensions: 4, centroidCount: 2)
    )
}

extension Lane {
    func name(of index: CrashIndex) -> ExactText { ExactText("\(prefix)\(index.rawValue)") }
}

extension CrashIndex {
    /// Questions that return the same rows with and without the indexes.
    static let questions = [
        "SELECT META().id, step FROM _ WHERE step BETWEEN 5 AND 60 ORDER BY step, META().id",
        "SELECT COUNT(*), MAX(step) FROM _ WHERE step >= 20",
        "SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = 'a1' END ORDER BY META().id",
        "SELECT META(d).id FROM _ AS d UNNEST d.tags AS t WHERE t = 'b2' ORDER BY META(d).id",
    ]
}
