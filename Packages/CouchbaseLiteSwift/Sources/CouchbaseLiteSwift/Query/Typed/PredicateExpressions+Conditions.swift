import DivanQuery
import Foundation

extension PredicateExpressions.Conjunction: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .condition(.both(try scope.condition(lhs), try scope.condition(rhs)))
    }
}

extension PredicateExpressions.Disjunction: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .condition(.either(try scope.condition(lhs), try scope.condition(rhs)))
    }
}

extension PredicateExpressions.Negation: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .condition(.isNotTrue(try scope.condition(wrapped)))
    }
}

extension PredicateExpressions.Conditional: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let test = try scope.condition(test)
        if Output.self == Bool.self {
            return .condition(
                .either(
                    .both(test, try scope.condition(trueBranch)),
                    .both(.isNotTrue(test), try scope.condition(falseBranch))
                )
            )
        }
        let branch = QueryExpression.Branch(when: test, then: try scope.operand(trueBranch))
        return .computed(
            QueryExpression(.choice(nil, [branch], otherwise: try scope.operand(falseBranch)))
        )
    }
}

// MARK: - Comparisons

extension PredicateExpressions.Equal: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.equality(self, lhs, rhs, isNegated: false)
    }
}

extension PredicateExpressions.NotEqual: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.equality(self, lhs, rhs, isNegated: true)
    }
}

extension PredicateExpressions.Comparison: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let comparison: QueryComparison
        switch op {
        case .lessThan: comparison = .less
        case .lessThanOrEqual: comparison = .lessOrEqual
        case .greaterThan: comparison = .greater
        case .greaterThanOrEqual: comparison = .greaterOrEqual
        @unknown default: throw scope.refusal(self)
        }
        if let cases = LHS.Output.self as? any CaseIterable.Type, !areStoredInOrder(cases) {
            throw scope.refusal(lhs, "has another order than its stored values")
        }
        switch (try scope.part(lhs), try scope.part(rhs)) {
        case (.value, .value): return .value(try evaluate(PredicateBindings()))
        case (.value(let value), let side):
            guard let operand = side.operand else { throw scope.refusal(self) }
            return .condition(try .order(operand, comparison.mirrored, value))
        case (let side, .value(let value)):
            guard let operand = side.operand else { throw scope.refusal(self) }
            return .condition(try .order(operand, comparison, value))
        case (let first, let second):
            guard let left = first.operand, let right = second.operand else {
                throw scope.refusal(lhs, "does not compare a stored property with a value")
            }
            return .condition(.order(left, comparison, right))
        }
    }

    /// Whether the cases of an enum have the order of the numbers or texts that documents contain.
    private func areStoredInOrder<Kind: CaseIterable>(_ kind: Kind.Type) -> Bool {
        let cases = kind.allCases.compactMap { $0 as? LHS.Output }.sorted()
        let stored = cases.map { QueryExpression.stored($0)?.form }
        return zip(stored, stored.dropFirst()).allSatisfy { first, second in
            switch (first, second) {
            case (.literal(.integer(let first)), .literal(.integer(let second))): first <= second
            case (.literal(.string(let first)), .literal(.string(let second))):
                !second.utf8.lexicographicallyPrecedes(first.utf8)
            default: false
            }
        }
    }
}

extension PredicateScope {
    fileprivate func equality(
        _ whole: some PredicateExpression<Bool>,
        _ left: any PredicateExpression,
        _ right: any PredicateExpression,
        isNegated: Bool
    ) throws -> PredicatePart {
        let (first, second) = (try part(left), try part(right))
        if first.isConstant, second.isConstant {
            return .value(try whole.evaluate(PredicateBindings()))
        }
        for (side, other) in [(first, second), (second, first)] {
            switch (side, other) {
            case (.optionalCondition(let condition, let subject), .value(let value as Bool)):
                let isEqual = QueryExpression.has(subject, condition, value)
                return .condition(isNegated ? .isNotTrue(isEqual) : isEqual)
            case (.optionalCondition(_, let subject), .nothing):
                return .condition(try .equality(subject, Bool?.none, isNegated: isNegated))
            case (.condition(let condition), .value(let value as Bool)):
                // A condition about an absent value is MISSING, and false in memory.
                let isNotTrue = QueryExpression.isNotTrue(condition)
                return .condition(value == isNegated ? isNotTrue : .isTrue(condition))
            case (_, .value(let value)):
                guard let operand = side.operand else { continue }
                return .condition(try .equality(operand, value, isNegated: isNegated))
            case (_, .nothing):
                guard let operand = side.operand else { continue }
                return .condition(try .equality(operand, Bool?.none, isNegated: isNegated))
            default: continue
            }
        }
        guard let first = first.operand, let second = second.operand else {
            throw refusal(left, "does not compare a stored property with a value")
        }
        let isEqual = QueryExpression.equality(first, second)
        return .condition(isNegated ? .isNotTrue(isEqual) : isEqual)
    }
}

extension QueryExpression {
    /// Whether a value is there, and a condition about it is true, or false.
    static func has(
        _ subject: QueryExpression,
        _ condition: QueryExpression,
        _ value: Bool
    ) -> QueryExpression {
        .both(
            QueryExpression(.isValued(subject)),
            value ? .isTrue(condition) : .isNotTrue(condition)
        )
    }

    /// A value of the program as a save would write it; `nil` for one that documents cannot have.
    static func stored(_ value: Any) -> QueryExpression? {
        (value as? any Encodable).flatMap { try? QueryExpression(comparing: $0) }
    }

    /// Whether a condition is true, and neither false nor MISSING.
    fileprivate static func isTrue(_ condition: QueryExpression) -> QueryExpression {
        QueryExpression(.comparison(.same, condition, QueryExpression(.literal(.boolean(true)))))
    }

    /// A value if a condition is true, and otherwise MISSING.
    static func when(_ condition: QueryExpression, _ value: QueryExpression) -> QueryExpression {
        let branch = Branch(when: condition, then: value)
        return QueryExpression(
            .choice(nil, [branch], otherwise: QueryExpression(.literal(.missing)))
        )
    }

    /// Whether two stored values are equal; null and missing values equal each other.
    fileprivate static func equality(
        _ left: QueryExpression,
        _ right: QueryExpression
    ) -> QueryExpression {
        let areAbsent = [left, right].map { QueryExpression(.not(QueryExpression(.isValued($0)))) }
        return .either(
            QueryExpression(.comparison(.equal, left, right)),
            QueryExpression(.and(areAbsent))
        )
    }

    /// An ordering comparison between two stored values, both numbers or both strings.
    fileprivate static func order(
        _ left: QueryExpression,
        _ comparison: QueryComparison,
        _ right: QueryExpression
    ) -> QueryExpression {
        let types = [QueryFunction.isNumber, .isString].map { type in
            QueryExpression(.and([left, right].map { QueryExpression(.call(type, [$0])) }))
        }
        return QueryExpression(
            .and([
                QueryExpression(.comparison(comparison, left, right)), QueryExpression(.or(types)),
            ])
        )
    }
}

extension QueryComparison {
    /// The comparison with its sides swapped.
    fileprivate var mirrored: QueryComparison {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .equal, .notEqual, .same, .notSame: self
        }
    }
}
