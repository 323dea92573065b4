import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanSimulation
import DivanTransport

// At the end: what is current was created by a node, and no acknowledged edit is lost.
extension World {
    /// Every current revision is one that a node created, byte for byte, with its blobs.
    func auditBodies(_ key: Model.Key, _ byNode: [Int: Holding]) {
        let path = scenario.collections[key.collection]
        for (number, holding) in byNode.sorted(by: { $0.key < $1.key }) {
            let stored = try? nodes[number].store?.read {
                try $0.document(key.documentID, in: path, includingTombstones: true)
            }
            guard let made = model.revisions[key]?[holding.revisionID] else {
                // A side that wins a conflict may get another ID, and keeps its body.
                let isRenamed = stored.map { model.hasBody($0.body, $0.isTombstone, key) } ?? false
                guard holding.revisionID.isVersion, isRenamed else {
                    recordViolation(
                        .invented,
                        "\(key) \(holding.revisionID.short) at node \(number)"
                    )
                    continue
                }
                continue
            }
            guard let stored else { continue }
            if stored.body != made.body || stored.isTombstone != made.isTombstone {
                recordViolation(
                    .invented,
                    "\(key) \(holding.revisionID.short) has another body at node \(number): "
                        + String(decoding: stored.body.prefix(80), as: UTF8.self)
                )
            }
            for digest in (try? BlobReferences.digests(in: stored.body)) ?? [] {
                let content = nodes[number].content(digest)
                guard content.map({ BlobDigest(hashing: $0.span) }) != digest else { continue }
                recordViolation(.blobMissing, "\(key) at node \(number) names \(digest)")
            }
        }
    }

    /// Every acknowledged edit led to what is current now.
    func auditEdits(_ key: Model.Key, _ byNode: [Int: Holding]) {
        var histories: [any RevisionHistory] = []
        var reached = Set(byNode.values.map(\.revisionID))
        var hasTombstone = false
        for number in byNode.keys {
            guard let history = history(of: key, at: number), let current = history.current else {
                continue
            }
            histories.append(history)
            // The ancestors in a tree may have been added by mistake.
            if scenario.fleet != .trees { reached.formUnion(history.names(behind: current.id)) }
            if hasAnyTombstone(history) { hasTombstone = true }
        }
        let made = model.revisions[key] ?? [:]
        for (id, revision) in made.sorted(by: { $0.key < $1.key })
        where revision.isAcknowledged && !revision.isExcused {
            let successors = model.successors(of: id, of: key).union([id])
            if !successors.isDisjoint(with: reached) { continue }
            // One of several tombstones stays, and an excused loss includes its ancestors.
            if successors.contains(where: { made[$0]?.isExcused ?? false }) { continue }
            if hasTombstone, successors.contains(where: { made[$0]?.isTombstone ?? false }) {
                continue
            }
            // A vector contains only the newest version of each source.
            if histories.contains(where: { history in
                successors.contains { Self.knows($0, history) }
            }) {
                continue
            }
            recordViolation(
                .lost,
                "\(key) \(id.short), saved at node \(revision.node) at \(revision.time.clockText); "
                    + "current is \(Set(byNode.values.map(\.revisionID.short)).sorted())"
            )
        }
    }

    private func hasAnyTombstone(_ history: any RevisionHistory) -> Bool {
        if let tree = history as? RevisionTree {
            return tree.revisions.contains(where: \.isTombstone)
        }
        return history.current?.isTombstone ?? false
    }

    /// Whether the current revision is this one, or follows it.
    static func knows(_ id: RevisionID, _ history: any RevisionHistory) -> Bool {
        guard history is VectorHistory, let current = history.current else { return false }
        return current.id == id || history.isAncestor(id, of: current.id)
    }

    /// A document changed at a node: a node saved it, a resolver requested it, its deletion was undone, or it
    /// was received from a peer.
    func noteOutcome(at place: Action.Place, isOwn: Bool) {
        let key = Model.Key(collection: place.collection, documentID: place.documentID)
        guard scenario.fleet != .trees, let history = history(of: key, at: place.node),
            let current = history.current
        else { return }
        let wasDeleted = model.isDeleted(at: place)
        // A tree ID may have been converted on the way.
        let names = history.names(behind: current.id).filter {
            $0.converted == current.id.converted
        }
        model.noteTombstone(current.isTombstone, named: names, at: place)
        if let vector = (history as? VectorHistory)?.currentVector.vector, vector.mergeCount > 0 {
            model.noteMerged(Set(vector.merged), by: current.id, of: key)
        }
        // A converted tree ID is not in the vectors of later revisions.
        if scenario.fleet == .vectors,
            let vector = (history as? VectorHistory)?.currentVector.vector
        {
            // A revision of a deleted document recreates it.
            audit(vector, of: key, at: place.node, isOwn: isOwn || wasDeleted)
        }
        guard model.awaitsMerge(at: place), current.id.isVersion else { return }
        model.noteMerge(current, at: place, loop.now)
    }

    /// What a vector from a peer claims was seen by the node that created the revision, or let it win.
    private func audit(_ vector: VersionVector, of key: Model.Key, at node: Int, isOwn: Bool) {
        guard !isOwn else { return model.seenVersions.add(vector, of: key) }
        let claimed = model.seenVersions.unseen(in: vector, of: key) { [model] one, other in
            model.mergedAlike(RevisionID(one), RevisionID(other), of: key)
        }
        guard let current = vector.current.map({ RevisionID($0) }),
            let claimed = claimed.map({ RevisionID($0) })
        else { return }
        recordViolation(
            .overstated,
            "\(key) \(current.short) at node \(node) claims \(claimed.short)"
        )
    }
}
