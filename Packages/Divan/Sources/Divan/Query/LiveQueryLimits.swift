/// What live queries look at and remember.
enum LiveQueryLimits {
    /// Documents of a commit that are looked at one by one; more of them run the query again.
    static let changedDocumentCount = 64
    /// Rows whose documents are remembered; a query with more runs again after each commit.
    static let tracedRowCount = 10_000
    /// Changes, each with all rows, that wait for a listener's queue; of more the oldest go.
    static let waitingCount = 8
}
