import DivanJSON
import DivanQuery

extension Oracle {
    /// The value of an expression for a row, or for the rows of a group.
    func value(_ expression: CheckedExpression, _ scope: Scope) -> JSON? {
        switch expression {
        case .literal(let literal): return value(literal)
        case .property(let source, let path):
            return scope.rows.first.flatMap { part($0[source], path) }
        case .metadata(let source, let key):
            return scope.rows.first.flatMap { metadata(key, of: $0[source]) }
        case .variable(let number, let path): return follow(path, from: scope.variables[number])
        case .column(let index, let path):
            return follow(path, from: value(statement.columns[index].expression, scope))
        case .member(of: let inner, let path): return follow(path, from: value(inner, scope))
        case .array(let items): return .array(items.compactMap { value($0, scope) })
        case .object(let members):
            var object = JSONObject()
            for member in members { object[member.key.text] = value(member.value, scope) }
            return .object(object)
        case .negative(let operand):
            return value(operand, scope).flatMap { calculate(.minus, .int(0), $0) }
        case .parameter(let name): return parameters[name.text]
        case .concatenation(let parts): return concatenated(parts.map { value($0, scope) })
        case .arithmetic(let first, let links):
            return links.reduce(value(first, scope)) { result, link in
                guard let result, let operand = value(link.operand, scope) else { return nil }
                return calculate(link.arithmetic, result, operand)
            }
        case .choice(let test, let branches, let otherwise, let collation):
            return choose(test, branches, otherwise, collation, scope)
        case .call(.arrayCount, let arguments, _):
            return itemCount(value(arguments[0], scope), of: arguments[0])
        case .call(let function, let arguments, let collation):
            return call(function, arguments.map { value($0, scope) }, collation)
        case .aggregate(let aggregate, let operand, _, _):
            return aggregated(aggregate, operand, scope)
        default: return condition(expression, scope).map { .bool($0) }
        }
    }

    private func value(_ literal: QueryLiteral) -> JSON? {
        switch literal {
        case .missing: nil
        case .null: .null
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        }
    }

    func concatenated(_ values: [JSON?]) -> JSON? {
        guard !values.contains(where: { $0 == nil }) else { return nil }
        return .string(values.map { shown($0) }.joined())
    }

    func shown(_ value: JSON?) -> String {
        if let text = value?.string { return text }
        return (try? value?.canonicalBytes()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func numeric(_ value: JSON) -> JSON {
        switch value {
        case .bool(let value): .int(value ? 1 : 0)
        case .int, .double: value
        case .string(let text): Self.leadingNumber(text)
        default: .int(0)
        }
    }

    private func calculate(_ arithmetic: QueryArithmetic, _ left: JSON, _ right: JSON) -> JSON? {
        let (left, right) = (numeric(left), numeric(right))
        if let a = left.int, let b = right.int {
            switch arithmetic {
            case .plus: return .int(a + b)
            case .minus: return .int(a - b)
            case .times: return .int(a * b)
            case .divided: return b == 0 ? nil : .int(a / b)
            case .modulo: return b == 0 ? nil : .int(a % b)
            }
        }
        let (a, b) = (left.double ?? 0, right.double ?? 0)
        switch arithmetic {
        case .plus: return .double(a + b)
        case .minus: return .double(a - b)
        case .times: return .double(a * b)
        case .divided: return b == 0 ? nil : .double(a / b)
        case .modulo: return Int64(b) == 0 ? nil : .double(Double(Int64(a) % Int64(b)))
        }
    }

    private func choose(
        _ test: CheckedExpression?,
        _ branches: [CheckedExpression.Branch],
        _ otherwise: CheckedExpression?,
        _ collation: QueryCollation,
        _ scope: Scope
    ) -> JSON? {
        let tested = test.map { value($0, scope) }
        for branch in branches {
            let when = value(branch.when, scope)
            if let tested {
                guard tested != nil, when != nil, compare(tested, when, collation) == 0 else {
                    continue
                }
            } else if !isTrue(when) {
                continue
            }
            return value(branch.then, scope)
        }
        return otherwise.map { value($0, scope) } ?? .null
    }

    private func aggregated(
        _ aggregate: QueryAggregate,
        _ operand: CheckedExpression?,
        _ scope: Scope
    ) -> JSON? {
        guard let operand else { return .int(Int64(scope.rows.count)) }
        let values = scope.rows.compactMap { value(operand, Scope(rows: [$0])) }
        switch aggregate {
        case .count: return .int(Int64(values.count))
        case .minimum: return values.min { compare($0, $1) < 0 }.map(plain)
        case .maximum: return values.max { compare($0, $1) < 0 }.map(plain)
        case .array: return .array(values)
        case .sum, .average:
            guard !values.isEmpty else { return nil }
            let isWhole = values.allSatisfy { $0.int != nil || $0.bool != nil }
            let total = values.map { numeric($0).double ?? 0 }.reduce(0, +)
            if aggregate == .average { return .double(total / Double(values.count)) }
            return isWhole ? .int(Int64(total)) : .double(total)
        }
    }

    /// An extreme has no type other than that of its order.
    private func plain(_ value: JSON) -> JSON {
        value.bool.map { .int($0 ? 1 : 0) } ?? value
    }
}
