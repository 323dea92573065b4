import DivanQuery

extension ExpressionProtocol {
    // MARK: Arithmetic

    /// Returns this times `expression`.
    public func multiply(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        calculated(.times, expression)
    }

    /// Returns this divided by `expression`.
    public func divide(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        calculated(.divided, expression)
    }

    /// Returns the remainder of this divided by `expression`.
    public func modulo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        calculated(.modulo, expression)
    }

    /// Returns this plus `expression`.
    public func add(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        calculated(.plus, expression)
    }

    /// Returns this minus `expression`.
    public func subtract(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        calculated(.minus, expression)
    }

    // MARK: Comparison

    /// Returns whether this is less than `expression`.
    public func lessThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        compared(.less, expression)
    }

    /// Returns whether this is at most `expression`.
    public func lessThanOrEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        compared(.lessOrEqual, expression)
    }

    /// Returns whether this is greater than `expression`.
    public func greaterThan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        compared(.greater, expression)
    }

    /// Returns whether this is at least `expression`.
    public func greaterThanOrEqualTo(
        _ expression: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        compared(.greaterOrEqual, expression)
    }

    /// Returns whether both are equal.
    public func equalTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        compared(.equal, expression)
    }

    /// Returns whether they differ.
    public func notEqualTo(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        compared(.notEqual, expression)
    }

    /// Returns whether both are the same, including null and MISSING.
    public func `is`(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        compared(.same, expression)
    }

    /// Returns whether they are not the same, including null and MISSING.
    public func isNot(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        compared(.notSame, expression)
    }

    /// Returns whether this is between two others, inclusive.
    public func between(
        _ expression1: any ExpressionProtocol,
        and expression2: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        BuiltExpression(
            .between(
                QueryExpression(self),
                QueryExpression(expression1),
                QueryExpression(expression2)
            )
        )
    }

    /// Returns whether this equals one of the others.
    public func `in`(_ expressions: [any ExpressionProtocol]) -> any ExpressionProtocol {
        let list = QueryExpression(.array(expressions.map { QueryExpression($0) }))
        return BuiltExpression(.isIn(QueryExpression(self), list, isNegated: false))
    }

    /// Returns whether this matches the pattern `expression`: `%` is any text, `_` any character.
    public func like(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.like(QueryExpression(self), QueryExpression(expression)))
    }

    /// Returns whether the regular expression `expression` finds a match in this.
    public func regex(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(
            .call(.regexpLike, [QueryExpression(self), QueryExpression(expression)])
        )
    }

    // MARK: Presence

    /// Returns whether this is neither null nor MISSING.
    public func isValued() -> any ExpressionProtocol {
        BuiltExpression(.isValued(QueryExpression(self)))
    }

    /// Returns whether this is null or MISSING.
    public func isNotValued() -> any ExpressionProtocol {
        BuiltExpression(.not(QueryExpression(.isValued(QueryExpression(self)))))
    }

    /// Returns whether this is null or MISSING.
    @available(*, deprecated, message: "Use isNotValued().")
    public func isNullOrMissing() -> any ExpressionProtocol { isNotValued() }

    /// Returns whether this is neither null nor MISSING.
    @available(*, deprecated, message: "Use isValued().")
    public func notNullOrMissing() -> any ExpressionProtocol { isValued() }

    // MARK: Logic

    /// Returns whether both are true.
    public func and(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        var terms = [QueryExpression(self)]
        if case .and(let earlier) = terms[0].form { terms = earlier }
        return BuiltExpression(.and(terms + [QueryExpression(expression)]))
    }

    /// Returns whether either is true.
    public func or(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        var terms = [QueryExpression(self)]
        if case .or(let earlier) = terms[0].form { terms = earlier }
        return BuiltExpression(.or(terms + [QueryExpression(expression)]))
    }

    /// Returns this with text compared and ordered by `collation`.
    public func collate(_ collation: any CollationProtocol) -> any ExpressionProtocol {
        BuiltExpression(.collated(QueryExpression(self), QueryCollationChange(collation)))
    }

    private func compared(
        _ comparison: QueryComparison,
        _ expression: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        BuiltExpression(
            .comparison(comparison, QueryExpression(self), QueryExpression(expression))
        )
    }

    private func calculated(
        _ arithmetic: QueryArithmetic,
        _ expression: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        let link = QueryExpression.Link(arithmetic, QueryExpression(expression))
        let left = QueryExpression(self)
        guard case .arithmetic(let first, let earlier) = left.form,
            earlier.allSatisfy({ $0.arithmetic == arithmetic })
        else { return BuiltExpression(.arithmetic(left, [link])) }
        return BuiltExpression(.arithmetic(first, earlier + [link]))
    }
}
