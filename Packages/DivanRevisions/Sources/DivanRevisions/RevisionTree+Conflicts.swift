extension RevisionTree {
    /// The resolution of a conflict.
    public typealias Decision = HistoryDecision

    /// The two leaves for a resolver: the current one and the first unresolved one that a remote sent; `nil` if
    /// there is none.
    public var conflict: (local: Revision, remote: Revision)? {
        guard revisions.count > 1 else { return nil }
        let leaves = leaves
        let remote = leaves.dropFirst().first {
            $0.flags.contains(.conflict) && !$0.flags.contains(.closed)
        }
        guard let local = leaves.first, let remote else { return nil }
        return (local, remote)
    }

    /// Resolves the conflict between two leaves.
    ///
    /// With any decision the remote's branch continues: the kept local content becomes a new child of the remote
    /// leaf, so that pushing it is not a conflict on the server. Only `keepRemote`, and `delete` of a remote
    /// tombstone, create no revision; the remote leaf then gets a new sequence. Of two tombstones the remote one is
    /// kept.
    ///
    /// - Parameters:
    ///   - local: The leaf that was current at the time of the decision.
    ///   - remote: The other leaf.
    ///   - decision: The resolution.
    ///   - closesRemote: Whether keeping the local side closes the remote's branch with a tombstone instead of
    ///     adding a revision, for a remote that supports this (`closing` of `insertRemote`). Two peers that make
    ///     the same decision then create identical revisions.
    ///   - blinding: As in `RevisionID.digesting`.
    /// - Returns: The resulting revision.
    /// - Throws: `notALeaf` if the document has changed since: read it and decide again; `generationOverflow`;
    ///   `bodyMissing`. The tree is then unchanged.
    ///
    /// Source: `revisions.md` §8.
    @discardableResult
    public mutating func resolve(
        local: RevisionID,
        remote: RevisionID,
        as decision: Decision,
        closesRemote: Bool = false,
        blinding: [UInt8] = []
    ) throws(RevisionError) -> RevisionID {
        guard let loser = self[local], isLeaf(local) else { throw .notALeaf(local) }
        guard let winner = self[remote], isLeaf(remote), local != remote else {
            throw .notALeaf(remote)
        }
        if closesRemote, decision == .keepLocal {
            return try resolve(winner: local, loser: remote, merged: nil)
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
        return try resolve(
            winner: remote,
            loser: local,
            merged: merged(decision, loser, onto: remote, blinding)
        )
    }

    /// The revision that a decision adds to the remote's branch; `nil` when it adds none.
    private func merged(
        _ decision: Decision,
        _ local: Revision,
        onto remote: RevisionID,
        _ blinding: [UInt8]
    ) throws(RevisionError) -> Revision? {
        switch decision {
        case .keepRemote:
            return nil
        case .keepLocal where !local.isTombstone:
            guard let body = local.body else { throw .bodyMissing(local.id) }
            let flags = local.flags.intersection(.hasBlobs)
            return try Self.child(of: remote, flags: flags, body: body, blinding)
        case .merge(let body, let hasBlobs):
            let flags: RevisionFlags = hasBlobs ? .hasBlobs : []
            return try Self.child(of: remote, flags: flags, body: body, blinding)
        case .keepLocal, .delete:
            return try Self.child(of: remote, flags: .tombstone, body: emptyBody, [])
        }
    }

    /// Makes one leaf win over another, which stays as a closed branch.
    ///
    /// Even if no remote is known to have it: it may be in flight to one, which would refuse everything that
    /// follows if it could not be told what became of it.
    ///
    /// - Parameters:
    ///   - winner: The leaf whose branch continues.
    ///   - loser: The other leaf.
    ///   - merged: A new child of the winner, or `nil` to take the winner unchanged.
    /// - Returns: The resulting revision.
    /// - Throws: `generationOverflow`; the tree is then unchanged.
    private mutating func resolve(
        winner: RevisionID,
        loser: RevisionID,
        merged: Revision?
    ) throws(RevisionError) -> RevisionID {
        guard let start = position(of: winner) else { throw .notALeaf(winner) }
        let closing = try Self.closing(of: loser, for: winner)
        clearConflict(from: start)
        if merged == nil { revisions[start].sequence = 0 }
        giveUp(loser, for: winner, closing)
        if let merged, !contains(merged.id) { _ = add([merged], onto: position(of: winner)) }
        settle()
        prune()
        return merged?.id ?? winner
    }

    static func child(
        of parent: RevisionID,
        flags: RevisionFlags,
        body: [UInt8],
        _ blinding: [UInt8]
    ) throws(RevisionError) -> Revision {
        let id = try RevisionID.digesting(
            parent: parent,
            isTombstone: flags.contains(.tombstone),
            canonicalBody: body.span,
            blinding: blinding
        )
        return Revision(id: id, flags: flags, body: body)
    }
}

/// The body of a tombstone (`revisions.md` §9).
private let emptyBody = Array("{}".utf8)
