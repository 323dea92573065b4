import DivanJSON

/// The vector searches of a statement, gathered while its expressions are checked.
struct VectorSearches {
    /// The function of a search.
    static let name = "APPROX_VECTOR_DISTANCE"

    private(set) var all: [CheckedVectorSearch] = []

    /// The number of a search; equal ones are done once.
    mutating func number(of search: CheckedVectorSearch) -> Int {
        if let known = all.firstIndex(of: search) { return known }
        all.append(search)
        return all.count - 1
    }
}

extension ExpressionChecker {
    /// Checks `APPROX_VECTOR_DISTANCE(vector, target, metric, probes, accurate)`.
    mutating func vectorDistance(
        _ arguments: [QueryExpression],
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        let name = VectorSearches.name
        guard let catalogue, clause.allowsVectorSearch else {
            throw QueryError("\(name)() is not allowed in \(clause.rawValue)")
        }
        guard 2...5 ~= arguments.count else {
            throw QueryError(
                "Wrong number of arguments to \(name)(): it takes 2 to 5, not \(arguments.count)"
            )
        }
        guard !isInAlternative else {
            throw QueryError("\(name)() can't be used within an OR in a WHERE clause")
        }
        let vector = try check(arguments[0], &numbers)
        let target = try check(arguments[1], &numbers)
        guard let source = vector.onlySource, case .documents(let collection) = form(of: source),
            let index = try catalogue.vectorIndex(of: vector, in: collection)
        else {
            throw QueryError(
                "vector search with \(name) requires a vector index on \(arguments[0].sql)",
                code: .missingIndex
            )
        }
        let options = try VectorDistanceOptions(arguments.dropFirst(2))
        if let metric = options.metric?.metric, metric != index.options.metric {
            throw QueryError(
                "\(name)() uses the metric \(metric.rawValue), but the vector index"
                    + " \(index.name) has the metric \(index.options.metric.rawValue)"
            )
        }
        let search = CheckedVectorSearch(
            source: source,
            index: index.name,
            vector: vector,
            target: target,
            probeCount: options.probeCount,
            isExact: options.isExact
        )
        let distance = CheckedExpression.vectorDistance(searches.number(of: search))
        guard options.metric?.isSimilarity == true else { return distance }
        return index.options.metric == .dot
            ? .negative(distance)
            : .arithmetic(.literal(.integer(1)), [CheckedExpression.Link(.minus, distance)])
    }

    private func form(of source: Int) -> CheckedSource.Form { names.scope.sources[source].form }
}

/// The literals after the two vectors.
private struct VectorDistanceOptions {
    var metric: (metric: QueryVectorMetric, isSimilarity: Bool)?
    var probeCount: Int?
    var isExact = false

    init(_ arguments: ArraySlice<QueryExpression>) throws(QueryError) {
        let arguments = Array(arguments)
        if let name = arguments.first {
            guard case .literal(.string(let text)) = name.form,
                let metric = QueryVectorMetric.named(text)
            else {
                throw QueryError(
                    "the metric must be a string such as 'euclidean', 'euclidean_squared', 'cosine'"
                        + " or 'dot'",
                    at: name.place
                )
            }
            self.metric = metric
        }
        if arguments.count > 1 {
            guard case .literal(.integer(let count)) = arguments[1].form, count > 0 else {
                throw QueryError(
                    "the number of probes must be an integer greater than 0",
                    at: arguments[1].place
                )
            }
            probeCount = Int(clamping: count)
        }
        if arguments.count > 2 {
            guard case .literal(.boolean(let isExact)) = arguments[2].form else {
                throw QueryError("'accurate' must be TRUE or FALSE", at: arguments[2].place)
            }
            self.isExact = isExact
        }
    }
}

extension QueryClause {
    fileprivate var allowsVectorSearch: Bool {
        switch self {
        case .columns, .filter, .group, .result: true
        case .join, .count, .index: false
        }
    }
}

extension QueryCatalogue {
    /// The vector index of an expression on the documents of one source.
    fileprivate func vectorIndex(
        of vector: CheckedExpression,
        in collection: QueryCollection
    ) throws -> QueryVectorIndex? {
        let wanted = vector.ofFirstSource
        return try vectorIndexes(in: collection).first { index in
            let written = try? QueryExpression(sql: index.expression)
            return (try? written?.checked(over: collection)) == wanted
        }
    }
}

extension CheckedExpression {
    /// The only source whose rows it reads; `nil` if there are several or none.
    fileprivate var onlySource: Int? {
        let sources = sources
        return sources.count == 1 ? sources.first : nil
    }

    /// The sources whose rows it reads.
    private var sources: Set<Int> {
        switch self {
        case .property(let source, _), .metadata(let source, _), .allMetadata(let source),
            .blob(let source, _):
            [source]
        default: children.reduce(into: []) { $0.formUnion($1.sources) }
        }
    }

    /// The value of an integer literal, which may have a sign.
    fileprivate var integer: Int64? {
        switch self {
        case .literal(.integer(let number)): number
        case .negative(.literal(.integer(let number))): 0 &- number
        default: nil
        }
    }

    /// Whether it has the same value for all rows.
    fileprivate func isConstant(in statement: CheckedStatement) -> Bool {
        switch self {
        case .property, .metadata, .allMetadata, .blob, .vectorDistance, .aggregate, .rank, .match,
            .exists, .variable:
            false
        case .column(let index, _):
            statement.columns[index].expression.isConstant(in: statement)
        default: children.allSatisfy { $0.isConstant(in: statement) }
        }
    }

    /// Whether one row of the only source suffices to test it, without running a model.
    fileprivate func isCondition(of statement: CheckedStatement) -> Bool {
        switch self {
        case .vectorDistance, .aggregate, .rank, .match, .exists, .prediction: false
        case .column(let index, _):
            statement.columns[index].expression.isCondition(of: statement)
        default: children.allSatisfy { $0.isCondition(of: statement) }
        }
    }

    /// The same expression of the first source, as an index has it.
    fileprivate var ofFirstSource: CheckedExpression {
        switch self {
        case .property(_, let path): .property(source: 0, path)
        case .metadata(_, let key): .metadata(source: 0, key)
        case .blob(_, let path): .blob(source: 0, path)
        case .member(of: let whole, let path): .member(of: whole.ofFirstSource, path)
        case .call(let function, let arguments, let collation):
            .call(function, arguments.map(\.ofFirstSource), collation)
        case .prediction(let model, let input): .prediction(model: model, input.ofFirstSource)
        case .object(let members):
            .object(members.map { Member($0.key, $0.value.ofFirstSource) })
        case .array(let items): .array(items.map(\.ofFirstSource))
        case .concatenation(let parts): .concatenation(parts.map(\.ofFirstSource))
        case .arithmetic(let first, let links):
            .arithmetic(
                first.ofFirstSource,
                links.map { Link($0.arithmetic, $0.operand.ofFirstSource) }
            )
        default: self
        }
    }
}

extension CheckedStatement {
    /// The largest `LIMIT` of a search that an index answers.
    private static let nearestLimit: Int64 = 10_000

    /// Decides how its vector searches are answered.
    ///
    /// If the rows are sorted by distance and their number is limited, the index finds the nearest documents that meet
    /// the conditions. Otherwise, the conditions choose the documents.
    ///
    /// - Throws: `QueryError` if there are no conditions except upper bounds of the distance, and the limit is missing
    ///   or too large.
    mutating func planVectorSearches() throws(QueryError) {
        guard let search = vectorSearches.first, matches.isEmpty else { return }
        let conditions = (filter?.terms ?? []).filter { !isUpperBound($0) }
        guard let count = try nearestCount(isRequired: conditions.isEmpty) else { return }
        if orderings.isEmpty, conditions.isEmpty, !isAggregate, !isDistinct {
            orderings = [CheckedOrdering(CheckedKey(.vectorDistance(0)))]
        }
        guard !isAggregate, !isDistinct, let first = orderings.first, sortsNearestFirst(first)
        else { return }
        guard let skipped = offset.map(\.integer) ?? 0, skipped <= Self.nearestLimit,
            sources.count == 1, vectorSearches.count == 1,
            search.target.isConstant(in: self),
            conditions.allSatisfy({ $0.isCondition(of: self) })
        else { return }
        vectorSearches[0].nearestCount = count + Int(max(skipped, 0))
        guard let condition = conditions.first else { return }
        vectorSearches[0].filter = conditions.count == 1 ? condition : .and(conditions)
    }

    /// The number of rows that an index may propose; `nil` if the query does not say.
    ///
    /// - Throws: `QueryError` if it is required and missing or too large.
    private func nearestCount(isRequired: Bool) throws(QueryError) -> Int? {
        let count = limit?.integer
        if let count, count <= Self.nearestLimit { return Int(max(count, 0)) }
        guard isRequired else { return nil }
        guard limit != nil else {
            throw QueryError(
                "a vector search without other conditions requires a LIMIT of at most"
                    + " \(Self.nearestLimit)"
            )
        }
        guard count != nil else {
            throw QueryError("the LIMIT of a vector search must be an integer literal")
        }
        throw QueryError("LIMIT must not exceed \(Self.nearestLimit) in a vector search")
    }

    /// Whether a condition is `distance < x`, which nearer documents meet if a farther one does.
    private func isUpperBound(_ term: CheckedExpression) -> Bool {
        guard case .comparison(let comparison, let left, let right, _) = term else { return false }
        return switch comparison {
        case .less, .lessOrEqual: isDistance(left) && right.isConstant(in: self)
        case .greater, .greaterOrEqual: isDistance(right) && left.isConstant(in: self)
        default: false
        }
    }

    /// Whether an ordering is one by distance, or by falling similarity.
    private func sortsNearestFirst(_ ordering: CheckedOrdering) -> Bool {
        switch named(ordering.key.expression) {
        case .vectorDistance: !ordering.isDescending
        case .negative(let distance): ordering.isDescending && isDistance(distance)
        case .arithmetic(.literal(.integer(1)), let links):
            ordering.isDescending && links.count == 1 && links[0].arithmetic == .minus
                && isDistance(links[0].operand)
        default: false
        }
    }

    private func isDistance(_ expression: CheckedExpression) -> Bool {
        if case .vectorDistance = named(expression) { true } else { false }
    }
}
