public import DivanJSON

/// How a query is run, with the names of collections and indexes.
public struct QueryPlan: Hashable, Sendable {
    /// The statement that SQLite runs; for other engines, any text.
    public let sql: String
    /// What the engine does, in order.
    public let steps: [Step]
    /// The indexes used, each once.
    public let indexes: [ExactText]

    /// Creates a plan of an engine that does not use SQLite.
    public init(sql: String = "", steps: [Step], indexes: [ExactText] = []) {
        self.sql = sql
        self.steps = steps
        self.indexes = indexes
    }

    /// One line of a plan.
    public struct Step: Hashable, Sendable {
        /// The step's number.
        public let id: Int
        /// The number of the step that it is part of; 0 if none.
        public let parent: Int
        /// What is done, such as `SCAN shop.chairs AS s0` or `SEARCH s0 USING INDEX byPrice (…)`.
        public let text: String

        /// Creates a step.
        public init(id: Int, parent: Int = 0, text: String) {
            self.id = id
            self.parent = parent
            self.text = text
        }
    }
}
