public import DivanJSON

extension QueryExpression {
    /// The expression in the JSON form.
    ///
    /// Source: `sqlpp.md` §10.
    public var json: JSON {
        switch form {
        case .literal(let literal): literal.json
        case .parameter(let name): [.string("$" + name.text)]
        case .property(let path): path.json(operator: ".")
        case .everything(let path): path.isEmpty ? ["."] : [.string((path.text ?? "") + ".")]
        case .variable(let path): path.json(operator: "?")
        case .metadata(let source, let key): Self.metadata(source, key)
        case .member(let whole, let path): Self.member(whole.json, path)
        case .array(let items): Self.node("[]", items)
        case .object(let members):
            .object(JSONObject(members.map { ($0.key.text, $0.value.json) }))
        case .not(let operand): Self.node("NOT", [operand])
        case .negative(let operand): Self.node("-", [operand])
        case .positive(let operand): Self.node("+", [operand])
        case .and(let terms): Self.node("AND", terms)
        case .or(let terms): Self.node("OR", terms)
        case .concatenation(let parts): Self.node("||", parts)
        case .arithmetic(let first, let links): Self.calculation(first, links)
        case .comparison(let comparison, let left, let right):
            Self.node(comparison.rawValue, [left, right])
        case .isValued(let operand): Self.node("IS VALUED", [operand])
        case .between(let value, let low, let high): Self.node("BETWEEN", [value, low, high])
        case .isIn(let value, let set, let isNegated):
            Self.node(isNegated ? "NOT IN" : "IN", [value, set])
        case .like(let value, let pattern): Self.node("LIKE", [value, pattern])
        case .quantified(let quantifier, let variable, let items, let condition):
            [
                .string(quantifier.rawValue), .string(variable.text), items.json, condition.json,
            ]
        case .choice(let subject, let branches, let otherwise):
            .array(
                ["CASE", subject?.json ?? .null]
                    + branches.flatMap { [$0.when.json, $0.then.json] }
                    + (otherwise.map { [$0.json] } ?? [])
            )
        case .exists(let statement): ["EXISTS", statement.json]
        case .hasValue(let operand): Self.node("EXISTS", [operand])
        case .collated(let operand, let change): ["COLLATE", change.json, operand.json]
        case .call(let function, let arguments): Self.node(function.rawValue + "()", arguments)
        case .aggregate(let aggregate, let argument?, isDistinct: true):
            [.string(aggregate.rawValue + "()"), ["DISTINCT", argument.json]]
        case .aggregate(let aggregate, let argument, _):
            [.string(aggregate.rawValue + "()"), argument?.json ?? ["."]]
        case .match(let index, let text): ["MATCH()", index.nameJSON, text.json]
        case .rank(let index): ["RANK()", index.nameJSON]
        case .vectorDistance(let arguments): Self.node(VectorSearches.name + "()", arguments)
        case .prediction(let model, let input):
            [.string(Self.predictionName + "()"), .string(model.text), input.json]
        case .blob(let path): ["BLOB", .string(path.text ?? "")]
        case .refused: .null
        }
    }

    /// The expression in a place where a text with a leading dot would be a path.
    var jsonAmongPaths: JSON {
        guard case .literal(.string(let text)) = form, text.begins(with: ".") else { return json }
        return ["_.", .string(text), ""]
    }

    private static func node(_ name: String, _ operands: [QueryExpression]) -> JSON {
        .array([.string(name)] + operands.map(\.json))
    }

    private static func metadata(_ source: QueryPath, _ key: ExactText?) -> JSON {
        let whole: JSON = source.isEmpty ? ["META()"] : ["META()", source.nameJSON]
        guard let key else { return whole }
        return member(whole, QueryPath([.key(key)]))
    }

    private static func member(_ whole: JSON, _ path: QueryPath) -> JSON {
        if let text = path.text { return ["_.", whole, .string(text)] }
        return .array(["_.", whole] + path.steps.map(\.json))
    }

    /// One node for each run of equal operators.
    private static func calculation(_ first: QueryExpression, _ links: [Link]) -> JSON {
        var result = first.json
        var place = 0
        while place < links.count {
            let arithmetic = links[place].arithmetic
            let run = links[place...].prefix { $0.arithmetic == arithmetic }
            result = .array([.string(arithmetic.rawValue), result] + run.map(\.operand.json))
            place = run.endIndex
        }
        return result
    }
}

extension QueryLiteral {
    fileprivate var json: JSON {
        switch self {
        case .missing: ["MISSING"]
        case .null: .null
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        }
    }
}

extension QueryPath {
    /// `[".a.b"]`, or `[".", "a", ""]` if a key has no text in a path.
    fileprivate func json(operator mark: String) -> JSON {
        if steps.isEmpty { return [.string(mark)] }
        if let text { return [.string(mark + text.dropping(1))] }
        return .array([.string(mark)] + steps.map(\.json))
    }

    /// The name of a source or an index, `alias.name`.
    fileprivate var nameJSON: JSON { .string((text ?? "").dropping(1)) }
}

extension QueryPath.Step {
    fileprivate var json: JSON {
        switch self {
        case .key(let key): .string(key.text)
        case .item(let item): [JSON(item)]
        }
    }
}

extension QueryCollationChange {
    fileprivate var json: JSON {
        var members: JSONObject = [:]
        members["UNICODE"] = isUnicode.map { .bool($0) }
        members["CASE"] = isCaseSensitive.map { .bool($0) }
        members["DIAC"] = isAccentSensitive.map { .bool($0) }
        members["LOCALE"] = locale.map { .string($0.text) }
        return .object(members)
    }
}
