extension QueryStatement {
    /// The number of nested levels of expressions and subqueries.
    public var height: Int { summit.height }

    /// Where the deepest part begins; `nil` if there is no text.
    public var deepest: QueryPosition? { summit.place }

    private var summit: (height: Int, place: QueryPosition?) {
        var highest: (height: Int, place: QueryPosition?) = (0, nil)
        for part in parts {
            let height = part.height
            if height > highest.height { highest = (height, part.place) }
        }
        return highest
    }

    fileprivate var parts: [QueryExpression] {
        var parts = columns.map(\.expression) + groups + orderings.map(\.expression)
        parts += [filter, groupFilter, limit, offset].compactMap(\.self)
        for source in sources {
            if case .items(let items) = source.form { parts.append(items) }
            if let condition = source.condition { parts.append(condition) }
        }
        return parts
    }
}

extension QueryExpression {
    /// Levels of expressions, this one included.
    fileprivate var height: Int {
        // Level by level: expressions built in code may be deeper than the stack allows.
        var (level, height) = ([self], 0)
        while !level.isEmpty {
            height += 1
            level = level.flatMap(\.children)
        }
        return height
    }

    /// The direct operands of this expression, and those of a sub-query.
    private var children: [QueryExpression] {
        switch form {
        case .literal, .parameter, .property, .everything, .variable, .metadata, .rank, .blob,
            .refused:
            []
        case .member(let operand, _), .not(let operand), .negative(let operand),
            .positive(let operand), .isValued(let operand), .hasValue(let operand),
            .collated(let operand, _), .match(_, let operand), .prediction(_, let operand):
            [operand]
        case .array(let operands), .and(let operands), .or(let operands),
            .concatenation(let operands), .call(_, let operands), .vectorDistance(let operands):
            operands
        case .object(let members): members.map(\.value)
        case .arithmetic(let first, let links): [first] + links.map(\.operand)
        case .comparison(_, let left, let right), .isIn(let left, let right, _),
            .like(let left, let right):
            [left, right]
        case .between(let value, let low, let high): [value, low, high]
        case .quantified(_, _, let items, let condition):
            [items, condition]
        case .choice(let subject, let branches, let otherwise):
            [subject, otherwise].compactMap(\.self) + branches.flatMap { [$0.when, $0.then] }
        case .aggregate(_, let operand, _): [operand].compactMap(\.self)
        case .exists(let statement): statement.parts
        }
    }
}
