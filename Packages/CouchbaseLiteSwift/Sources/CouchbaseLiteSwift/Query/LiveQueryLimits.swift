/// Limits on what live queries examine and remember.
enum LiveQueryLimits {
    /// Changed documents that are checked one by one; more of them rerun the query.
    static let changedDocumentCount = 64
    /// Rows whose documents are remembered; a query with more reruns after each commit.
    static let tracedRowCount = 10_000
    /// Changes, each with all rows, that may wait for a listener's queue; beyond that the oldest are dropped.
    static let waitingCount = 8
}
