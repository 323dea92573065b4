internal import DivanQuery

extension SQLExpressionWriter {
    func writeAggregate(
        _ aggregate: QueryAggregate,
        _ operand: CheckedExpression?,
        _ collation: QueryCollation,
        isDistinct: Bool,
        to text: inout SQLText
    ) throws {
        // It changes neither extreme, and SQLite finds only plain ones in an index.
        if isDistinct, let operand, aggregate != .minimum, aggregate != .maximum {
            return try writeDistinct(aggregate, operand, collation, to: &text)
        }
        let (name, form) = Self.call(aggregate)
        text += "\(name)("
        if let operand {
            try text.apart { try write(operand, form, to: &$0) }
            if name == "min" || name == "max" { write(collation, over: [operand], to: &text) }
        } else {
            text += "*"
        }
        text += ")"
    }

    /// Writes an aggregate for which equal values, under the collation, are one.
    private func writeDistinct(
        _ aggregate: QueryAggregate,
        _ operand: CheckedExpression,
        _ collation: QueryCollation,
        to text: inout SQLText
    ) throws {
        let (name, form) = Self.call(aggregate)
        text += "\(name)(DISTINCT "
        // Another peer may have spelled an equal container differently.
        if form == .exact { text.call(.canonical) }
        try text.apart { try write(operand, form, to: &$0) }
        if form == .exact { text += ")" }
        write(collation, over: [operand], to: &text)
        text += ")"
    }

    /// The function in SQL, and the form of its argument.
    private static func call(_ aggregate: QueryAggregate) -> (name: String, form: SQLForm) {
        switch aggregate {
        case .count: ("count", .plain)
        case .sum: (SQLFunction[.sum].current, .plain)
        case .average: (SQLFunction[.average].current, .plain)
        case .minimum: ("min", .plain)
        case .maximum: ("max", .plain)
        case .array: (SQLFunction[.arrayOfRows].current, .exact)
        }
    }
}
