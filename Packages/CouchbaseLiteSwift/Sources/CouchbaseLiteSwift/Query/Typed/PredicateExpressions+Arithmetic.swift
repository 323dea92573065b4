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
        switch (try scope.part(lhs), try scope.part(rhs)) {
        case (.value(let left as Double), .value(let right as Double)):
            return .value(arithmetic.applied(left, right))
        case (.value(let left as Int), .value(let right as Int)):
            guard let result = arithmetic.applied(left, right) else { throw scope.refusal(self) }
            return .value(result)
        default: break
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
        switch operand.form {
        case .literal(.null): return QueryExpression(.literal(.missing))
        case .literal: return operand
        default: break
        }
        return .when(QueryExpression(.call(.isNumber, [operand])), operand)
    }
}

extension QueryArithmetic {
    /// The result of `+`, `-` or `*`.
    fileprivate func applied(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .plus: left + right
        case .minus: left - right
        default: left * right
        }
    }

    /// The result of `+`, `-` or `*`; `nil` if it does not fit.
    fileprivate func applied(_ left: Int, _ right: Int) -> Int? {
        let (result, overflow) =
            switch self {
            case .plus: left.addingReportingOverflow(right)
            case .minus: left.subtractingReportingOverflow(right)
            default: left.multipliedReportingOverflow(by: right)
            }
        return overflow ? nil : result
    }
}
