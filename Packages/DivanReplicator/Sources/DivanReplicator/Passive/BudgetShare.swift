/// What one connection has told the listener's budget.
struct BudgetShare {
    /// Steps in which the budget is told, so that small messages do not touch it.
    private static let stepByteCount = 64 << 10

    private let budget: ConnectionBudget.Membership
    private var toldByteCount = 0
    /// When what is held is weighed again, also if nothing comes in: others may have made it the
    /// heaviest.
    private(set) var deadline: Duration?

    init(_ budget: ConnectionBudget.Membership) {
        self.budget = budget
    }

    /// Tells the budget what this connection holds; returns whether it has to yield.
    mutating func mustYield(holding byteCount: Int, at now: Duration) -> Bool {
        let steps = byteCount / Self.stepByteCount * Self.stepByteCount
        guard steps != toldByteCount || deadline.map({ $0 <= now }) ?? false else { return false }
        toldByteCount = steps
        deadline = steps > 0 ? now + .seconds(1) : nil
        return budget.hold(steps)
    }

    /// Nothing is held any more, and will be.
    mutating func release() {
        toldByteCount = 0
        deadline = nil
        budget.release()
    }
}
