import DivanDatabase
import DivanLog
import DivanQuery

/// What is logged about a query at verbose level: its shape, its plan and its time.
///
/// The query's literals, parameter values and rows are not logged.
struct QueryTrace {
    /// Maximum bytes of the query and of its plan.
    private static let byteCount = 500

    private let shape: String
    private let timer = LogTimer()

    init(_ statement: QueryStatement) {
        shape = statement.shape(upTo: Self.byteCount)
    }

    /// Logs how the query is run.
    func log(_ plan: QueryPlan?) {
        guard let plan else { return }
        let steps = plan.steps.map(\.text).joined(separator: "; ").prefix(Self.byteCount)
        Journal.query.verbose("Plan of \(user: shape): \(user: steps)")
    }

    /// Logs that the last row was read.
    func end(rowCount: Int) {
        Journal.query.verbose("\(rowCount) rows in \(timer.text): \(user: shape)")
    }
}
