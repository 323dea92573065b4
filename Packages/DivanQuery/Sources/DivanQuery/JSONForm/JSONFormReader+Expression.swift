import DivanJSON

extension JSONFormReader {
    /// Reads a node.
    mutating func expression(_ json: JSON) throws(QueryError) -> QueryExpression {
        guard depth < limits.depth else {
            throw QueryError("expressions are nested deeper than \(limits.depth); simplify them")
        }
        depth += 1
        defer { depth -= 1 }
        return QueryExpression(try form(json))
    }

    private mutating func form(_ json: JSON) throws(QueryError) -> QueryExpression.Form {
        switch json {
        case .null: return .literal(.null)
        case .bool(let value): return .literal(.boolean(value))
        case .int(let value): return .literal(.integer(value))
        case .long(let number):
            guard let literal = QueryLiteral(digits: number.text) else {
                throw QueryError("\(number.text.prefix(64)): \(QueryLiteral.exceedsNumbers)")
            }
            return .literal(literal)
        case .uint, .double: return .literal(.double(json.double ?? 0))
        case .string(let text): return .literal(.string(text))
        case .object(let members): return .object(try object(members))
        case .array(let items): return try node(items)
        }
    }

    private mutating func object(
        _ members: JSONObject
    ) throws(QueryError) -> [QueryExpression.Member] {
        var result: [QueryExpression.Member] = []
        for (key, value) in members {
            result.append(QueryExpression.Member(ExactText(key), try expression(value)))
        }
        return result
    }

    private mutating func node(_ items: [JSON]) throws(QueryError) -> QueryExpression.Form {
        guard let text = items.first?.string, let first = text.utf8.first else {
            throw QueryError("an array must begin with an operator; write a list as [\"[]\", …]")
        }
        let operands = Array(items.dropFirst())
        switch first {
        case UInt8(ascii: "."): return try property(text, operands)
        case UInt8(ascii: "_") where text.begins(with: "_."): return try member(text, operands)
        case UInt8(ascii: "$"): return .parameter(try parameter(text, operands))
        case UInt8(ascii: "?"):
            let path = try path(text.dropping(1), operands)
            guard case .key = path.steps.first else {
                throw QueryError("Invalid variable name '\(text.prefix(64))'")
            }
            return .variable(path)
        default: break
        }
        let name = text.uppercased()
        if text.hasSuffix("()") { return try function(String(name.dropLast(2)), text, operands) }
        if name == "SELECT" { throw QueryError("subqueries are allowed only in EXISTS") }
        guard let shape = JSONOperator(rawValue: name) else {
            throw QueryError("Unknown operator '\(text.prefix(64))'")
        }
        guard shape.operandCounts.contains(operands.count) else { throw Self.wrongCount(text) }
        return try shape.form(operands, &self)
    }

    /// Reads `[".a.b"]`, `[".", "a", "b"]`, `["."]` and `[".alias."]`.
    private func property(
        _ text: String,
        _ operands: [JSON]
    ) throws(QueryError) -> QueryExpression.Form {
        if text == ".", operands.isEmpty { return .everything(of: QueryPath()) }
        if text.utf8.count > 1, text.ends(with: "."), !text.ends(with: "\\."), operands.isEmpty {
            return .everything(of: try Self.beginningWithKey(text.dropping(0, 1)))
        }
        return .property(try Self.beginningWithKey(path(text.dropping(1), operands)))
    }

    /// Joins the path after an operator's mark and the steps that follow as operands.
    private func path(_ text: String, _ operands: [JSON]) throws(QueryError) -> QueryPath {
        var path = try QueryPath(text: text)
        for operand in operands {
            if let key = operand.string, !key.isEmpty {
                path.steps.append(.key(ExactText(key)))
            } else if let items = operand.array, items.count == 1, let item = items[0].int {
                path.steps.append(.item(Int(item)))
            } else {
                throw QueryError("invalid property path '\(text.prefix(64))'; write it as a.b[0]")
            }
        }
        return path
    }

    /// Reads `["_.", node, ".a.b"]`, `["_.", node, "a", "b"]`, `["_.a", node]`.
    private mutating func member(
        _ text: String,
        _ operands: [JSON]
    ) throws(QueryError) -> QueryExpression.Form {
        guard let first = operands.first else { throw Self.wrongCount(text) }
        let whole = try expression(first)
        var path = try QueryPath(text: text.dropping(2))
        if operands.count == 2, let below = operands[1].string {
            path.steps += try QueryPath(text: below).steps
        } else {
            path = try self.path(text.dropping(2), Array(operands.dropFirst()))
        }
        if path.isEmpty { return whole.form }
        guard case .metadata(let source, nil) = whole.form, case .key(let key) = path.steps[0]
        else { return .member(of: whole, path) }
        let fact = QueryExpression.Form.metadata(of: source, key: key)
        if path.steps.count == 1 { return fact }
        return .member(of: QueryExpression(fact), path.dropping(1))
    }

    private func parameter(_ text: String, _ operands: [JSON]) throws(QueryError) -> ExactText {
        var name = text.dropping(1)
        if name.isEmpty, operands.count == 1 {
            name = operands[0].string ?? operands[0].int.map { "\($0)" } ?? ""
        } else if !operands.isEmpty {
            throw Self.wrongCount(text)
        }
        guard !name.isEmpty else {
            throw QueryError("Invalid query parameter name '\(text.prefix(64))'")
        }
        return ExactText(name)
    }

    private mutating func function(
        _ name: String,
        _ text: String,
        _ operands: [JSON]
    ) throws(QueryError) -> QueryExpression.Form {
        switch name {
        case "META":
            guard operands.count <= 1 else { throw Self.wrongCount(text) }
            return .metadata(of: try operands.first.map(Self.path) ?? QueryPath(), key: nil)
        case "MATCH":
            guard operands.count == 2 else { throw Self.wrongCount(text) }
            return .match(index: try Self.path(operands[0]), try expression(operands[1]))
        case "RANK":
            guard operands.count == 1 else { throw Self.wrongCount(text) }
            return .rank(index: try Self.path(operands[0]))
        case VectorSearches.name:
            var arguments: [QueryExpression] = []
            for operand in operands { arguments.append(try expression(operand)) }
            return .vectorDistance(arguments)
        case QueryExpression.predictionName: return try prediction(text, operands)
        default: break
        }
        if let aggregate = QueryAggregate(rawValue: name) {
            return try self.aggregate(aggregate, text, operands)
        }
        var arguments: [QueryExpression] = []
        for operand in operands { arguments.append(try expression(operand)) }
        guard let function = QueryFunction(name: name) else {
            let remedy = FunctionNames.nearest(to: name).map { "; did you mean \($0)()?" } ?? ""
            throw QueryError("Unknown function '\(name.prefix(64))'\(remedy)")
        }
        return .call(function, arguments)
    }

    /// Reads `["PREDICTION()", "model", node]` and `["PREDICTION()", "model", node, ".output"]`.
    private mutating func prediction(
        _ text: String,
        _ operands: [JSON]
    ) throws(QueryError) -> QueryExpression.Form {
        guard (2...3).contains(operands.count) else { throw Self.wrongCount(text) }
        guard let model = operands[0].string, !model.isEmpty else {
            throw QueryError("the first argument of PREDICTION() must be the name of a model")
        }
        let output = QueryExpression.Form.prediction(
            model: ExactText(model),
            try expression(operands[1])
        )
        guard operands.count == 3 else { return output }
        return .member(of: QueryExpression(output), try Self.path(operands[2]))
    }

    /// Reads `["COUNT()", node]` and `["COUNT()", ["DISTINCT", node]]`.
    private mutating func aggregate(
        _ aggregate: QueryAggregate,
        _ text: String,
        _ operands: [JSON]
    ) throws(QueryError) -> QueryExpression.Form {
        guard operands.count == 1 || aggregate == .count && operands.isEmpty else {
            throw Self.wrongCount(text)
        }
        if let items = operands.first?.array, items.count == 2,
            items[0].string?.uppercased() == "DISTINCT"
        {
            return .aggregate(aggregate, try expression(items[1]), isDistinct: true)
        }
        let argument = try operands.first.map { json throws(QueryError) in try expression(json) }
        if aggregate == .count, case .everything(let path)? = argument?.form, path.isEmpty {
            return .aggregate(aggregate, nil)
        }
        return .aggregate(aggregate, argument)
    }

    private static func path(_ json: JSON) throws(QueryError) -> QueryPath {
        guard let text = json.string else { throw QueryError("a name must be a string") }
        return try beginningWithKey(text)
    }

    private static func beginningWithKey(_ text: String) throws(QueryError) -> QueryPath {
        try beginningWithKey(QueryPath(text: text))
    }

    /// Refuses a path that begins with an item: a property, a source or an index begins with a name.
    private static func beginningWithKey(_ path: QueryPath) throws(QueryError) -> QueryPath {
        if case .item = path.steps.first {
            throw QueryError("property cannot start with an array index")
        }
        return path
    }
}
