import DivanRevisions
import DivanSimulation
import DivanTestKit
import DivanTransport

/// Draws what happens in a scenario, and when.
struct ActionPlan {
    let scenario: Scenario
    var generator: SeededGenerator

    private var time: Duration = .zero
    private var actions: [PlannedAction] = []

    init(scenario: Scenario, generator: SeededGenerator) {
        self.scenario = scenario
        self.generator = generator
    }

    /// Some dozens of actions; more if there are more nodes.
    mutating func draw() -> [PlannedAction] {
        let count =
            scenario.nodeCount > 20
            ? min(scenario.nodeCount * 3, 300) : Int.random(in: 20...90, using: &generator)
        let pause = [100, 1_000, 4_000].randomElement(using: &generator) ?? 1_000
        for number in 0..<count {
            time += .milliseconds(Int.random(in: 0...pause, using: &generator))
            guard let action = drawAction(number) else { continue }
            actions.append(PlannedAction(number: number, time: time, action: action))
        }
        return actions
    }

    private mutating func drawAction(_ number: Int) -> Action? {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<58: .save(drawEdit(number))
        case 58..<60:
            // Beyond a tree's depth, a peer that was away sees an unrelated document: a conflict.
            .burst(
                drawEdit(number),
                count: Int.random(in: 5...(scenario.hasConflicts ? 60 : 15), using: &generator)
            )
        case 60..<68: .delete(drawPlace())
        case 68..<70: drawLeafPlace().map { .purge($0) }
        case 70..<72: drawLeafPlace().map { .expire($0, after: drawTime(60)) }
        case 72..<73: .compact(node: drawNode())
        case 73..<77: .cut(node: drawNode(), SimulatedLoss.allCases[drawIndex(3)])
        case 77..<79: .isolate(node: drawNode(), drawTime(60))
        case 79..<81: .closePort(node: drawNode(), drawTime(60))
        case 81..<83: .crash(node: drawNode(), down: drawTime(30))
        case 83..<85: drawDeath()
        case 85..<88: scenario.hasConflicts ? .backUp(node: drawNode()) : nil
        case 88..<91: scenario.hasConflicts ? .restore(node: drawNode(), down: drawTime(10)) : nil
        case 91..<94:
            .breakDisk(
                node: drawNode(),
                DiskFault.allCases[drawIndex(DiskFault.allCases.count)],
                drawTime(20)
            )
        case 94..<95:
            .jump(node: drawNode(), .seconds(Int.random(in: -90_000...90_000, using: &generator)))
        case 95..<97: .restart(link: drawIndex(scenario.links.count), isReset: drawIndex(3) == 0)
        case 97..<98: .decide(node: drawNode(), ResolverKind.allCases[drawIndex(4)])
        default: .audit
        }
    }

    private mutating func drawDeath() -> Action {
        .die(
            node: drawNode(),
            afterCommits: drawIndex(12),
            isBeforeCommit: drawIndex(2) == 0,
            down: drawTime(20)
        )
    }

    private mutating func drawIndex(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }
    private mutating func drawNode() -> Int { drawIndex(scenario.nodeCount) }

    private mutating func drawTime(_ seconds: Int) -> Duration {
        .milliseconds(Int.random(in: 1...(seconds * 1_000), using: &generator))
    }

    private mutating func drawEdit(_ number: Int) -> Action.Edit {
        Action.Edit(
            place: drawPlace(),
            token: "e\(number)",
            field: drawIndex(5),
            blobByteCount: drawIndex(8) == 0 ? Int.random(in: 0...40_000, using: &generator) : nil,
            textByteCount: drawIndex(10) == 0 ? 20_000 : Int.random(in: 0...400, using: &generator)
        )
    }

    /// Where an edit is possible, as the flow permits.
    private mutating func drawPlace() -> Action.Place {
        let node = drawNode()
        let collection = drawIndex(scenario.collections.count)
        let number = drawIndex(scenario.nodeCount > 20 ? 60 : 8)
        let documentID: DocumentID
        if drawIndex(12) == 0 {
            documentID = DocumentName.privately(number % 2, of: node)
        } else {
            switch scenario.flow {
            case .both where scenario.hasConflicts: documentID = DocumentName.shared(number)
            case .both: documentID = DocumentName.owned(number % 4, by: node)
            case .up: documentID = DocumentName.owned(number % 4, by: node)
            case .down:
                return Action.Place(
                    node: 0,
                    collection: collection,
                    documentID: DocumentName.shared(number)
                )
            }
        }
        return Action.Place(node: node, collection: collection, documentID: documentID)
    }

    /// Where a document may be purged without others missing it.
    private mutating func drawLeafPlace() -> Action.Place? {
        let leaves = (0..<scenario.nodeCount).filter { scenario.isLeaf($0) && $0 > 0 }
        guard scenario.flow != .up, let node = leaves.randomElement(using: &generator) else {
            return nil
        }
        return Action.Place(
            node: node,
            collection: drawIndex(scenario.collections.count),
            documentID: DocumentName.shared(drawIndex(8))
        )
    }
}
