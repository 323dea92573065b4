extension RevisionTree {
    /// How a conflict ends.
    public enum Decision: Equatable, Sendable {
        /// What the local leaf holds stays.
        case keepLocal
        /// The remote leaf becomes current.
        case keepRemote
        /// A new body becomes current.
        case merge(body: [UInt8], hasBlobs: Bool)
        /// The document is deleted.
        case delete
    }

    /// The two leaves that a resolver should look at: the current one and the first that a remote
    /// sent and that is not resolved; `nil` when there is none such.
    public var conflict: (local: Revision, remote: Revision)? {
        guard revisions.count > 1 else { return nil }
        let leaves = leaves
        let remote = leaves.dropFirst().first {
            $0.flags.contains(.conflict) && !$0.flags.contains(.closed)
        }
        guard let local = leaves.first, let remote else { return nil }
        return (local, remote)
    }

    /// Ends the conflict between two leaves.
    ///
    /// Whatever is decided, the remote's branch goes on: what stays of the local side becomes a
    /// new child of the remote leaf, so that pushing it is no conflict at the server. Only
    /// `keepRemote`, and `delete` of a remote tombstone, make no revision; the remote leaf then
    /// gets a new sequence. Of two tombstones the remote one stays.
    ///
    /// - Parameters:
    ///   - local: The leaf that was current when the decision was made.
    ///   - remote: The other leaf.
    ///   - decision: How it ends.
    /// - Returns: The revision that is the outcome.
    /// - Throws: `notALeaf` when the document has changed since: read it and decide again;
    ///   `generationOverflow`; `bodyMissing`. The tree is then unchanged.
    ///
    /// Source: `revisions.md` §8.
    @discardableResult
    public mutating func resolve(
        local: RevisionID,
        remote: RevisionID,
        as decision: Decision
    ) throws(RevisionError) -> RevisionID {
        guard let loser = self[local], isLeaf(local) else { throw .notALeaf(local) }
        guard let winner = self[remote], isLeaf(remote), local != remote else {
            throw .notALeaf(remote)
        }
        let isDeletion =
            switch decision {
            case .delete: true
            case .keepLocal: loser.isTombstone
            case .keepRemote, .merge: false
            }
        if winner.isTombstone, isDeletion {
            return try resolve(winner: remote, loser: local, merged: nil)
        }
        let merged: Revision?
        switch decision {
        case .keepRemote: merged = nil
        case .keepLocal where !loser.isTombstone:
            guard let body = loser.body else { throw .bodyMissing(local) }
            let flags = loser.flags.intersection(.hasBlobs)
            merged = try Self.child(of: remote, flags: flags, body: body)
        case .merge(let body, let hasBlobs):
            merged = try Self.child(of: remote, flags: hasBlobs ? .hasBlobs : [], body: body)
        case .keepLocal, .delete:
            merged = try Self.child(of: remote, flags: .tombstone, body: emptyBody)
        }
        return try resolve(winner: remote, loser: local, merged: merged)
    }

    /// Makes one leaf win over another, as the tree of Couchbase Lite does it.
    ///
    /// A loser that is a remote's latest is closed with a tombstone, any other is purged.
    ///
    /// - Parameters:
    ///   - winner: The leaf whose branch goes on.
    ///   - loser: The other leaf.
    ///   - merged: A new child of the winner, or `nil` to take the winner as it is.
    /// - Returns: The revision that is the outcome.
    /// - Throws: `generationOverflow`; the tree is then unchanged.
    private mutating func resolve(
        winner: RevisionID,
        loser: RevisionID,
        merged: Revision?
    ) throws(RevisionError) -> RevisionID {
        guard let start = position(of: winner) else { throw .notALeaf(winner) }
        guard let end = position(of: loser) else { throw .notALeaf(loser) }
        let closing: Revision? =
            isMarked(end) && !revisions[end].flags.contains(.closed)
            ? try Self.child(of: loser, flags: [.tombstone, .closed], body: emptyBody) : nil

        let shared = Set(lineage(from: start))
        for position in lineage(from: end).prefix(while: { !shared.contains($0) }) {
            revisions[position].flags.remove(.conflict)
        }
        clearConflict(from: start)
        if merged == nil { revisions[start].sequence = 0 }
        if let closing {
            if !contains(closing.id) { _ = add([closing], onto: end) }
        } else if !isMarked(end) {
            removeBranch(endingAt: end)
        }
        if let merged, !contains(merged.id) { _ = add([merged], onto: position(of: winner)) }
        settle()
        prune()
        return merged?.id ?? winner
    }

    /// The closed branch that hangs on a revision which the current one does not descend from: the
    /// tombstone at its end first, the revision itself last; empty when there is none.
    ///
    /// Source: `revisions.md` §8 (`deleted_branch`).
    public func closedBranch(from id: RevisionID) -> [RevisionID] {
        guard let start = position(of: id), let current = currentPosition,
            !isAncestor(start, of: current)
        else { return [] }
        for leaf in leafPositions
        where leaf != start && revisions[leaf].flags.isSuperset(of: [.closed, .tombstone]) {
            let branch = lineage(from: leaf)
            guard let end = branch.firstIndex(of: start) else { continue }
            return branch[...end].map { revisions[$0].id }
        }
        return []
    }

    private static func child(
        of parent: RevisionID,
        flags: RevisionFlags,
        body: [UInt8]
    ) throws(RevisionError) -> Revision {
        let id = try RevisionID.digesting(
            parent: parent,
            isTombstone: flags.contains(.tombstone),
            canonicalBody: body.span
        )
        return Revision(id: id, flags: flags, body: body)
    }
}

/// The body of a tombstone (`revisions.md` §9).
private let emptyBody = Array("{}".utf8)
