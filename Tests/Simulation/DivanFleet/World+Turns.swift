import DivanDatabase
import DivanRevisions

/// How the open conflicts of a run come to rest once nothing fails any more: who changes its decision how
/// often, and what that costs on the wire.
///
/// On the loop only.
struct Turns {
    /// The current revision of each document at each node, as last seen.
    fileprivate var current: [Action.Place: RevisionID] = [:]
    /// How often it was replaced by one that does not descend from it.
    fileprivate var moveCounts: [Action.Place: Int] = [:]
    /// Revisions that were current, or waiting, anywhere.
    fileprivate var revisions: [Model.Key: Set<RevisionID>] = [:]
    /// Messages `rev` on the wire.
    private(set) var messageCounts: [Model.Key: Int] = [:]
    /// Documents that were not equal everywhere, or in conflict, when the faults ended.
    fileprivate(set) var conflicts: Set<Model.Key> = []

    /// A revision of a document is transferred.
    mutating func noteMessage(_ key: Model.Key) { messageCounts[key, default: 0] += 1 }

    /// Messages of each document that was in conflict.
    var messagesPerConflict: [Int] { conflicts.map { messageCounts[$0] ?? 0 } }
}

extension World {
    /// Records the documents of each node when the faults end.
    func beginTurns() {
        for node in nodes {
            guard let store = node.store else { continue }
            for (index, path) in scenario.collections.enumerated() {
                let rows = try? store.read { try $0.changes(in: path, after: 0, limit: 1 << 30) }
                for row in rows ?? [] {
                    let key = Model.Key(collection: index, documentID: row.documentID)
                    let place = Action.Place(
                        node: node.number,
                        collection: index,
                        documentID: row.documentID
                    )
                    turns.current[place] = row.revisionID
                    let history = try? store.read { try $0.revisions(of: row.documentID, in: path) }
                    let tree = history as? RevisionTree
                    let waiting = tree?.leaves.filter { !$0.flags.contains(.closed) } ?? []
                    let rival = history?.conflict?.remote.id
                    let open = Set(waiting.map(\.id)).union([row.revisionID])
                        .union(rival.map { [$0] } ?? [])
                    turns.revisions[key, default: []].formUnion(open)
                }
            }
        }
        turns.conflicts = Set(turns.revisions.filter { isConflict($0.key) }.keys)
    }

    /// Whether there is a revision that is not an ancestor of another one.
    private func isConflict(_ key: Model.Key) -> Bool {
        guard !DocumentName.isPrivate(key.documentID) else { return false }
        let open = turns.revisions[key] ?? []
        let made = model.revisions[key] ?? [:]
        var inner: Set<RevisionID> = []
        for id in open {
            var next = made[id]?.parent
            while let ancestor = next, inner.insert(ancestor).inserted {
                next = made[ancestor]?.parent
            }
        }
        return open.subtracting(inner).count > 1
    }

    /// A document changed at a node.
    func noteTurn(at place: Action.Place) {
        let key = Model.Key(collection: place.collection, documentID: place.documentID)
        guard let history = history(of: key, at: place.node), let new = history.current?.id else {
            return
        }
        turns.revisions[key, default: []].insert(new)
        let old = turns.current.updateValue(new, forKey: place)
        guard let old, old != new, !history.isAncestor(old, of: new) else { return }
        turns.moveCounts[place, default: 0] += 1
    }

    /// No peer changed its decision more often than the potential of `Precedence` permits, no tree has more
    /// leaves than there were revisions, and a conflict does not flood the wire.
    func auditTurns() {
        for (place, count) in turns.moveCounts.sorted(by: {
            $0.key.description < $1.key.description
        }) {
            let key = Model.Key(collection: place.collection, documentID: place.documentID)
            let revisionCount = turns.revisions[key]?.count ?? 0
            guard count > revisionCount * (revisionCount + 1) else { continue }
            recordViolation(.turning, "\(place): \(count) turns between \(revisionCount) revisions")
        }
        for key in turns.conflicts.sorted() {
            let revisionCount = turns.revisions[key]?.count ?? 0
            let bound = 20 + 6 * scenario.links.count * revisionCount
            let count = turns.messageCounts[key] ?? 0
            if count > bound {
                recordViolation(
                    .turning,
                    "\(key): \(count) messages for \(revisionCount) revisions"
                )
            }
            for node in nodes {
                let path = scenario.collections[key.collection]
                let tree = try? node.store?.read { try $0.tree(of: key.documentID, in: path) }
                guard let leaves = tree?.leaves.count else { continue }
                let madeCount = model.revisions[key]?.count ?? 0
                guard leaves > madeCount + 1 else { continue }
                recordViolation(.turning, "\(key): \(leaves) branches of \(madeCount) revisions")
            }
        }
    }
}
