import DivanQuery
import Foundation

extension PredicateExpressions.Arithmetic: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let arithmetic: QueryArithmetic
        switch op {
        case .add: arithmetic = .plus
        case .subtract: arithmetic = .minus
        case .multiply: arithmetic = .times
        @unknown default: throw scope.refusal(self)
        }
        if case (.value(let left as Double), .value(let right as Double)) = (
            try scope.part(lhs), try scope.part(rhs)
        ) {
            return .value(arithmetic.applied(left, right))
        }
        return try scope.calculation(lhs, arithmetic, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        switch try scope.part(wrapped) {
        case .value(let number as Double): .value(-number)
        case .value(let number as Int) where number > .min: .value(-number)
        default: .computed(QueryExpression(.negative(try scope.number(wrapped))))
        }
    }
}

extension PredicateExpressions.FloatDivision: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        // A whole number may be stored as an integer, and "/" of two integers rounds.
        let quotient = [try scope.number(lhs), try scope.number(rhs)]
        return .computed(QueryExpression(.call(.divide, quotient)))
    }
}

extension PredicateExpressions.IntDivision: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let quotient = [try scope.number(lhs), try scope.number(rhs)]
        return .computed(QueryExpression(.call(.integerDivide, quotient)))
    }
}

extension PredicateExpressions.IntRemainder: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.calculation(lhs, .modulo, rhs)
    }
}

extension PredicateScope {
    fileprivate func calculation(
        _ left: any PredicateExpression,
        _ arithmetic: QueryArithmetic,
        _ right: any PredicateExpression
    ) throws -> PredicatePart {
        let link = QueryExpression.Link(arithmetic, try number(right))
        return .computed(QueryExpression(.arithmetic(try number(left), [link])))
    }

    /// An operand that is MISSING unless it is a number: in queries, null counts as 0.
    fileprivate func number(_ expression: any PredicateExpression) throws -> QueryExpression {
        let operand = try operand(expression)
        if case .literal = operand.form { return operand }
        return .when(QueryExpression(.call(.isNumber, [operand])), operand)
    }
}

extension QueryArithmetic {
    fileprivate func applied(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .plus: left + right
        case .minus: left - right
        case .times: left * right
        case .divided: left / right
        case .modulo: left.truncatingRemainder(dividingBy: right)
        }
    }
}
