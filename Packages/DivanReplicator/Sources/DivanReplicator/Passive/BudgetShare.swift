/// What one connection has reported to the listener's budget.
struct BudgetShare {
    /// Step size of reports to the budget, so that small messages do not access it.
    private static let stepByteCount = 64 << 10

    private let budget: ConnectionBudget.Membership
    private var toldByteCount = 0
    /// When to weigh again what is held, even without input: others may have made it the heaviest.
    private(set) var deadline: Duration?

    init(_ budget: ConnectionBudget.Membership) {
        self.budget = budget
    }

    /// Reports to the budget what this connection holds; returns whether it must yield.
    mutating func mustYield(holding byteCount: Int, at now: Duration) -> Bool {
        let steps = byteCount / Self.stepByteCount * Self.stepByteCount
        guard steps != toldByteCount || deadline.map({ $0 <= now }) ?? false else { return false }
        toldByteCount = steps
        deadline = steps > 0 ? now + .seconds(1) : nil
        return budget.hold(steps)
    }

    /// Nothing is held any more, nor will be.
    mutating func release() {
        toldByteCount = 0
        deadline = nil
        budget.release()
    }
}
