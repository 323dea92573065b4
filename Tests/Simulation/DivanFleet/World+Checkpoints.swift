import DivanDatabase
import DivanReplicator
import DivanRevisions

// A checkpoint never claims more than is stored; checked whenever one is saved.
extension World {
    /// Checks the checkpoints that a node, or each node, stores for its replications.
    ///
    /// Skipped in measurements, whose documents exist from the beginning.
    func auditCheckpoints(of number: Int? = nil) {
        guard scenario.documentCount == 0 else { return }
        for connector in connectors where number == nil || connector.plan.active == number {
            let link = connector.plan
            let ends = [nodes[link.active], nodes[link.passive]]
            guard let mine = ends[0].store, let theirs = ends[1].store,
                !ends.contains(where: { restoredNodes.contains($0.number) }),
                // Nothing can be checked while it cannot be read.
                !ends.contains(where: { $0.health.fault != nil || $0.health.isPoisoned })
            else { continue }
            for (index, path) in scenario.collections.enumerated() {
                let id = connector.checkpointID(path, of: mine)
                guard let body = try? mine.localCheckpoint(id) else { continue }
                let checkpoint = Checkpoint(json: body)
                let audit = CheckpointAudit(
                    link: link,
                    collection: index,
                    path: path,
                    mine: mine,
                    theirs: theirs,
                    world: self
                )
                if scenario.flow != .up { audit.checkPulled(checkpoint.remote?.number ?? 0) }
                if scenario.flow != .down { audit.checkPushed(checkpoint) }
            }
        }
    }
}

/// One collection of one link, during a check.
struct CheckpointAudit {
    let link: LinkPlan
    let collection: Int
    let path: CollectionPath
    let mine: Store
    let theirs: Store
    let world: World

    /// Every current revision of the peer up to a sequence is here.
    func checkPulled(_ last: UInt64) {
        for row in rows(of: theirs) where row.sequence <= last && concerns(row, at: link.active) {
            let history = try? mine.read { try $0.revisions(of: row.documentID, in: path) }
            let successors = world.model.successors(of: row.revisionID, of: key(row))
            if let history, isKnown(row, history, successors) { continue }
            recordViolation("claims sequence \(last) of", "and lacks", row)
        }
    }

    /// Every current revision of this node in the set is at the peer, or they have one that we lack, or one that
    /// the pull has yet to bring: what was refused because of it is then examined again.
    func checkPushed(_ checkpoint: Checkpoint) {
        let pulled = checkpoint.remote?.number ?? 0
        for row in rows(of: mine)
        where checkpoint.completed.contains(row.sequence) && concerns(row, at: link.passive) {
            guard !row.flags.contains(.conflicted) else { continue }
            let current = try? theirs.read { reader in
                try reader.document(row.documentID, in: path, includingTombstones: true)
            }
            guard let current else {
                recordViolation("claims to have pushed to", "which lacks", row)
                continue
            }
            if current.revisionID.converted == row.revisionID.converted { continue }
            if world.isOneMerge(key(row), at: link.active, link.passive) { continue }
            let isBehind = try? mine.read { reader in
                try reader.isAncestor(
                    current.revisionID,
                    of: row.revisionID,
                    documentID: row.documentID,
                    in: path
                )
            }
            if isBehind == true, world.scenario.flow == .up || current.sequence <= pulled {
                recordViolation("claims to have pushed to", "which is behind", row)
            }
        }
    }

    private func rows(of store: Store) -> [ChangeRow] {
        (try? store.read { try $0.changes(in: path, after: 0, limit: 1 << 30) }) ?? []
    }

    /// Whether the revision, or one that replaced it, is here.
    private func isKnown(
        _ row: ChangeRow,
        _ history: any RevisionHistory,
        _ successors: Set<RevisionID>
    ) -> Bool {
        if history.current?.id.converted == row.revisionID.converted { return true }
        let ids = successors.union([row.revisionID])
        if ids.contains(where: { history[$0] != nil || World.knows($0, history) }) { return true }
        return world.isOneMerge(key(row), at: link.active, link.passive)
    }

    private func key(_ row: ChangeRow) -> Model.Key {
        Model.Key(collection: collection, documentID: row.documentID)
    }

    /// Whether the receiver should have it: new peers are not sent tombstones.
    private func concerns(_ row: ChangeRow, at receiver: Int) -> Bool {
        let place = Action.Place(
            node: receiver,
            collection: collection,
            documentID: row.documentID
        )
        return link.names(row.documentID) && !DocumentName.isPrivate(row.documentID)
            && !world.model.purged.contains(place) && !row.flags.contains(.tombstone)
    }

    private func recordViolation(_ claim: String, _ finding: String, _ row: ChangeRow) {
        world.recordViolation(
            .checkpointAhead,
            "node \(link.active) \(claim) node \(link.passive), \(finding) \(row.documentID) "
                + "\(row.revisionID.short) of sequence \(row.sequence)"
        )
    }
}
