import DivanJSON
import DivanQuery
import Foundation

// MARK: - Text

extension PredicateExpressions.SequenceStartsWith: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard let text = try scope.part(base).operand,
            case .value(let prefix as String) = try scope.part(self.prefix)
        else { throw scope.refusal(self) }
        return .condition(.like(text, QueryExpression.escaping(prefix) + "%"))
    }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard let text = try scope.part(base).operand,
            case .value(let part as String) = try scope.part(other)
        else { throw scope.refusal(self) }
        return .condition(.like(text, "%" + QueryExpression.escaping(part) + "%"))
    }
}

// MARK: - Arrays

extension PredicateExpressions.SequenceContains: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        switch (try scope.part(sequence), try scope.part(element)) {
        case (.value(let values), let side):
            let list = try QueryExpression(comparing: values)
            guard let operand = side.operand, case .array(let items) = list.form else {
                throw scope.refusal(self)
            }
            return .condition(.isOne(of: items, operand))
        case (let array, let side):
            guard let array = array.operand, LHS.Output.self is any PredicateArray.Type else {
                throw scope.refusal(self)
            }
            if case .value(let item) = side {
                let item = try QueryExpression(comparing: item)
                return .condition(QueryExpression(.isIn(item, array, isNegated: false)))
            }
            guard let operand = side.operand else { throw scope.refusal(self) }
            return .condition(QueryExpression(.isIn(operand, array, isNegated: false)))
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let array = try scope.array(sequence, in: self)
        let (inner, name) = scope.binding(variable.key)
        return .condition(.any(name, of: array, try inner.condition(test)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let array = try scope.array(sequence, in: self)
        let (inner, name) = scope.binding(variable.key)
        // `EVERY` is true for an item whose condition is MISSING, as with an absent property.
        let fails = QueryExpression.isNotTrue(try inner.condition(test))
        return .condition(.isNotTrue(.any(name, of: array, fails)))
    }
}

extension QueryExpression {
    fileprivate static func any(
        _ variable: ExactText,
        of array: QueryExpression,
        _ condition: QueryExpression
    ) -> QueryExpression {
        QueryExpression(.quantified(.any, variable: variable, in: array, satisfies: condition))
    }
}

extension PredicateExpressions.SequenceMinimum: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .computed(.init(.call(.arrayMinimum, [try scope.numbers(elements, in: self)])))
    }
}

extension PredicateExpressions.SequenceMaximum: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .computed(.init(.call(.arrayMaximum, [try scope.numbers(elements, in: self)])))
    }
}

extension PredicateScope {
    /// A stored or computed array.
    fileprivate func array<Array: PredicateExpression>(
        _ array: Array,
        in whole: any PredicateExpression
    ) throws -> QueryExpression {
        guard let operand = try part(array).operand,
            Array.Output.self is any PredicateArray.Type
        else { throw refusal(whole) }
        return operand
    }

    /// An array of numbers: the functions of queries look at nothing else.
    fileprivate func numbers<Array: PredicateExpression>(
        _ array: Array,
        in whole: any PredicateExpression
    ) throws -> QueryExpression where Array.Output: Swift.Sequence {
        guard let operand = try part(array).operand,
            Array.Output.Element.self is any Numeric.Type
        else { throw refusal(whole) }
        return operand
    }
}

// MARK: - Ranges

extension PredicateExpressions.RangeExpressionContains: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard case .range(let low, let high, let isClosed) = try scope.part(range),
            let operand = try scope.part(element).operand
        else { throw scope.refusal(self) }
        let bounds = [
            try QueryExpression.order(operand, .greaterOrEqual, low),
            try QueryExpression.order(operand, isClosed ? .lessOrEqual : .less, high),
        ]
        return .condition(QueryExpression(.and(bounds)))
    }
}

extension PredicateExpressions.ClosedRange: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.range(self, lower, upper, isClosed: true)
    }
}

extension PredicateExpressions.Range: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.range(self, lower, upper, isClosed: false)
    }
}

extension PredicateScope {
    fileprivate func range(
        _ whole: any PredicateExpression,
        _ lower: any PredicateExpression,
        _ upper: any PredicateExpression,
        isClosed: Bool
    ) throws -> PredicatePart {
        guard case .value(let low) = try part(lower), case .value(let high) = try part(upper)
        else { throw refusal(whole) }
        return .range(low, high, isClosed: isClosed)
    }
}
