import DivanDatabase
import DivanReplicator
import DivanSimulation
import DivanTestKit
import DivanTransport

/// Everything that is decided before a run begins; it depends only on the seed.
///
/// Who there is, what connects them, and what happens when.
struct Scenario: Sendable {
    let seed: UInt64
    /// How the nodes name their revisions.
    var fleet = Fleet.trees
    var topology = Topology.star
    var flow = Flow.both
    var nodeCount = 2
    var links: [LinkPlan] = []
    var collections: [CollectionPath] = [.default]
    /// Whether the nodes store their rows in SQLite files: the same, but slower.
    var usesFiles = false
    /// Nodes that index their documents, and batch what they pull.
    var indexedNodes: Set<Int> = []
    /// How each node resolves conflicts in the beginning.
    var resolvers: [ResolverKind] = []
    /// The network while it is bad.
    var conditions = SimulatedConditions()
    /// How many of a thousand frames arrive with a wrong bit.
    var corruptedPerMille = 0
    /// The bounds of all peers; small ones make windows fill up.
    var limits = ReplicatorLimits()
    /// How long a resolver takes while it is slow.
    var slowestResolver: Duration = .zero
    /// How many of a hundred answers a resolver refuses while it fails.
    var failingResolverPercentage = 0
    /// When all faults end.
    var duration: Duration = .zero
    var actions: [PlannedAction] = []
    /// Documents that exist from the beginning.
    var documentCount = 0
}

/// How the nodes of a world name their revisions.
public enum Fleet: String, CaseIterable, Sendable {
    /// By trees.
    case trees
    /// By version vectors from the beginning.
    case vectors
    /// Some by vectors from the beginning, some from a moment of the run on; when all faults end, all.
    case mixed
}

/// A rule for conflicts.
enum ResolverKind: String, CaseIterable, Sendable {
    case `default`
    case localWins = "local wins"
    case remoteWins = "remote wins"
    case fieldMerge = "field merge"
}

extension Scenario {
    /// Draws the scenario of a seed; `peerCount` overrides the number of nodes.
    init(seed: UInt64, peerCount: Int? = nil, fleet: Fleet = .trees) {
        self.seed = seed
        self.fleet = fleet
        var generator = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 17)
        drawNodes(peerCount, &generator)
        drawLinks(&generator)
        drawNetwork(&generator)
        drawPeers(&generator)
        drawIndexes()
        var plan = ActionPlan(scenario: self, generator: generator)
        actions = plan.draw()
        if fleet == .mixed { planUpgrades() }
        duration = (actions.last?.time ?? .zero) + .seconds(5)
    }

    /// One in a hundred seeds has fifty nodes or more, the others two to eight.
    private mutating func drawNodes(_ peerCount: Int?, _ generator: inout SeededGenerator) {
        let isLarge = seed % 100 == 50
        let usual =
            isLarge
            ? Int.random(in: 50...60, using: &generator)
            : Int.random(in: 2...8, using: &generator)
        nodeCount = max(2, peerCount ?? usual)
        let topologies: [Topology] =
            switch nodeCount {
            case ...4: Topology.allCases
            case ...8: [.star, .star, .chain, .hubs, .ring, .mesh, .mesh]
            default: [.star, .hubs]
            }
        usesFiles = seed % 12 == 7 && nodeCount <= 8
        topology = topologies.randomElement(using: &generator) ?? .star
        if !topology.hasCycles, Int.random(in: 0..<6, using: &generator) == 0 {
            flow = Bool.random(using: &generator) ? .up : .down
        }
    }

    private mutating func drawLinks(_ generator: inout SeededGenerator) {
        let allContinuous = Int.random(in: 0..<3, using: &generator) > 0
        for (active, passive) in topology.pairs(nodeCount) {
            var link = LinkPlan(active: active, passive: passive)
            link.isContinuous = allContinuous || Bool.random(using: &generator)
            link.usesDeltas = Bool.random(using: &generator)
            links.append(link)
        }
        // A client at the edge may pull only some documents.
        if flow == .both, !topology.hasCycles, Int.random(in: 0..<4, using: &generator) == 0 {
            let edge = links.indices.filter { isLeaf(links[$0].active) }
            if let index = edge.randomElement(using: &generator) {
                links[index].documentIDs = (0..<4).map { DocumentName.shared($0) }
            }
        }
        for text in ["notes", "inventory.items"].prefix(Int.random(in: 0...2, using: &generator)) {
            if let path = CollectionPath(text) { collections.append(path) }
        }
    }

    /// Draws who has indexes; with separate randomness, so that the rest of the seed stays the same.
    private mutating func drawIndexes() {
        var generator = SeededGenerator(seed: seed &* 0x2545_F491 &+ 29)
        indexedNodes = Set(
            (0..<nodeCount).filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        )
        limits.gatheringTime = .milliseconds(Int.random(in: 1...5_000, using: &generator))
        if Bool.random(using: &generator) {
            limits.gatheredRevisionsCount = Int.random(in: 2...20, using: &generator)
        }
    }

    /// Draws when each node is upgraded; with separate randomness, so that the rest of the seed stays the same.
    private mutating func planUpgrades() {
        var generator = SeededGenerator(seed: seed &* 0x5851_F42D &+ 5)
        let end = Int((actions.last?.time ?? .zero).milliseconds)
        for node in 0..<nodeCount {
            let isFirst = Int.random(in: 0..<5, using: &generator) == 0
            let time = isFirst ? 0 : Int.random(in: 0...max(1, end), using: &generator)
            actions.append(
                PlannedAction(
                    number: 10_000 + node,
                    time: .milliseconds(time),
                    action: .upgrade(node: node)
                )
            )
        }
        actions.sort { ($0.time, $0.number) < ($1.time, $1.number) }
    }

    /// Whether any node may edit any document.
    var hasConflicts: Bool { flow == .both }

    /// Frames after which a run is considered endless.
    var messageLimit: Int { 8_000 + 4_000 * nodeCount + 10 * documentCount }

    /// Whether the node has only one link, so that no other node depends on it.
    func isLeaf(_ node: Int) -> Bool {
        links.count { $0.active == node || $0.passive == node } == 1
    }

    private mutating func drawNetwork(_ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: conditions = .rough
        case 2:
            conditions.latency = .milliseconds(1) ... .seconds(4)
            conditions.bytesPerSecond = 20_000
            conditions.pieceByteCount = 1...300
            conditions.lifetime = .seconds(2) ... .seconds(40)
        default:
            conditions.lifetime = .seconds(1) ... .seconds(300)
            conditions.losses = SimulatedLoss.allCases.filter { _ in Bool.random(using: &generator)
            }
        }
        conditions.heartbeat = .seconds([30, 300].randomElement(using: &generator) ?? 300)
        corruptedPerMille = [0, 0, 2, 20].randomElement(using: &generator) ?? 0
    }

    private mutating func drawPeers(_ generator: inout SeededGenerator) {
        let common = ResolverKind.allCases.randomElement(using: &generator)
        let isMixed = Bool.random(using: &generator)
        resolvers = (0..<nodeCount).map { _ in
            let any = ResolverKind.allCases.randomElement(using: &generator)
            return (isMixed ? any : common) ?? .default
        }
        if Bool.random(using: &generator) { slowestResolver = .seconds(20) }
        if Int.random(in: 0..<3, using: &generator) == 0 { failingResolverPercentage = 40 }
        guard Int.random(in: 0..<3, using: &generator) == 0 else { return }
        limits.changesCount = Int.random(in: 1...4, using: &generator)
        limits.listsInFlightCount = Int.random(in: 1...2, using: &generator)
        limits.queuedRevisionsCount = Int.random(in: 1...4, using: &generator)
        limits.unansweredRevisionsCount = Int.random(in: 1...3, using: &generator)
        limits.requestedRevisionsCount = Int.random(in: 1...4, using: &generator)
        limits.insertedRevisionsCount = Int.random(in: 1...4, using: &generator)
        limits.unresolvedConflictsCount = Int.random(in: 1...3, using: &generator)
        limits.blobFetchesCount = 1
        limits.rememberedEchoesCount = 2
    }
}
