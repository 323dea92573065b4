import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanTransport

// From the end of the faults to the last check.
extension World {
    /// How many rounds the world may run before it must be up to date.
    private static let roundLimit = 120

    /// Ends all faults, runs until nothing changes, and checks the result.
    func runUntilQuiet() {
        endFaults()
        healPurges()
        guard settle() else {
            guard !hasGivenUp else { return }
            let left = differences(in: holdings())
            for violation in left.prefix(5) { recordViolation(violation.kind, violation.text) }
            for text in unfinished() { recordViolation(.unfinished, text) }
            if left.isEmpty, violations.isEmpty { recordViolation(.restless, activities()) }
            return auditEnd(isLevel: false)
        }
        restoredNodes = []
        auditCheckpoints()
        auditRest()
        auditEnd(isLevel: true)
    }

    /// Runs until all peers rest and are equal; replications that have ended run once more in
    /// each round, as a change may have to pass several peers.
    private func settle() -> Bool {
        for _ in 0..<Self.roundLimit where !hasGivenUp {
            loop.run(for: .seconds(20))
            guard connectors.allSatisfy(\.isResting) else { continue }
            if differences(in: holdings()).isEmpty, unfinished().isEmpty, isQuiet() { return true }
            for connector in connectors { connector.start() }
        }
        return false
    }

    /// Whether every replication ran once more without effect.
    private func isQuiet() -> Bool {
        let before = holdings()
        for connector in connectors { connector.start() }
        loop.run(for: .seconds(20))
        return connectors.allSatisfy(\.isResting) && holdings() == before
    }

    private func activities() -> String {
        connectors.filter { !$0.isResting }
            .map { "link \($0.index) \(String(describing: $0.status?.activity))" }
            .joined(separator: ", ")
    }

    /// Unresolved conflicts, and documents that were not pushed.
    private func unfinished() -> [String] {
        var found: [String] = []
        for connector in connectors where isPresent(connector.plan) {
            guard let store = nodes[connector.plan.active].store else { continue }
            let pending = PendingDocuments(store: store, options: connector.options)
            for path in scenario.collections {
                if scenario.flow != .up {
                    let conflicts = (try? store.read { try $0.conflicts(in: path) }) ?? []
                    found += conflicts.map {
                        "node \(connector.plan.active): \(path)/\($0) is in conflict: "
                            + ends(of: $0, in: path, store)
                    }
                }
                guard connector.options.pushes, let ids = try? pending.documentIDs(in: path)
                else { continue }
                found += ids.sorted().map { id in
                    "link \(connector.index): \(id) is not pushed, \(mark(of: id, in: path, connector))"
                }
            }
        }
        return found
    }

    /// The current revision of a document and the other leaves.
    private func ends(of id: DocumentID, in path: CollectionPath, _ store: Store) -> String {
        let history = try? store.read { try $0.revisions(of: id, in: path) }
        guard let tree = history as? RevisionTree else {
            let known = (history as? VectorHistory)?.known ?? []
            return known.map { $0.mixed.description }.joined(separator: " | ")
        }
        return tree.leaves.map { leaf in
            let marks: [(RevisionFlags, String)] = [
                (.tombstone, "†"), (.conflict, " in conflict"), (.closed, " closed"),
            ]
            return leaf.id.short
                + marks.filter { leaf.flags.contains($0.0) }.map(\.1).joined()
        }
        .joined(separator: ", ")
    }

    /// What is current at the active end of a link, and what it knows about the other one.
    private func mark(of id: DocumentID, in path: CollectionPath, _ connector: Connector) -> String
    {
        guard let store = nodes[connector.plan.active].store,
            let remote = try? store.remoteID(for: connector.options.remoteIdentity),
            let history = try? store.read({ try $0.revisions(of: id, in: path) })
        else { return "nothing known" }
        return "\(history.current?.id.short ?? "–") here and "
            + "\(history.latest(at: remote)?.short ?? "–") there"
    }

    // MARK: Checks at rest

    /// At rest no node sends anything.
    private func auditRest() {
        let before = statistics.messageCount
        loop.run(for: .seconds(600))
        let count = statistics.messageCount - before
        if count > 0 {
            recordViolation(.restless, "\(count) frames in ten minutes without a change")
        }
    }

    private func auditEnd(isLevel: Bool) {
        auditTurns()
        for text in model.wrongDecisions.prefix(3) { recordViolation(.wrongWinner, text) }
        let holdings = holdings()
        for (key, byNode) in holdings.sorted(by: { $0.key < $1.key }) {
            auditPlaces(key, byNode)
            auditBodies(key, byNode)
            if isLevel, !DocumentName.isPrivate(key.documentID) { auditEdits(key, byNode) }
        }
        if isLevel {
            for key in model.revisions.keys.sorted() where holdings[key] == nil {
                auditEdits(key, [:])
            }
        }
        for key in model.resolutionCounts.keys.sorted() {
            let (count, edits) = (model.resolutionCounts[key] ?? 0, model.editCounts[key] ?? 0)
            // Each edit can meet each peer's once, and be requested again while it changes.
            let bound = 20 + 6 * edits * scenario.nodeCount
            guard count > bound else { continue }
            recordViolation(.pingPong, "\(key): \(count) resolutions after \(edits) edits")
        }
    }

    /// A private document exists only at its own node.
    private func auditPlaces(_ key: Model.Key, _ byNode: [Int: Holding]) {
        guard DocumentName.isPrivate(key.documentID) else { return }
        let strangers = byNode.keys.sorted().filter {
            $0 != DocumentName.owner(of: key.documentID)
        }
        guard !strangers.isEmpty else { return }
        recordViolation(.filterIgnored, "\(key) is at \(strangers)")
    }
}

extension Model.Key: Comparable, CustomStringConvertible {
    static func < (left: Self, right: Self) -> Bool {
        (left.collection, left.documentID) < (right.collection, right.documentID)
    }

    var description: String { "\(collection)/\(documentID)" }
}
