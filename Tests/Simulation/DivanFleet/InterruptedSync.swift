import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanTestKit
import DivanTransport

/// A one-way sync of many documents whose connection is lost repeatedly: how much is transferred
/// twice.
public struct InterruptedSync {
    /// The result.
    public struct Outcome: Sendable {
        /// The result in one line.
        public let text: String
        /// Whether everything arrived and at most a twentieth of it twice.
        public let isGood: Bool
    }

    private let documentCount: Int
    private let cutCount: Int

    /// Prepares a sync of `documentCount` documents with `cutCount` lost connections.
    public init(documentCount: Int, cutCount: Int) {
        self.documentCount = documentCount
        self.cutCount = cutCount
    }

    /// Runs it, in both directions one after the other.
    public func run() -> Outcome {
        let (pulled, pushed) = (run(isPush: false), run(isPush: true))
        return Outcome(
            text: "\(pulled.text)\n\(pushed.text)",
            isGood: pulled.isGood && pushed.isGood
        )
    }

    private func run(isPush: Bool) -> Outcome {
        var scenario = Scenario(seed: 1, peerCount: 2)
        scenario.topology = .star
        scenario.links = [LinkPlan(active: 1, passive: 0)]
        scenario.flow = isPush ? .up : .down
        scenario.collections = [.default]
        scenario.conditions = SimulatedConditions()
        scenario.corruptedPerMille = 0
        scenario.limits = ReplicatorLimits()
        scenario.actions = []
        scenario.documentCount = documentCount
        let world = World(scenario, bug: nil, keepsTrace: false)
        world.nodes[0].start()
        world.nodes[1].start()
        fill(world.nodes[isPush ? 1 : 0].store)
        world.connectors[0].start()
        let target = world.nodes[isPush ? 0 : 1].store
        for cut in 1...max(1, cutCount) where cutCount > 0 {
            let goal = documentCount * cut / (cutCount + 1)
            _ = world.loop.run(within: .seconds(3_600)) { Self.count(target) >= goal }
            world.network.lose(SimulatedLoss.allCases[cut % 2])
        }
        _ = world.loop.run(within: .seconds(3_600)) { Self.count(target) >= documentCount }
        let sent = world.statistics.revisionCount
        let twice = sent - documentCount
        let share = Double(twice) / Double(documentCount) * 100
        let text =
            "\(isPush ? "push" : "pull") of \(documentCount) documents, connection lost "
            + "\(world.statistics.lossCount) times: \(Self.count(target)) arrived, \(sent) revisions "
            + "\(isPush ? "sent" : "received"), \(Double(Int(share * 100)) / 100) % of them twice"
        let isGood = Self.count(target) == documentCount && twice * 20 <= documentCount
        world.end()
        return Outcome(text: text, isGood: isGood)
    }

    private func fill(_ store: Store?) {
        for start in stride(from: 0, to: documentCount, by: 1_000) {
            try? store?.write { writer in
                for number in start..<min(start + 1_000, documentCount) {
                    let text = String(repeating: "lorem ipsum ", count: 20)
                    let body = Array("{\"number\":\(number),\"text\":\"\(text)\"}".utf8)
                    _ = try writer.save(
                        DocumentID(unchecked: "own-1-\(number)"),
                        in: .default,
                        body: body
                    )
                }
            }
        }
    }

    private static func count(_ store: Store?) -> Int {
        (try? store?.read { try $0.count(in: .default) }) ?? 0
    }
}
