internal import DivanQuery

/// The parts of documents that the outer clauses of a grouped query use, noted as those are
/// written.
///
/// They are extracted from each row before sorting: a row has a few columns instead of a body.
final class SQLExtraction {
    /// A column of the inner query.
    struct Column: Hashable {
        let expression: CheckedExpression
        let form: SQLForm
    }

    private(set) var columns: [Column] = []
    private var positions: [Column: Int] = [:]

    static func name(_ position: Int) -> String { "c\(position)" }

    /// The column that holds an expression in a form; a new one if there was none.
    ///
    /// The plain form of a property is made from the exact one, which is shorter to read than its document.
    func name(of expression: CheckedExpression, _ form: SQLForm) -> String {
        let exact = Column(expression: expression, form: .exact)
        if form == .plain, case .property = expression, let position = positions[exact] {
            return "\(SQLFunction[.plain].current)(\(Self.name(position)))"
        }
        let column = Column(expression: expression, form: form)
        let position = positions[column] ?? columns.count
        if position == columns.count {
            positions[column] = position
            columns.append(column)
        }
        return Self.name(position)
    }
}
