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
        return try scope.calculation(lhs, arithmetic, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .computed(QueryExpression(.negative(try scope.operand(wrapped))))
    }
}

extension PredicateExpressions.FloatDivision: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        // A whole number may be stored as an integer, and "/" of two integers rounds.
        let quotient = [try scope.operand(lhs), try scope.operand(rhs)]
        return .computed(QueryExpression(.call(.divide, quotient)))
    }
}

extension PredicateExpressions.IntDivision: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let quotient = [try scope.operand(lhs), try scope.operand(rhs)]
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
        let link = QueryExpression.Link(arithmetic, try operand(right))
        return .computed(QueryExpression(.arithmetic(try operand(left), [link])))
    }
}
