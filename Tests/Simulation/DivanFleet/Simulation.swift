import DivanReplicator
import DivanSimulation
import DivanTransport

/// One run of a seed: peers and hubs on one thread, faults for a while, and the checks when all
/// have come to rest.
///
/// The same seed, bug and selection give the same run, to the last frame.
public struct Simulation: Sendable {
    /// What determines the run.
    public let seed: UInt64
    /// The bug to include.
    public var bug: SeededBug?
    /// How the nodes name their revisions.
    public var fleet = Fleet.trees
    /// The number of nodes, instead of the one that the seed draws.
    public var peerCount: Int?
    /// Whether all databases are SQLite files on failing disks, and not only those of one seed in twelve.
    public var usesFiles = false
    /// The numbers of the actions that are performed; `nil` means all.
    public var selection: Set<Int>?
    /// Nodes that are left out.
    public var absentNodes: Set<Int> = []
    /// Whether the network is good all the time.
    public var isCalm = false

    /// Creates the run of a seed.
    public init(seed: UInt64, bug: SeededBug? = nil) {
        self.seed = seed
        self.bug = bug
    }

    /// The scenario without what was left out.
    var scenario: Scenario {
        var scenario = Scenario(seed: seed, peerCount: peerCount, fleet: fleet)
        if usesFiles || bug?.needsFiles ?? false { scenario.usesFiles = true }
        if let selection {
            scenario.actions.removeAll { !selection.contains($0.number) }
        }
        scenario.actions.removeAll { $0.action.node.map(absentNodes.contains) ?? false }
        if isCalm {
            scenario.conditions = .init()
            scenario.corruptedPerMille = 0
        }
        return scenario
    }

    /// Runs it.
    ///
    /// - Parameter keepsTrace: Whether the outcome contains the trace's lines.
    /// - Returns: The outcome.
    public func run(keepsTrace: Bool = false) -> Outcome {
        let scenario = scenario
        let world = World(scenario, bug: bug, keepsTrace: keepsTrace)
        world.absentNodes = absentNodes
        world.begin()
        for planned in scenario.actions {
            world.loop.run(until: planned.time)
            world.perform(planned)
        }
        world.loop.run(until: scenario.duration)
        world.runUntilQuiet()
        let outcome = Outcome(world, self)
        world.end()
        return outcome
    }
}

/// The outcome of a run.
public struct Outcome: Sendable {
    /// The run.
    public let simulation: Simulation
    /// Promises that were broken; empty in a good run.
    public let violations: [Violation]
    /// A hash of all that happened.
    public let traceHash: UInt64
    /// What happened, one line each, if requested.
    public let trace: [String]
    /// The network's part.
    public let statistics: Statistics
    /// The scenario in a few lines.
    public let summary: String
    /// Acknowledged edits.
    public let editCount: Int
    /// Conflicts that were resolved.
    public let resolutionCount: Int
    /// For each document in conflict when the faults ended: revisions sent until all had the same.
    public let messagesPerConflict: [Int]
    /// Elapsed virtual time.
    public let duration: Duration

    init(_ world: World, _ simulation: Simulation) {
        self.simulation = simulation
        violations = world.violations
        traceHash = world.trace.hash
        trace = world.trace.lines
        statistics = world.statistics
        summary = world.scenario.summary
        editCount = world.model.editCount
        resolutionCount = world.model.resolutionCount
        messagesPerConflict = world.turns.messagesPerConflict
        duration = world.loop.now
    }
}

extension Scenario {
    /// A few lines for people.
    var summary: String {
        let links = links.map { link in
            "\(link.active)→\(link.passive)" + (link.isContinuous ? "" : " one-shot")
                + (link.documentIDs.isEmpty ? "" : " some documents")
        }
        return """
            seed \(seed): \(fleet.rawValue), \(topology.rawValue) of \(nodeCount), flow \(flow.rawValue), \
            \(collections.count) collections, \(actions.count) actions\
            \(usesFiles ? ", SQLite" : "")
            links: \(links.prefix(12).joined(separator: ", "))\(links.count > 12 ? " …" : "")
            resolvers: \(Set(resolvers.map(\.rawValue)).sorted().joined(separator: ", "))\
            \(slowestResolver > .zero ? ", slow" : "")\
            \(failingResolverPercentage > 0 ? ", failing" : "")
            network: latency \(conditions.latency), lifetime \
            \(conditions.lifetime.map { "\($0)" } ?? "for ever"), damage \
            \(corruptedPerMille)/1000, lists of \(limits.changesCount)
            """
    }
}
