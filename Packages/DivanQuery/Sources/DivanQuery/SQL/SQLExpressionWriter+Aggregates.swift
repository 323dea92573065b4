extension SQLExpressionWriter {
    func writeAggregate(
        _ aggregate: QueryAggregate,
        _ operand: CheckedExpression?,
        _ collation: QueryCollation,
        to text: inout SQLText
    ) throws {
        let (name, form): (String, SQLForm) =
            switch aggregate {
            case .count: ("count", .plain)
            case .sum: ("divan_sum1", .plain)
            case .average: ("divan_avg1", .plain)
            case .minimum: ("min", .plain)
            case .maximum: ("max", .plain)
            case .array: ("divan_array_agg1", .exact)
            }
        text += "\(name)("
        if let operand {
            try text.apart { try write(operand, form, to: &$0) }
            if name == "min" || name == "max" { write(collation, over: [operand], to: &text) }
        } else {
            text += "*"
        }
        text += ")"
    }
}
