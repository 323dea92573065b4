import DivanReplicator
import DivanSimulation
import DivanTransport

/// One run of a seed: peers and hubs on one thread, faults for a while, and the checks when all
/// have come to rest.
///
/// The same seed, bug and selection give the same run, to the last frame.
public struct Simulation: Sendable {
    /// What decides about the run.
    public let seed: UInt64
    /// The mistake to make.
    public var bug: SeededBug?
    /// How the nodes name their revisions.
    public var fleet = Fleet.trees
    /// How many nodes there are, in place of the number that the seed draws.
    public var peerCount: Int?
    /// Whether all databases are SQLite files on disks that fail, and not one seed's of twelve.
    public var usesFiles = false
    /// The numbers of the actions that are carried out; `nil` means all.
    public var selection: Set<Int>?
    /// Nodes that are not there.
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
    /// - Parameter keepsTrace: Whether the outcome has the trace's lines.
    /// - Returns: What it showed.
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
        world.comeToRest()
        let outcome = Outcome(world, self)
        world.end()
        return outcome
    }
}

/// What a run showed.
public struct Outcome: Sendable {
    /// The run.
    public let simulation: Simulation
    /// Promises that were not kept; empty in a good run.
    public let violations: [Violation]
    /// A hash over all that happened.
    public let traceHash: UInt64
    /// What happened, a line each, if that was asked for.
    public let trace: [String]
    /// The network's part.
    public let statistics: Statistics
    /// The scenario in a few lines.
    public let summary: String
    /// Edits that were acknowledged.
    public let editCount: Int
    /// Conflicts that were decided.
    public let resolutionCount: Int
    /// Of each document that was in conflict when the faults ended: revisions sent until all had one.
    public let messagesPerConflict: [Int]
    /// Virtual time that passed.
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
