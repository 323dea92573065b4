extension CheckedExpression {
    /// The direct operands of this expression, without those of a subquery.
    public var children: [CheckedExpression] {
        switch self {
        case .literal, .parameter, .property, .metadata, .allMetadata, .variable, .column,
            .exists, .match, .rank, .vectorDistance, .blob:
            []
        case .member(let operand, _), .not(let operand), .negative(let operand),
            .isNull(let operand), .isMissing(let operand), .isValued(let operand),
            .prediction(_, let operand):
            [operand]
        case .array(let operands), .and(let operands), .or(let operands),
            .concatenation(let operands), .call(_, let operands, _):
            operands
        case .object(let members): members.map(\.value)
        case .arithmetic(let first, let links): [first] + links.map(\.operand)
        case .comparison(_, let left, let right, _), .isItem(let left, of: let right, _),
            .like(let left, let right, _):
            [left, right]
        case .between(let value, let low, let high, _): [value, low, high]
        case .isOneOf(let value, let list, _): [value] + list
        case .quantified(_, _, in: let collection, satisfies: let condition):
            [collection, condition]
        case .choice(let test, let branches, let otherwise, _):
            [test, otherwise].compactMap(\.self) + branches.flatMap { [$0.when, $0.then] }
        case .aggregate(_, let operand, _, _): [operand].compactMap(\.self)
        }
    }

    /// The terms of an `AND`; only the expression itself if it is not an `AND`.
    public var terms: [CheckedExpression] {
        if case .and(let terms) = self { terms.flatMap(\.terms) } else { [self] }
    }
}
