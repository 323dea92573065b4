internal import DivanQuery

extension SQLExpressionWriter {
    /// Writes the collation of a comparison of these operands.
    ///
    /// SQLite takes the collation of a comparison inside an operand, such as in the condition of a `CASE`,
    /// for the operand's own, unless told otherwise.
    func write(
        _ collation: QueryCollation,
        over operands: [CheckedExpression],
        to text: inout SQLText
    ) {
        write(collation, to: &text)
        guard collation.sqlName == nil, operands.contains(where: holdsCollation) else { return }
        text += " COLLATE BINARY"
    }

    private func holdsCollation(_ expression: CheckedExpression) -> Bool {
        var rest = [expression]
        while let expression = rest.popLast() {
            switch expression {
            case .comparison(_, _, _, let collation), .between(_, _, _, let collation),
                .isOneOf(_, _, let collation), .choice(_, _, otherwise: _, let collation),
                .aggregate(_, _, let collation, _):
                if collation.sqlName != nil { return true }
            case .column(let index, _): rest.append(statement.columns[index].expression)
            default: break
            }
            rest += expression.children
        }
        return false
    }
}
