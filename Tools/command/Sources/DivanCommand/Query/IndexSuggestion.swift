import DivanDatabase
import DivanJSON
import DivanQuery

/// An index that would help a query.
///
/// Whether it is used is not guessed: the query is planned as if all indexes that might help
/// existed, and those that SQLite chooses are suggested.
struct IndexSuggestion {
    /// The result of a search.
    enum Outcome {
        /// These would be used.
        case missing([IndexSuggestion])
        /// None is better than these existing ones.
        case present([ExactText])
        /// None would be used, for a reason.
        case useless(String)
    }

    /// The collection to index.
    let collection: CollectionPath
    /// A name that no index there has.
    let name: String
    /// The path to the items; empty for an index of documents.
    private let paths: [QueryPath]
    /// Its expressions, in SQL++.
    let expressions: [String]

    /// The path to the items, as `--array` takes it; `nil` for an index of documents.
    var arrayPath: String? {
        paths.isEmpty ? nil : paths.map(Self.written).joined(separator: "[].")
    }

    /// Searches for indexes that would help a query.
    static func search(for query: StorageQuery, in store: Store) throws -> Outcome {
        let found = IndexCandidates(query.statement)
        var suggestions: [IndexSuggestion] = []
        for candidate in found.candidates {
            guard let path = CollectionPath(candidate.collection) else { continue }
            let known = try store.read { try $0.indexes(in: path) }.map(\.name.text)
            let taken = known + suggestions.filter { $0.collection == path }.map(\.name)
            suggestions.append(IndexSuggestion(candidate, in: path, unlike: taken))
        }
        let used = try store.plan(of: query, supposing: suggestions.map { try $0.supposed }).indexes
        let missing = suggestions.filter { used.contains(ExactText($0.name)) }
        if !missing.isEmpty { return .missing(missing) }
        let present = try store.plan(of: query).indexes
        if !present.isEmpty { return .present(present) }
        return .useless(reason(query.statement, found))
    }

    private static func reason(
        _ statement: CheckedStatement,
        _ found: IndexCandidates
    ) -> String {
        if found.wantsUnicode { return "indexes do not support Unicode collation" }
        if found.wantsLocalTime { return "indexes cannot depend on the time zone of this machine" }
        if !found.candidates.isEmpty { return "SQLite would still read all documents" }
        if statement.filter == nil {
            return "the query has no condition, and reads every document"
        }
        return
            "no condition compares a property with a value in a way that an index supports; <>, NOT"
            + " and LIKE '%…' must read every document"
    }

    private init(
        _ candidate: IndexCandidates.Candidate,
        in path: CollectionPath,
        unlike taken: [String]
    ) {
        collection = path
        paths = candidate.paths
        expressions = candidate.expressions
        let stem = Self.name(
            of: candidate.expressions + (paths.last.map { [Self.written($0)] } ?? [])
        )
        let numbers = (2...).lazy.map { "\(stem)\($0)" }
        name = taken.contains(stem) ? numbers.first { !taken.contains($0) } ?? stem : stem
    }

    private static func written(_ path: QueryPath) -> String {
        QueryExpression(.property(path)).sql
    }

    /// `byCityName` for `city` and `LOWER(name)`.
    private static func name(of expressions: [String]) -> String {
        let words = expressions.flatMap { text in
            text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
                .filter { $0 != "COLLATE" && $0 != "NOCASE" }.suffix(2)
        }
        return "by" + words.prefix(4).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The index that `divan index make` would create from the printed command.
    private var supposed: HypotheticalIndex {
        get throws {
            let over = QueryCollection(collection)
            let keys = try expressions.flatMap { try QueryStatement.indexedExpressions(sql: $0) }
                .map { try $0.checkedKey(over: over, itemPaths: paths) }
            let definition: QueryIndexDefinition =
                paths.isEmpty ? .value(keys, filter: nil) : .array(paths, keys)
            return HypotheticalIndex(ExactText(name), definition, in: collection)
        }
    }
}
