public import DivanJSON
internal import DivanQuery
public import DivanSQLiteEngine
@_spi(Database) public import DivanStore

/// An index that would help a query.
public struct IndexSuggestion: Sendable {
    /// The result of a search.
    public enum Outcome: Sendable {
        /// These would be used.
        case missing([IndexSuggestion])
        /// None is better than these existing ones.
        case present([ExactText])
        /// None would be used.
        case useless(Reason)
    }

    /// Why no index would help a query.
    public enum Reason: Sendable {
        /// A condition or an order uses Unicode collation.
        case unicodeCollation
        /// A condition or an order depends on the time zone of the machine.
        case localTime
        /// SQLite would read all documents nevertheless.
        case fullScan
        /// The query has no condition.
        case noCondition
        /// No condition compares a property in a way that an index supports.
        case unsupportedCondition
    }

    /// The index, as `StoreWriter.createIndex` accepts it; its name is new in its collection.
    public let index: HypotheticalIndex
    /// Its expressions, in SQL++; empty for the items of an array themselves.
    public let expressions: [String]
    /// The path to the items of arrays, such as `contacts[].phones`; `nil` for an index of documents.
    public let arrayPath: String?

    fileprivate init(
        _ candidate: IndexCandidates.Candidate,
        in path: CollectionPath,
        unlike taken: [ExactText]
    ) throws {
        expressions = candidate.expressions
        let paths = candidate.paths
        arrayPath = paths.isEmpty ? nil : paths.map(Self.written).joined(separator: "[].")
        let stem = Self.name(of: expressions + (paths.last.map { [Self.written($0)] } ?? []))
        let names = [ExactText(stem)] + (2...taken.count + 2).map { ExactText("\(stem)\($0)") }
        let over = QueryCollection(path)
        let keys = try expressions.flatMap { try QueryStatement.indexedExpressions(sql: $0) }
            .map { try $0.checkedKey(over: over, itemPaths: paths) }
        index = HypotheticalIndex(
            names.first { !taken.contains($0) } ?? names[0],
            paths.isEmpty ? .value(keys, filter: nil) : .array(paths, keys),
            in: path
        )
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
}

extension IndexSuggestion.Reason: CustomStringConvertible {
    /// A clause that explains it.
    public var description: String {
        switch self {
        case .unicodeCollation: "indexes do not support Unicode collation"
        case .localTime: "indexes cannot depend on the time zone of this machine"
        case .fullScan: "SQLite would still read all documents"
        case .noCondition: "the query has no condition, and reads every document"
        case .unsupportedCondition:
            "no condition compares a property with a value in a way that an index supports; <>, NOT"
                + " and LIKE '%…' must read every document"
        }
    }

    fileprivate init(_ query: StorageQuery, _ found: IndexCandidates) {
        self =
            found.wantsUnicode
            ? .unicodeCollation
            : found.wantsLocalTime
                ? .localTime
                : !found.candidates.isEmpty
                    ? .fullScan
                    : query.statement.filter == nil ? .noCondition : .unsupportedCondition
    }
}

extension Store {
    /// Searches for indexes that would help a query.
    ///
    /// Whether one would be used is not guessed: the query is planned as if all indexes that might help existed, and
    /// those that SQLite chooses are suggested. No document is read, and nothing is stored.
    ///
    /// - Throws: As `plan(of:supposing:)`.
    public func suggestIndexes(for query: StorageQuery) throws -> IndexSuggestion.Outcome {
        let found = IndexCandidates(query.statement)
        var suggestions: [IndexSuggestion] = []
        for candidate in found.candidates {
            guard let path = CollectionPath(candidate.collection) else { continue }
            let known = try read { try $0.indexes(in: path) }.map(\.name)
            let taken =
                known + suggestions.map(\.index).filter { $0.collection == path }.map(\.name)
            suggestions.append(try IndexSuggestion(candidate, in: path, unlike: taken))
        }
        let used = try plan(of: query, supposing: suggestions.map(\.index)).indexes
        let missing = suggestions.filter { used.contains($0.index.name) }
        if !missing.isEmpty { return .missing(missing) }
        let present = try plan(of: query).indexes
        return present.isEmpty ? .useless(.init(query, found)) : .present(present)
    }
}
