import DivanJSON

/// The full-text conditions of a statement, gathered before the columns that rank them are checked.
struct FullTextMatches {
    private(set) var matches: [CheckedMatch] = []
    private var places: [Int: QueryPosition] = [:]
    private var used = 0

    /// Finds the conditions at the top level of `WHERE`.
    mutating func gather(
        _ filter: QueryExpression,
        _ scope: QueryScope,
        _ catalogue: any QueryCatalogue
    ) throws {
        switch filter.form {
        case .and(let terms): for term in terms { try gather(term, scope, catalogue) }
        case .match(let index, _):
            do {
                try add(index, scope, catalogue)
            } catch let error as QueryError where error.offset == nil {
                throw QueryError(error.problem, code: error.code, at: filter.place)
            }
        default: break
        }
    }

    private mutating func add(
        _ path: QueryPath,
        _ scope: QueryScope,
        _ catalogue: any QueryCatalogue
    ) throws {
        let (source, index) = try Self.parts(path, scope)
        let candidates = source.map { [$0] } ?? Array(scope.sources.indices)
        for candidate in candidates {
            guard case .documents(let collection) = scope.sources[candidate].form,
                try catalogue.hasFullTextIndex(index, in: collection)
            else { continue }
            guard !matches.contains(where: { $0.source == candidate && $0.index == index }) else {
                throw QueryError(
                    "Sorry, multiple MATCHes of the same property are not allowed"
                )
            }
            return matches.append(
                CheckedMatch(source: candidate, index: index, text: .literal(.missing))
            )
        }
        throw QueryError(
            "'match' test requires a full-text index (no index is named \(index))",
            code: .missingIndex
        )
    }

    /// The number of the next condition in `WHERE`, in the order of `gather`.
    mutating func nextNumber() -> Int {
        defer { used += 1 }
        return used
    }

    mutating func set(_ text: CheckedExpression, at number: Int, from place: QueryPosition?) {
        matches[number].text = text
        places[number] = place
    }

    /// Checks what the conditions' texts depend on: the words are looked up before any later source is read,
    /// and ranked afterwards.
    func checkTexts(_ columns: [CheckedColumn]) throws(QueryError) {
        for (number, match) in matches.enumerated() {
            var rest = [match.text]
            while let expression = rest.popLast() {
                switch expression {
                case .property(let source, _), .metadata(let source, _), .blob(let source, _),
                    .allMetadata(let source):
                    guard source > match.source else { continue }
                    throw QueryError(
                        "the words of a MATCH can refer only to its own source and to earlier ones;"
                            + " put the other source first in FROM",
                        at: places[number]
                    )
                case .rank:
                    throw QueryError("the words of a MATCH cannot use RANK()", at: places[number])
                case .column(let column, _): rest.append(columns[column].expression)
                default: rest += expression.children
                }
            }
        }
    }

    /// The condition whose index `RANK` refers to.
    func number(of path: QueryPath, _ scope: QueryScope) throws -> Int {
        let (source, index) = try Self.parts(path, scope)
        let number = matches.firstIndex {
            $0.index == index && (source == nil || $0.source == source)
        }
        guard let number else { throw QueryError("RANK() cannot be used without MATCH()") }
        return number
    }

    private static func parts(
        _ path: QueryPath,
        _ scope: QueryScope
    ) throws -> (source: Int?, index: ExactText) {
        let named = path.steps.count > 1 ? scope.source(namedBy: path) : nil
        let rest = path.dropping(named?.steps ?? 0)
        guard rest.steps.count == 1, case .key(let index) = rest.steps[0] else {
            throw QueryError("\(path.sql) is not an index name; write index or alias.index")
        }
        return (named?.source, index)
    }
}
