import DivanBLIP
import DivanCompression
import DivanDatabase
import DivanLog
import DivanRevisions
import DivanSimulation
import DivanTestKit
import DivanTransport
import DivanZlib

/// Everything that exists in one run, on one thread and in virtual time.
///
/// `@unchecked Sendable` holds because the thread that runs the loop does everything.
final class World: @unchecked Sendable {
    let scenario: Scenario
    let bug: SeededBug?
    let loop = VirtualLoop()
    let network: SimulatedNetwork
    let networkChanges = NetworkChanges()
    let model = Model()
    let log = Log(.sync, to: LogRouter())
    let codec: any CompressionCodec = DeflateCodec()
    private(set) var nodes: [Node] = []
    private(set) var connectors: [Connector] = []
    private(set) var trace: Trace
    private(set) var violations: [Violation] = []
    private(set) var statistics = Statistics()
    /// Whether the faults are over.
    private(set) var hasEndedFaults = false
    /// How conflicts come to rest.
    var turns = Turns()
    /// Nodes that were restored and may not have connected to their peers since.
    var restoredNodes: Set<Int> = []

    /// Nodes that are left out of this run.
    var absentNodes: Set<Int> = []

    private(set) var hasGivenUp = false
    private var generator: SeededGenerator

    init(_ scenario: Scenario, bug: SeededBug?, keepsTrace: Bool) {
        self.scenario = scenario
        self.bug = bug
        trace = Trace(keepsLines: keepsTrace)
        generator = SeededGenerator(seed: scenario.seed ^ 0x5EED)
        network = SimulatedNetwork(
            loop: loop,
            random: SeededGenerator(seed: scenario.seed ^ 0xDEC0DE),
            conditions: scenario.conditions
        )
        network.onEvent = { [unowned self] in happened($0) }
        nodes = (0..<scenario.nodeCount).map { Node(number: $0, world: self) }
        connectors = scenario.links.enumerated().map {
            Connector(index: $0.offset, plan: $0.element, world: self)
        }
    }

    deinit {
        network.onEvent = nil
    }

    // MARK: Recording

    func note(_ text: @autoclosure () -> String) { trace.add(loop.now, text()) }

    /// Adds facts to the trace's hash.
    func count(_ numbers: Int...) {
        for number in numbers { trace.add(number) }
    }

    func recordViolation(_ kind: Violation.Kind, _ text: String) {
        guard violations.count < 20 else { return }
        note("VIOLATION \(kind.rawValue): \(text)")
        violations.append(Violation(kind, text))
    }

    func countRevision(_ request: BLIPIncomingRequest, isPush: Bool) {
        statistics.revisionCount += 1
        if hasEndedFaults, let documentID = request.properties["id"] {
            // Collections are requested in the order of the scenario.
            let collection = request.properties["collection"].flatMap { Int($0) } ?? 0
            turns.noteMessage(
                Model.Key(
                    collection: collection,
                    documentID: DocumentID(unchecked: documentID)
                )
            )
        }
        if request.properties["deltaSrc"] != nil { statistics.deltaCount += 1 }
        trace.add(request.body.count, isPush ? 1 : 0)
    }

    func countAction() { statistics.actionCount += 1 }

    private func happened(_ event: SimulatedEvent) {
        trace.add(Int(event.time.milliseconds), event.connection)
        switch event.kind {
        case .opened: statistics.connectionCount += 1
        case .refused: trace.add(1)
        case .delivered(let messageCount, let byteCount, _):
            statistics.messageCount += messageCount
            if statistics.messageCount > scenario.messageLimit { giveUp() }
            trace.add(messageCount, byteCount)
        case .lost: statistics.lossCount += 1
        case .closed(let code, _): trace.add(Int(code))
        }
    }

    /// Ends a run that would never end by itself.
    private func giveUp() {
        guard !hasGivenUp else { return }
        hasGivenUp = true
        recordViolation(.restless, "more than \(scenario.messageLimit) frames")
        loop.execute { [unowned self] in
            for node in nodes { crash(node) }
        }
    }

    // MARK: Drawing

    func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Whether a resolver refuses this time.
    func resolverFails() -> Bool {
        guard !hasEndedFaults, scenario.failingResolverPercentage > 0 else { return false }
        return draw(0...99) < scenario.failingResolverPercentage
    }

    /// Runs a resolver's work on the loop, some time later while resolvers are slow.
    func runResolver(_ work: @escaping @Sendable () -> Void) {
        guard !hasEndedFaults, scenario.slowestResolver > .zero else { return loop.execute(work) }
        let delay = draw(0...Int(scenario.slowestResolver.milliseconds))
        loop.schedule(at: loop.now + .milliseconds(delay), work)
    }

    /// Stores what is batched in a later turn of the loop, like a thread that is slower or faster.
    func runStoring(_ work: @escaping @Sendable () -> Void) {
        guard !hasEndedFaults else { return loop.execute(work) }
        loop.schedule(at: loop.now + .milliseconds(draw(0...40)), work)
    }

    /// Flips one bit in some frames, among the bits that the checksum covers.
    func damage(_ frame: inout [UInt8]) {
        guard !hasEndedFaults, scenario.corruptedPerMille > 0,
            draw(0...999) < scenario.corruptedPerMille,
            let start = Self.checkedStart(of: frame), start < frame.count
        else { return }
        frame[draw(start...(frame.count - 1))] ^= 1 << UInt8(draw(0...7))
        statistics.damageCount += 1
    }

    /// Where the payload of a message's frame begins.
    ///
    /// `nil` for acknowledgements, which have no checksum. Number and flags before it have none either (`blip.md` §3).
    private static func checkedStart(of frame: [UInt8]) -> Int? {
        guard let numberEnd = frame.firstIndex(where: { $0 < 0x80 }), numberEnd + 1 < frame.count,
            frame[numberEnd + 1] & 7 < 3, frame[numberEnd + 1] < 0x80
        else { return nil }
        return numberEnd + 2
    }

    // MARK: The ends of the run

    /// Starts every node and every replication.
    func begin() {
        guard !hasGivenUp else { return }
        for node in nodes where !absentNodes.contains(node.number) { node.start() }
        for connector in connectors { connector.start() }
    }

    /// Ends every node, so that nothing is retained.
    func end() {
        for node in nodes { crash(node) }
        loop.run(for: .seconds(700))
    }

    /// Ends every fault, and restarts every replication.
    func endFaults() {
        hasEndedFaults = true
        network.conditions = SimulatedConditions()
        for node in nodes {
            node.health.fault = nil
            node.health.death = nil
            node.correctClock()
            network.setIsolated(false, host: node.name)
            if scenario.fleet != .trees, !node.usesVectors {
                node.usesVectors = true
                crash(node)
            }
            if node.health.isPoisoned { crash(node) }
            node.listenAgain()
        }
        network.lose(.reset)
        for connector in connectors { connector.stop() }
        // If clocks were corrected, documents may expire a minute later.
        loop.run(for: .seconds(scenario.fleet == .trees ? 60 : 120))
        begin()
        beginTurns()
    }

    /// Ends a node's process with its replications.
    func crash(_ node: Node) {
        for connector in connectors where connector.plan.active == node.number {
            connector.crash()
        }
        node.crash()
    }

    /// Starts a node's process with its replications.
    func restart(_ node: Node) {
        guard !hasGivenUp else { return }
        node.start()
        for connector in connectors where connector.plan.active == node.number {
            connector.start()
        }
    }
}

/// What happened in a run.
public struct Statistics: Equatable, Sendable {
    /// Planned actions that were performed.
    public internal(set) var actionCount = 0
    /// Connections that were established.
    public internal(set) var connectionCount = 0
    /// Connections that were lost.
    public internal(set) var lossCount = 0
    /// Frames that arrived.
    public internal(set) var messageCount = 0
    /// Frames that were damaged.
    public internal(set) var damageCount = 0
    /// Revisions on the wire.
    public internal(set) var revisionCount = 0
    /// Those that were sent as deltas.
    public internal(set) var deltaCount = 0
}
