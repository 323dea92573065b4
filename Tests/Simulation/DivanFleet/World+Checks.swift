import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanSession

// What must hold while the world is running, and when it has come to rest.
extension World {
    /// A document's current revision at one node.
    struct Holding: Equatable {
        var revisionID: RevisionID
        var flags: DocumentFlags
    }

    /// Every document of every node, by key.
    func holdings() -> [Model.Key: [Int: Holding]] {
        var holdings: [Model.Key: [Int: Holding]] = [:]
        for node in nodes {
            for (index, path) in scenario.collections.enumerated() {
                let rows = try? node.store?.read {
                    try $0.changes(in: path, after: 0, limit: 1 << 30)
                }
                for row in rows ?? [] {
                    let key = Model.Key(collection: index, documentID: row.documentID)
                    holdings[key, default: [:]][node.number] = Holding(
                        revisionID: row.revisionID,
                        flags: row.flags
                    )
                }
            }
        }
        return holdings
    }

    /// Where peers that should be equal are not; empty if all are up to date.
    func differences(in holdings: [Model.Key: [Int: Holding]]) -> [Violation] {
        var found: [Violation] = []
        for (key, byNode) in holdings where !DocumentName.isPrivate(key.documentID) {
            for group in groups(carrying: key) {
                found += difference(key, byNode, in: group)
            }
        }
        return found.sorted { $0.text < $1.text }
    }

    private func difference(
        _ key: Model.Key,
        _ byNode: [Int: Holding],
        in group: [Int]
    ) -> [Violation] {
        let name = "\(key.collection)/\(key.documentID)"
        let revisions = Set(group.compactMap { byNode[$0]?.revisionID.converted })
        guard let first = revisions.first else { return [] }
        let isTombstone = group.contains { byNode[$0]?.flags.contains(.tombstone) == true }
        // Independent tombstones count as equal: it does not matter which of them it was.
        let areTombstones = group.compactMap { byNode[$0] }
            .allSatisfy { $0.flags.contains(.tombstone) }
        guard revisions.count == 1 || areTombstones || areOneMerge(key, group) else {
            let all = group.map { "\($0): \(byNode[$0]?.revisionID.short ?? "–")" }
            return [Violation(.diverged, "\(name) is \(all.joined(separator: ", "))")]
        }
        let missing = group.filter { node in
            let place = Action.Place(
                node: node,
                collection: key.collection,
                documentID: key.documentID
            )
            guard byNode[node] == nil, !model.purged.contains(place) else { return false }
            // A new peer is not told of what was deleted before it connected.
            return !isTombstone || model.seen.contains(place)
        }
        guard !missing.isEmpty else { return [] }
        let kind = isTombstone ? Violation.Kind.tombstoneGone : .diverged
        return [Violation(kind, "\(name) \(first.short) is missing at \(missing)")]
    }

    /// What a node knows about a document's revisions.
    func history(of key: Model.Key, at node: Int) -> (any RevisionHistory)? {
        let path = scenario.collections[key.collection]
        return try? nodes[node].store?.read { try $0.revisions(of: key.documentID, in: path) }
    }

    /// Whether nodes that merged the same to the same body each kept their own ID for it.
    private func areOneMerge(_ key: Model.Key, _ group: [Int]) -> Bool {
        guard let first = group.first else { return false }
        return group.dropFirst().allSatisfy { isOneMerge(key, at: first, $0) }
    }

    /// Whether two nodes merged the same to the same body, and each kept its own ID for it.
    func isOneMerge(_ key: Model.Key, at first: Int, _ second: Int) -> Bool {
        guard let ours = history(of: key, at: first) as? VectorHistory,
            let theirs = history(of: key, at: second) as? VectorHistory,
            let one = ours.known.first, let other = theirs.known.first,
            one.revision.body == other.revision.body,
            one.revision.isTombstone == other.revision.isTombstone
        else { return false }
        if one.revision.id == other.revision.id { return true }
        if one.mixed.vector.isRedundantMerge(of: other.mixed.vector) { return true }
        // A node that has seen the other's merge may have forgotten what its own merged.
        return model.mergedAlike(one.revision.id, other.revision.id, of: key)
    }

    /// The nodes between which a document is replicated, in groups that must agree on it.
    func groups(carrying key: Model.Key) -> [[Int]] {
        var leader = Array(0..<scenario.nodeCount)
        func find(_ node: Int) -> Int {
            var node = node
            while leader[node] != node { node = leader[node] }
            return node
        }
        if scenario.flow == .up { return [ownersPath(key.documentID)] }
        for link in scenario.links where link.names(key.documentID) && isPresent(link) {
            leader[find(link.active)] = find(link.passive)
        }
        let present = (0..<scenario.nodeCount).filter { !absentNodes.contains($0) }
        let byLeader = Dictionary(grouping: present, by: find)
        return byLeader.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Whether both ends of a link take part in this run.
    func isPresent(_ link: LinkPlan) -> Bool {
        !absentNodes.contains(link.active) && !absentNodes.contains(link.passive)
    }

    /// The path of an owned document: from its owner to the last passive node.
    private func ownersPath(_ documentID: DocumentID) -> [Int] {
        var path = [DocumentName.owner(of: documentID) ?? 0]
        while let link = scenario.links.first(where: { $0.active == path[path.count - 1] }),
            isPresent(link)
        {
            path.append(link.passive)
        }
        return path
    }
}

extension RevisionID {
    /// The version that a tree ID becomes when it wins over one: both identify one revision.
    var converted: RevisionID { Version(converting: self).map { RevisionID($0) } ?? self }
}
