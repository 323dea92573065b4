import DivanJSON

/// What the names in a statement mean: sources, aliases of columns, variables.
struct CheckedNames {
    private struct Alias {
        let name: ExactText
        let column: Int
        let collation: QueryCollation
        let hasAggregate: Bool
    }

    private(set) var scope = QueryScope()
    /// The source whose properties need no prefix.
    var mainSource = 0
    /// Whether even a single source must be named because more follow.
    var mustNameSources = false
    /// The sources for which the query asks whether documents are deleted.
    private(set) var sourcesShowingDeleted: Set<Int> = []
    /// The aliases by their names with ASCII letters in lower case, as they are looked up.
    private var aliases: [ExactText: Alias] = [:]
    private var variables: [(name: ExactText, number: Int)] = []

    static let belowMetadata = QueryError("invalid properties after a meta property")
    static let rowInCount = QueryError("LIMIT and OFFSET cannot depend on a row; use a parameter")

    mutating func add(_ source: QueryScope.Source) throws { try scope.add(source) }

    /// Registers the alias of a column.
    mutating func add(
        alias: ExactText,
        column: Int,
        collation: QueryCollation,
        hasAggregate: Bool
    ) throws {
        let key = QueryScope.folded(alias)
        let isTaken =
            aliases[key] != nil
            || scope.sources.contains { $0.alias.map { QueryScope.isSame($0, alias) } ?? false }
        if isTaken { throw QueryError("duplicate alias '\(alias)'; rename one of them") }
        aliases[key] = Alias(
            name: alias,
            column: column,
            collation: collation,
            hasAggregate: hasAggregate
        )
    }

    /// The collation of the column that a form is an alias of; `nil` for any other form, and for a
    /// column without a collation.
    func collation(of form: QueryExpression.Form, in clause: QueryClause) -> QueryCollation? {
        guard clause.allowsAliases, case .property(let path) = form, path.steps.count == 1,
            let alias = alias(path), alias.collation != .binary
        else { return nil }
        return alias.collation
    }

    mutating func enter(_ variable: ExactText, number: Int) {
        variables.append((variable, number))
    }

    mutating func leaveVariable() { variables.removeLast() }

    /// The meaning of a form that is a name.
    ///
    /// `aggregateProblem` says why an alias of an aggregate is not allowed, or is `nil` where it is.
    mutating func meaning(
        of form: QueryExpression.Form,
        in clause: QueryClause,
        aggregateProblem: String?
    ) throws -> CheckedExpression {
        if clause == .count, form.readsRow { throw Self.rowInCount }
        switch form {
        case .property(let path): return try property(path, clause, aggregateProblem)
        case .everything(let path):
            return path.isEmpty
                ? .property(source: mainSource, path)
                : try property(path, clause, aggregateProblem)
        case .variable(let path): return try variable(path)
        case .blob(let path):
            guard case .property(let source, let path) = try property(path, clause, nil) else {
                throw QueryError("BLOB requires a property path")
            }
            return .blob(source: source, path)
        case .metadata(let source, let key): return try metadata(source, key)
        default: throw QueryError("expected a name")
        }
    }

    private mutating func property(
        _ path: QueryPath,
        _ clause: QueryClause,
        _ aggregateProblem: String?
    ) throws -> CheckedExpression {
        if clause.allowsAliases, let alias = alias(path) {
            if alias.hasAggregate, let aggregateProblem {
                throw QueryError("'\(alias.name)' is an aggregate, which \(aggregateProblem)")
            }
            return .column(alias.column, path.dropping(1))
        }
        if let (source, steps) = scope.source(namedBy: path) {
            return try part(of: source, path.dropping(steps))
        }
        guard clause == .index || !scope.needsNames && !mustNameSources else {
            let names = scope.names.map { "\($0).\(path.sql)" }.joined(separator: " or ")
            throw QueryError(
                "property '\(path.sql)' does not begin with a declared 'AS' alias; write \(names)"
            )
        }
        return try part(of: mainSource, path)
    }

    private func alias(_ path: QueryPath) -> Alias? {
        guard case .key(let name) = path.steps.first else { return nil }
        return aliases[QueryScope.folded(name)]
    }

    private mutating func part(of source: Int, _ path: QueryPath) throws -> CheckedExpression {
        guard case .documents = scope.sources[source].form, case .key(let key) = path.steps.first,
            key.text.utf8.first == UInt8(ascii: "_"),
            let fact = QueryMetadataKey(rawValue: key.text.dropping(1))
        else { return .property(source: source, path) }
        guard path.steps.count == 1 else { throw Self.belowMetadata }
        return ask(fact, source)
    }

    private mutating func ask(_ fact: QueryMetadataKey, _ source: Int) -> CheckedExpression {
        if fact == .deleted { sourcesShowingDeleted.insert(source) }
        return .metadata(source: source, fact)
    }

    private mutating func metadata(
        _ path: QueryPath,
        _ key: ExactText?
    ) throws -> CheckedExpression {
        let source = try documents(path)
        guard let key else {
            sourcesShowingDeleted.insert(source)
            return .allMetadata(source: source)
        }
        let fact = QueryMetadataKey.allCases.first {
            QueryScope.isSame(ExactText($0.rawValue), key)
        }
        guard let fact else {
            throw QueryError(
                "'\(key)' is not a valid Meta key (id, sequence, deleted, expiration, revisionID)"
            )
        }
        return ask(fact, source)
    }

    /// The source of documents that a `META` path refers to.
    private func documents(_ path: QueryPath) throws -> Int {
        let documents = scope.sources.indices.filter {
            if case .documents = scope.sources[$0].form { true } else { false }
        }
        if path.isEmpty {
            guard documents.count == 1 else {
                throw QueryError("META() is ambiguous with several sources; write META(alias)")
            }
            return documents[0]
        }
        guard let found = scope.source(namedBy: path), found.steps == path.steps.count,
            documents.contains(found.source)
        else {
            throw QueryError(
                "database alias '\(path.sql)' does not match a declared 'AS' alias; write META()"
                    + " of \(scope.names.joined(separator: " or "))"
            )
        }
        return found.source
    }

    private func variable(_ path: QueryPath) throws -> CheckedExpression {
        guard case .key(let name) = path.steps.first,
            let variable = variables.last(where: { $0.name == name })
        else {
            throw QueryError("Invalid variable name '\(path.sql)'; no ANY or EVERY declares it")
        }
        return .variable(variable.number, path.dropping(1))
    }
}

extension QueryExpression.Form {
    /// Whether a name is one of a document or an item, and not of a variable.
    fileprivate var readsRow: Bool {
        switch self {
        case .property, .everything, .blob, .metadata: true
        default: false
        }
    }
}
