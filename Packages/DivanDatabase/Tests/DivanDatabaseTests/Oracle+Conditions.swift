import DivanJSON
import DivanQuery

extension Oracle {
    /// Whether it is true or false; `nil` for MISSING.
    func condition(_ expression: CheckedExpression, _ scope: Scope) -> Bool? {
        switch expression {
        case .not(let operand): return value(operand, scope).map { !truth($0) }
        case .and(let terms):
            let values = terms.map { value($0, scope).map(truth) }
            if values.contains(false) { return false }
            return values.contains(nil) ? nil : true
        case .or(let terms):
            let values = terms.map { value($0, scope).map(truth) }
            if values.contains(true) { return true }
            return values.contains(nil) ? nil : false
        case .comparison(let comparison, let left, let right, let collation):
            return compared(comparison, value(left, scope), value(right, scope), collation)
        case .isNull(let operand): return value(operand, scope).map(\.isNull)
        case .isMissing(let operand): return value(operand, scope) == nil
        case .isValued(let operand): return value(operand, scope).map { !$0.isNull } ?? false
        case .between(let operand, let low, let high, let collation):
            let value = value(operand, scope)
            let isAbove = compared(.greaterOrEqual, value, self.value(low, scope), collation)
            let isBelow = compared(.lessOrEqual, value, self.value(high, scope), collation)
            if isAbove == false || isBelow == false { return false }
            return isAbove == nil || isBelow == nil ? nil : true
        case .isOneOf(let operand, let list, let collation):
            guard !list.isEmpty else { return false }
            guard let value = value(operand, scope) else { return nil }
            let items = list.map { self.value($0, scope) }
            if items.contains(where: { $0 != nil && compare($0, value, collation) == 0 }) {
                return true
            }
            return items.contains(where: { $0 == nil }) ? nil : false
        case .isItem(let operand, of: let container, let collation):
            guard let value = value(operand, scope), let list = self.value(container, scope) else {
                return nil
            }
            return list.array?.contains { compare($0, value, collation) == 0 } ?? false
        case .exists(let statement):
            return !Oracle(statement, documents, parameters).rows().isEmpty
        case .like(let text, let pattern, let collation):
            return like(value(text, scope), value(pattern, scope), collation)
        case .quantified(let quantifier, let variable, in: let container, satisfies: let test):
            return quantified(quantifier, variable, container, test, scope)
        default: return nil
        }
    }

    private func compared(
        _ comparison: QueryComparison,
        _ left: JSON?,
        _ right: JSON?,
        _ collation: QueryCollation
    ) -> Bool? {
        let order = compare(left, right, collation)
        switch comparison {
        case .same: return order == 0
        case .notSame: return order != 0
        default: break
        }
        guard left != nil, right != nil else { return nil }
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        default: return order >= 0
        }
    }

    private func like(_ text: JSON?, _ pattern: JSON?, _ collation: QueryCollation) -> Bool? {
        guard let text, let pattern else { return nil }
        func shown(_ value: JSON) -> String? {
            if let value = value.bool { return value ? "1" : "0" }
            return value.string ?? (value.double == nil ? nil : self.shown(value))
        }
        guard let text = shown(text), let pattern = shown(pattern) else { return false }
        return OracleText(collation).isLike(text, pattern)
    }

    private func quantified(
        _ quantifier: QueryQuantifier,
        _ variable: Int,
        _ container: CheckedExpression,
        _ test: CheckedExpression,
        _ scope: Scope
    ) -> Bool {
        var items = value(container, scope).map { self.items(of: $0) } ?? []
        if case .property = container, skipsScalars(quantifier, variable, test) {
            let collection = value(container, scope)
            if collection?.array == nil, collection?.object == nil { items = [] }
        }
        let results = items.map { item -> Bool? in
            var inner = scope
            inner.variables[variable] = item
            return value(test, inner).map(truth)
        }
        switch quantifier {
        case .any: return results.contains(true)
        case .every: return !results.contains(false)
        case .anyAndEvery: return !results.isEmpty && !results.contains(false)
        }
    }

    /// Whether a property that is a scalar has no items.
    private func skipsScalars(
        _ quantifier: QueryQuantifier,
        _ variable: Int,
        _ test: CheckedExpression
    ) -> Bool {
        guard quantifier == .any else { return quantifier == .anyAndEvery }
        guard case .comparison(.equal, let left, _, _) = test else { return false }
        return left == .variable(variable, QueryPath())
    }
}
