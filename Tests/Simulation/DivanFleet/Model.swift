import DivanConflicts
import DivanRevisions
import DivanSimulation

/// What every node did, recorded during the run: the oracle of the checks at its end.
///
/// On the loop only.
final class Model {
    /// A document, at any node.
    struct Key: Hashable {
        var collection: Int
        var documentID: DocumentID
    }

    /// A revision that a node made.
    struct Revision {
        var parent: RevisionID?
        var body: [UInt8]
        var isTombstone: Bool
        var node: Int
        var time: Duration
        /// Whether the store reported that it is saved.
        var isAcknowledged = false
        /// Whether it may be lost: its node purged the document or was restored from a copy.
        var isExcused = false
    }

    private(set) var revisions: [Key: [RevisionID: Revision]] = [:]
    /// What replaced a revision: its children, and the outcomes of conflicts it lost.
    private(set) var successors: [Key: [RevisionID: Set<RevisionID>]] = [:]
    private(set) var resolutionCounts: [Key: Int] = [:]
    private(set) var editCounts: [Key: Int] = [:]
    /// Documents that a node purged, and may lack from then on.
    private(set) var purged: Set<Action.Place> = []
    /// Documents that a node had at some time.
    private(set) var seen: Set<Action.Place> = []
    private(set) var wrongDecisions: [String] = []
    /// Merges that a resolver requested and that have not been seen yet.
    private var awaitedMerges: [Action.Place: [Awaited]] = [:]
    /// What a merge claims to have merged, as long as it does so: it may forget.
    private var merged: [Key: [RevisionID: Set<Set<Version>>]] = [:]
    /// Where a document is deleted, and the IDs of the revision that deleted it.
    private var tombstones: [Action.Place: [RevisionID]] = [:]
    /// What each version has seen.
    var seenVersions = SeenVersions()
    private(set) var editCount = 0
    private(set) var resolutionCount = 0

    // MARK: Edits

    /// A save is about to be committed.
    func attempt(_ id: RevisionID, of key: Key, _ revision: Revision) {
        // A save that was undone leaves its ID to the next one after a restart.
        let old = revisions[key]?[id]
        if old.map({ !$0.isAcknowledged && $0.node == revision.node }) ?? true {
            revisions[key, default: [:]][id] = revision
        }
        // Created again by another node, or after it was excused: it counts again.
        revisions[key]?[id]?.isExcused = false
        if let parent = revision.parent { supersede(parent, by: id, of: key) }
        editCounts[key, default: 0] += 1
    }

    /// The save returned.
    func acknowledge(_ id: RevisionID, of key: Key) {
        revisions[key]?[id]?.isAcknowledged = true
        editCount += 1
    }

    private func supersede(_ old: RevisionID, by new: RevisionID, of key: Key) {
        successors[key, default: [:]][old, default: []].insert(new)
    }

    // MARK: Permitted losses

    /// A node purged a document, with whatever it had not pushed.
    func purge(_ place: Action.Place) {
        purged.insert(place)
        tombstones[place] = nil
        excuse(Key(collection: place.collection, documentID: place.documentID)) {
            $0.node == place.node
        }
    }

    /// A node was restored to an earlier state.
    ///
    /// Its own edits since then are lost. So may be those that its peers had delivered: if it has
    /// another revision now, they assume that it changed its decision (`revisions.md` §4, step 5).
    func goBack(_ node: Int) {
        for key in revisions.keys { excuse(key) { _ in true } }
        seen = seen.filter { $0.node != node }
        tombstones = tombstones.filter { $0.key.node != node }
    }

    private func excuse(_ key: Key, where isLost: (Revision) -> Bool) {
        guard let documents = revisions[key] else { return }
        for (id, revision) in documents where isLost(revision) {
            revisions[key]?[id]?.isExcused = true
        }
    }

    /// A node has the document now.
    func note(_ place: Action.Place) { seen.insert(place) }

    /// A node has the document in a restored copy.
    func noteReturned(_ place: Action.Place, tombstone: RevisionID?) {
        seen.insert(place)
        if let tombstone { tombstones[place] = [tombstone] }
    }

    // MARK: Conflicts

    /// A resolver has answered, in a database with this scheme.
    func decide(
        _ resolution: Resolution,
        of conflict: Conflict,
        in key: Key,
        at node: Int,
        namedBy scheme: RevisionScheme,
        _ time: Duration
    ) {
        resolutionCount += 1
        resolutionCounts[key, default: 0] += 1
        let (local, remote) = (conflict.local, conflict.remote)
        if scheme == .vectors {
            let place = Action.Place(
                node: node,
                collection: key.collection,
                documentID: key.documentID
            )
            return decideVectors(resolution, of: conflict, in: key, at: place, time)
        }
        let outcome = add(resolution, of: conflict, in: key, at: node, time)
        supersede(remote.revisionID, by: outcome, of: key)
        supersede(local.revisionID, by: outcome, of: key)
        // The losing branch may be closed with a separate tombstone.
        noteClosing(of: local.revisionID, for: remote.revisionID, in: key, at: node, time)
        guard resolution == .keepLocal else { return }
        // One of our peers abandons its branch, and no revision is created.
        supersede(remote.revisionID, by: local.revisionID, of: key)
        noteClosing(of: remote.revisionID, for: local.revisionID, in: key, at: node, time)
    }

    private func noteClosing(
        of loser: RevisionID,
        for winner: RevisionID,
        in key: Key,
        at node: Int,
        _ time: Duration
    ) {
        let closing = try? RevisionTree.closing(of: loser, for: winner)
        guard let id = closing?.id, revisions[key]?[id] == nil else { return }
        revisions[key, default: [:]][id] = Revision(
            parent: loser,
            body: tombstone,
            isTombstone: true,
            node: node,
            time: time
        )
    }

    /// Records the revision that the answer creates, and returns it.
    private func add(
        _ resolution: Resolution,
        of conflict: Conflict,
        in key: Key,
        at node: Int,
        _ time: Duration
    ) -> RevisionID {
        let (local, remote) = (conflict.local, conflict.remote)
        let (body, isTombstone): ([UInt8], Bool) =
            switch resolution {
            case .keepRemote: ([], false)
            case .keepLocal where local.isTombstone: (tombstone, true)
            case .keepLocal: (local.body, false)
            case .merge(let body, _): (body, false)
            case .delete: (tombstone, true)
            }
        if resolution == .keepRemote || (remote.isTombstone && isTombstone) {
            return remote.revisionID
        }
        return derive(
            from: remote.revisionID,
            body,
            isTombstone: isTombstone,
            in: key,
            at: node,
            time
        )
            ?? remote.revisionID
    }

    @discardableResult
    private func derive(
        from parent: RevisionID,
        _ body: [UInt8],
        isTombstone: Bool,
        in key: Key,
        at node: Int,
        _ time: Duration
    ) -> RevisionID? {
        let id = try? RevisionID.digesting(
            parent: parent,
            isTombstone: isTombstone,
            canonicalBody: body.span
        )
        guard let id else { return nil }
        if revisions[key]?[id] == nil {
            revisions[key, default: [:]][id] = Revision(
                parent: parent,
                body: body,
                isTombstone: isTombstone,
                node: node,
                time: time
            )
        }
        return id
    }

    // MARK: Conflicts of version vectors

    /// A revision that a resolver requested, whose ID is not known yet.
    private struct Awaited {
        var body: [UInt8]
        var isTombstone: Bool
        var parents: [RevisionID]
    }

    /// The winning side replaces the other; the ID of a merge is known once it is stored.
    private func decideVectors(
        _ resolution: Resolution,
        of conflict: Conflict,
        in key: Key,
        at place: Action.Place,
        _ time: Duration
    ) {
        let (local, remote) = (conflict.local, conflict.remote)
        let sides = [local, remote]
        var awaited: (body: [UInt8], isTombstone: Bool)?
        switch resolution {
        case _ where sides.allSatisfy(\.isTombstone):
            supersede(local.revisionID, by: remote.revisionID, of: key)
        case .keepLocal:
            supersede(remote.revisionID, by: local.revisionID, of: key)
            awaited = (local.isTombstone ? tombstone : local.body, local.isTombstone)
        case .keepRemote:
            supersede(local.revisionID, by: remote.revisionID, of: key)
            awaited = (remote.isTombstone ? tombstone : remote.body, remote.isTombstone)
        case .merge(let body, _):
            awaited = (body, false)
            for side in sides where side.body == body && !side.isTombstone {
                for other in sides { supersede(other.revisionID, by: side.revisionID, of: key) }
            }
        case .delete:
            awaited = (tombstone, true)
            for side in sides where side.isTombstone {
                for other in sides { supersede(other.revisionID, by: side.revisionID, of: key) }
            }
        }
        guard let awaited else { return }
        awaitedMerges[place, default: []].append(
            Awaited(
                body: awaited.body,
                isTombstone: awaited.isTombstone,
                parents: sides.map(\.revisionID)
            )
        )
    }

    /// Whether a resolver requested something at a place.
    func awaitsMerge(at place: Action.Place) -> Bool { awaitedMerges[place] != nil }

    /// A revision is current where a resolver had requested one.
    func noteMerge(_ revision: HistoryRevision, at place: Action.Place, _ time: Duration) {
        let key = Key(collection: place.collection, documentID: place.documentID)
        for awaited in awaitedMerges[place] ?? []
        where awaited.isTombstone == revision.isTombstone && awaited.body == revision.body {
            for parent in awaited.parents where parent != revision.id {
                supersede(parent, by: revision.id, of: key)
            }
            guard revisions[key]?[revision.id] == nil else { continue }
            revisions[key, default: [:]][revision.id] = Revision(
                parent: awaited.parents[0],
                body: awaited.body,
                isTombstone: awaited.isTombstone,
                node: place.node,
                time: time
            )
        }
    }

    /// A merge is current somewhere, and reports what it merged.
    func noteMerged(_ versions: Set<Version>, by id: RevisionID, of key: Key) {
        merged[key, default: [:]][id, default: []].insert(versions)
    }

    /// Whether two merges ever reported that they merged the same.
    func mergedAlike(_ first: RevisionID, _ second: RevisionID, of key: Key) -> Bool {
        guard let one = merged[key]?[first], let other = merged[key]?[second] else { return false }
        return !one.isDisjoint(with: other)
    }

    /// Whether the document is deleted there.
    func isDeleted(at place: Action.Place) -> Bool { tombstones[place] != nil }

    /// A revision is current at a place, under these IDs; one that is unrelated to the previous tombstone
    /// recreates the document, and replaces the tombstone.
    ///
    /// An edit of what was deleted does not: unless a resolver let it win, the deletion is lost.
    func noteTombstone(_ isTombstone: Bool, named names: [RevisionID], at place: Action.Place) {
        let key = Key(collection: place.collection, documentID: place.documentID)
        guard !isTombstone else {
            tombstones[place] = names
            return
        }
        guard let deletion = tombstones.removeValue(forKey: place),
            !areRelated(deletion, names, in: key)
        else { return }
        for old in deletion {
            for name in names { supersede(old, by: name, of: key) }
        }
    }

    /// Whether one of two revisions led to the other, or one led to both; each may have several IDs.
    private func areRelated(_ first: [RevisionID], _ second: [RevisionID], in key: Key) -> Bool {
        let (one, other) = (Set(first.map(\.converted)), Set(second.map(\.converted)))
        let origins = Set((successors[key] ?? [:]).keys).union(first).union(second)
        return origins.contains { origin in
            let reached = Set(successors(of: origin, of: key).map(\.converted))
                .union([origin.converted])
            return !reached.isDisjoint(with: one) && !reached.isDisjoint(with: other)
        }
    }

    /// Whether a node created a revision with this body, or requested one.
    func hasBody(_ body: [UInt8], _ isTombstone: Bool, _ key: Key) -> Bool {
        let made = revisions[key]?.values.contains {
            $0.isTombstone == isTombstone && $0.body == body
        }
        if made == true { return true }
        return awaitedMerges.contains { place, list in
            place.collection == key.collection && place.documentID == key.documentID
                && list.contains { $0.isTombstone == isTombstone && $0.body == body }
        }
    }

    /// A conflict was resolved against the rule.
    func recordViolation(_ text: String) { wrongDecisions.append(text) }
}

private let tombstone = Array("{}".utf8)

// MARK: Consequences

extension Model {
    /// Everything that replaced a revision, directly or indirectly.
    func successors(of id: RevisionID, of key: Key) -> Set<RevisionID> {
        var found: Set<RevisionID> = []
        var open = [id]
        while let next = open.popLast() {
            for successor in successors[key]?[next] ?? [] where found.insert(successor).inserted {
                open.append(successor)
            }
        }
        return found
    }
}
