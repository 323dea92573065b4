/// How a query is run.
public struct QueryPlan: Hashable, Sendable {
    /// The statement that SQLite runs.
    public let sql: String
    /// What SQLite does, in order.
    public let steps: [Step]

    /// One line of SQLite's plan.
    public struct Step: Hashable, Sendable {
        /// The step's number.
        public let id: Int
        /// The number of the step that it is a part of; 0 = none.
        public let parent: Int
        /// What is done, such as `SCAN s0` or `SEARCH s0 USING INDEX …`.
        public let text: String
    }
}
