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
        let (left, right) = (try scope.part(lhs), try scope.part(rhs))
        switch (left, right) {
        case (.value(let left as Double), .value(let right as Double)):
            return .value(arithmetic.applied(left, right))
        case (.value(let left as Int), .value(let right as Int)):
            guard let result = arithmetic.applied(left, right) else { throw scope.refusal(self) }
            return .value(result)
        default:
            return .computed(
                .calculation(
                    try scope.number(left, of: lhs),
                    arithmetic,
                    try scope.number(right, of: rhs)
                )
            )
        }
    }
}

extension PredicateExpressions.UnaryMinus: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let part = try scope.part(wrapped)
        return switch part {
        case .value(let number as Double): .value(-number)
        case .value(let number as Int) where number > .min: .value(-number)
        default: .computed(QueryExpression(.negative(try scope.number(part, of: wrapped))))
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
        .computed(.calculation(try scope.number(lhs), .modulo, try scope.number(rhs)))
    }
}

extension PredicateScope {
    fileprivate func number(_ expression: any PredicateExpression) throws -> QueryExpression {
        try number(part(expression), of: expression)
    }

    /// An operand that is MISSING unless it is a number: in queries, null counts as 0.
    fileprivate func number(
        _ part: PredicatePart,
        of expression: any PredicateExpression
    ) throws -> QueryExpression {
        let operand = try operand(part, of: expression)
        switch operand.form {
        case .literal(.null): return QueryExpression(.literal(.missing))
        // The operands of these are numbers or MISSING, and so is the result; the check would double the expression.
        case .literal, .arithmetic, .negative: return operand
        default: return .when(QueryExpression(.call(.isNumber, [operand])), operand)
        }
    }
}

extension QueryExpression {
    fileprivate static func calculation(
        _ left: QueryExpression,
        _ arithmetic: QueryArithmetic,
        _ right: QueryExpression
    ) -> QueryExpression {
        QueryExpression(.arithmetic(left, [Link(arithmetic, right)]))
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
