/// Shortens a failing run: leaves out nodes, actions and the bad network, one group after the
/// other, as long as the same promise is broken.
///
/// Delta debugging (Zeller and Hildebrandt 2002) over the planned actions.
public struct Shrinker {
    /// The shortest run so far.
    public private(set) var simulation: Simulation
    /// Number of runs so far.
    public private(set) var runCount = 0

    private let kind: Violation.Kind
    private let runLimit: Int

    /// Begins with an outcome that has a violation; `nil` if it has none.
    public init?(_ outcome: Outcome, runLimit: Int = 400) {
        guard let first = outcome.violations.first else { return nil }
        simulation = outcome.simulation
        kind = first.kind
        self.runLimit = runLimit
    }

    /// Leaves out whatever can be left out.
    public mutating func shrink() {
        dropNodes()
        var calm = simulation
        calm.isCalm = true
        accept(calm)
        dropActions()
        dropNodes()
    }

    private mutating func dropNodes() {
        for node in (1..<simulation.scenario.nodeCount).reversed()
        where !simulation.absentNodes.contains(node) {
            var smaller = simulation
            smaller.absentNodes.insert(node)
            accept(smaller)
        }
    }

    private mutating func dropActions() {
        var numbers = simulation.scenario.actions.map(\.number)
        var pieceCount = 2
        while numbers.count > 1, runCount < runLimit {
            let size = max(1, numbers.count / pieceCount)
            var isShorter = false
            var start = 0
            while start < numbers.count, runCount < runLimit {
                var kept = numbers
                kept.removeSubrange(start..<min(start + size, numbers.count))
                var smaller = simulation
                smaller.selection = Set(kept)
                if accept(smaller) {
                    numbers = kept
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { return }
            pieceCount = isShorter ? max(2, pieceCount - 1) : min(numbers.count, pieceCount * 2)
        }
    }

    @discardableResult
    private mutating func accept(_ smaller: Simulation) -> Bool {
        guard runCount < runLimit else { return false }
        runCount += 1
        guard smaller.run().violations.contains(where: { $0.kind == kind }) else { return false }
        simulation = smaller
        return true
    }
}
