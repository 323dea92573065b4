import DivanDatabase
import DivanFullText
import DivanJSON
import DivanLog
import DivanQuery
import Foundation

/// An index as the store creates it, from a caller's description.
struct IndexPlan: Sendable {
    let definition: QueryIndexDefinition
    /// The description, for people to read and for comparing two.
    let source: String

    init(definition: QueryIndexDefinition, source: String) {
        self.definition = definition
        self.source = source
    }

    init(_ config: any IndexConfiguration, of collection: QueryCollection) throws {
        switch config {
        case let value as ValueIndexConfiguration:
            try self.init(
                Self.expressions(value.expressions),
                where: value.where,
                of: collection
            )
        case let text as FullTextIndexConfiguration:
            try self.init(
                words: Self.expressions(text.expressions),
                where: text.where,
                ignoresAccents: text.ignoreAccents,
                language: text.language,
                of: collection
            )
        case let items as ArrayIndexConfiguration: try self.init(items, of: collection)
        case let vectors as VectorIndexConfiguration: try self.init(vectors, of: collection)
        default: stopForMisuse("\(type(of: config)) is not a supported index configuration")
        }
    }

    init(_ index: any Index, of collection: QueryCollection) throws {
        switch index {
        case let value as ValueIndex:
            try self.init(value.expressions, where: nil, of: collection)
        case let text as FullTextIndex:
            try self.init(
                words: text.expressions,
                where: nil,
                ignoresAccents: text.ignoresAccents,
                language: text.language,
                of: collection
            )
        case let output as PredictiveIndex:
            let paths = try output.properties.map { try QueryPath(text: $0) }
            try self.init(output.prediction, paths, of: collection)
        default:
            stopForMisuse("\(type(of: index)) is not a supported index; use IndexBuilder")
        }
    }

    /// An index such as another database has.
    ///
    /// - Throws: `QueryError` for a description that is not one of ours.
    init(like index: StoredIndex, of collection: QueryCollection) throws {
        switch index.kind {
        case .value:
            let described = try QueryStatement.indexDescription(sql: index.source)
            try self.init(described.expressions, where: described.condition, of: collection)
        case .fullText:
            guard let words = index.words else {
                throw QueryError("the index's tokenizer settings are missing")
            }
            let described = try QueryStatement.indexDescription(sql: index.source)
            try self.init(
                words: described.expressions,
                where: described.condition,
                ignoresAccents: words.ignoresAccents,
                language: words.language ?? "",
                of: collection
            )
        case .array:
            guard let end = index.source.ranges(of: " OF ").last else {
                throw QueryError("the array index's path is missing")
            }
            let expressions = index.source[..<end.lowerBound]
            let config = ArrayIndexConfiguration(
                path: String(index.source[end.upperBound...]),
                expressions: expressions.isEmpty ? nil : [String(expressions)]
            )
            try self.init(config, of: collection)
        case .vector:
            guard let vectors = index.vectors else {
                throw QueryError("the parameters of the vector index are missing")
            }
            try self.init(
                QueryExpression(sql: vectors.expression),
                vectors.options,
                of: collection
            )
        case .predictive:
            let described = try QueryStatement.indexDescription(sql: index.source).expressions
            guard let prediction = described.first.map(Self.whole) else {
                throw QueryError("the prediction of the index is missing")
            }
            let paths = described.compactMap { expression in
                if case .member(_, let path) = expression.form { path } else { nil }
            }
            try self.init(prediction, paths, of: collection)
        }
    }

    private static func whole(_ expression: QueryExpression) -> QueryExpression {
        if case .member(let whole, _) = expression.form { whole } else { expression }
    }

    /// An index of the output of a model.
    private init(
        _ prediction: QueryExpression,
        _ paths: [QueryPath],
        of collection: QueryCollection
    ) throws {
        definition = .predictive(try prediction.checked(over: collection), paths)
        let outputs = paths.map { QueryExpression(.member(of: prediction, $0)) }
        source = Self.source(outputs.isEmpty ? [prediction] : outputs, nil)
    }

    private init(
        _ expressions: [QueryExpression],
        where condition: String?,
        of collection: QueryCollection
    ) throws {
        try Self.requireSome(expressions)
        definition = .value(
            try expressions.map { try Self.key($0, of: collection) },
            filter: try Self.filter(condition, of: collection)
        )
        source = Self.source(expressions, condition)
    }

    private init(
        words expressions: [QueryExpression],
        where condition: String?,
        ignoresAccents: Bool,
        language: String?,
        of collection: QueryCollection
    ) throws {
        try Self.requireSome(expressions)
        let language = language ?? Locale.current.language.languageCode?.identifier ?? ""
        Self.warn(ofUnknown: language)
        definition = .fullText(
            try expressions.map { expression in
                QueryIndexDefinition.FullTextColumn(
                    name: ExactText(expression.sql.replacing("`", with: "")),
                    try expression.checked(over: collection)
                )
            },
            tokenizer: FullText.tokenizer(
                language: language.isEmpty ? nil : language,
                ignoresAccents: ignoresAccents
            ),
            filter: try Self.filter(condition, of: collection)
        )
        source = Self.source(expressions, condition)
    }

    /// Without stemming, words are found less often than a caller who names a language expects.
    private static func warn(ofUnknown language: String) {
        guard !language.isEmpty, !FullText.knows(language: language) else { return }
        Journal.query.warning(
            "Full-text index: no stemming for language \"\(language)\"; only exact words match. "
                + "Use one of da, de, en, es, fi, fr, hu, it, nl, no, pt, ro, ru, sv, tr, or \"\""
        )
    }

    private init(_ config: ArrayIndexConfiguration, of collection: QueryCollection) throws {
        var text = config.path
        if text.hasSuffix("[]") { text.removeLast(2) }
        let paths = try text.split(separator: "[]", omittingEmptySubsequences: false).map { part in
            let written = try QueryExpression(
                sql: part.hasPrefix(".") ? String(part.dropFirst()) : String(part)
            )
            guard case .property(let path) = written.form else {
                throw QueryError("\"\(config.path)\" is not a path to an array; use the form a[].b")
            }
            return path
        }
        let expressions = try Self.expressions(config.expressions ?? [])
        definition = .array(
            paths,
            try expressions.map { try Self.key($0, of: collection, below: paths) }
        )
        source = Self.source(expressions, nil) + " OF " + config.path
    }

    /// Parses expressions, each of which may be several separated by commas.
    private static func expressions(_ texts: [String]) throws -> [QueryExpression] {
        try texts.flatMap { try QueryStatement.indexedExpressions(sql: $0) }
    }

    private static func requireSome(_ expressions: [QueryExpression]) throws {
        guard !expressions.isEmpty else {
            throw QueryError("an index needs at least one expression")
        }
    }

    private static func key(
        _ expression: QueryExpression,
        of collection: QueryCollection,
        below paths: [QueryPath] = []
    ) throws -> CheckedKey {
        try expression.checkedKey(over: collection, itemPaths: paths)
    }

    private static func filter(
        _ condition: String?,
        of collection: QueryCollection
    ) throws -> CheckedExpression? {
        guard let condition else { return nil }
        return try QueryExpression(sql: condition).checked(over: collection, text: condition)
    }

    private static func source(_ expressions: [QueryExpression], _ condition: String?) -> String {
        let list = expressions.map(\.sql).joined(separator: ", ")
        return condition.map { "\(list) WHERE \($0)" } ?? list
    }
}
