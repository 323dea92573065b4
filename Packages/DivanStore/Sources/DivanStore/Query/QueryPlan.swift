public import DivanJSON

/// How a query is run, with the names of collections and indexes.
public struct QueryPlan: Hashable, Sendable {
    /// The statement that SQLite runs.
    public let sql: String
    /// What SQLite does, in order.
    public let steps: [Step]
    /// The indexes used, each once.
    public let indexes: [ExactText]

    /// One line of SQLite's plan.
    public struct Step: Hashable, Sendable {
        /// The step's number.
        public let id: Int
        /// The number of the step that it is part of; 0 if none.
        public let parent: Int
        /// What is done, such as `SCAN shop.chairs AS s0` or `SEARCH s0 USING INDEX byPrice (…)`.
        public let text: String
    }
}
