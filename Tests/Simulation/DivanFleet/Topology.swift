/// Who connects to whom.
enum Topology: String, CaseIterable, Sendable {
    /// All to node 0.
    case star
    /// Each to the previous one.
    case chain
    /// Two hubs, the second a client of the first; the others are distributed among them.
    case hubs
    /// Each to the next, the last to the first.
    case ring
    /// Every pair once.
    case mesh
    /// Every pair twice: each side starts its own replication.
    case mutual

    /// Whether a change can return to where it was made.
    var hasCycles: Bool { [.ring, .mesh, .mutual].contains(self) }

    /// The active and the passive node of each link.
    func pairs(_ nodeCount: Int) -> [(active: Int, passive: Int)] {
        let others = 1..<nodeCount
        switch self {
        case .star: return others.map { ($0, 0) }
        case .chain: return others.map { ($0, $0 - 1) }
        case .hubs: return others.map { ($0, $0 < 3 ? 0 : $0 % 2) }
        case .ring:
            guard nodeCount > 2 else { return [(1, 0)] }
            return (0..<nodeCount).map { ($0, ($0 + 1) % nodeCount) }
        case .mesh:
            return others.flatMap { active in (0..<active).map { (active, $0) } }
        case .mutual:
            return others.flatMap { active in
                (0..<active).flatMap { [(active, $0), ($0, active)] }
            }
        }
    }
}

/// Which way documents travel.
enum Flow: String, Sendable {
    /// Push and pull; anybody edits anything.
    case both
    /// Push only: a document is edited by its owner and moves towards node 0.
    case up
    /// Pull only: node 0 edits, the others receive.
    case down
}
