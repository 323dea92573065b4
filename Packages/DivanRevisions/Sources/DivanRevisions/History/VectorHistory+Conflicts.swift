extension VectorHistory {
    /// Whether a revision waits for a resolver.
    public var isConflicted: Bool { entries.contains { $0.isConflict } }

    /// The current revision and the first that waits.
    public var conflict: (local: HistoryRevision, remote: HistoryRevision)? {
        guard let local = entries.first, let remote = entries.first(where: \.isConflict) else {
            return nil
        }
        return (local.revision, remote.revision)
    }

    /// Ends a conflict.
    ///
    /// A side that wins unchanged stays the revision that it is, and knows the other from then on; a new
    /// body is a new revision that merged both. Two tombstones need no new one.
    ///
    /// - Throws: `notALeaf` when one of the two is not what it was.
    ///
    /// Source: `version-vectors.md` §6.
    public mutating func end(
        _ conflict: (local: RevisionID, remote: RevisionID),
        as decision: HistoryDecision,
        closesRemote: Bool,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> RevisionID {
        guard let local = entries.first, local.id == conflict.local else {
            throw .notALeaf(conflict.local)
        }
        guard let remote = entries.first(where: { $0.id == conflict.remote && $0.isConflict })
        else {
            throw .notALeaf(conflict.remote)
        }
        let outcome =
            switch winner(local, remote, decision) {
            case .local: try win(local, over: remote, isLocal: true, by: &author)
            case .remote: try win(remote, over: local, isLocal: false, by: &author)
            case .neither(let flags, let body):
                try merge(local, remote, flags: flags, body: body, by: &author)
            }
        makeCurrent(outcome)
        settle(unchangedRetention)
        return outcome.id
    }

    private enum Winner {
        case local, remote
        case neither(RevisionFlags, body: [UInt8])
    }

    private func winner(_ local: Entry, _ remote: Entry, _ decision: HistoryDecision) -> Winner {
        if local.revision.isTombstone, remote.revision.isTombstone { return .remote }
        switch decision {
        case .keepLocal: return .local
        case .keepRemote: return .remote
        case .delete where local.revision.isTombstone: return .local
        case .delete where remote.revision.isTombstone: return .remote
        case .delete: return .neither(.tombstone, body: Array("{}".utf8))
        case .merge(let body, _) where remote.revision.body == body && !remote.revision.isTombstone:
            return .remote
        case .merge(let body, _) where local.revision.body == body && !local.revision.isTombstone:
            return .local
        case .merge(let body, let hasBlobs): return .neither(hasBlobs ? .hasBlobs : [], body: body)
        }
    }

    /// One side stays as it is and knows the other.
    private func win(
        _ winner: Entry,
        over loser: Entry,
        isLocal: Bool,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> Entry {
        guard winner.revision.body != nil else { throw .bodyMissing(winner.id) }
        let legacy = (isLocal ? loser : winner).mixed.legacy
        let vector: VersionVector
        switch (winner.mixed.isLegacy, loser.mixed.isLegacy) {
        case (false, false):
            vector = winner.mixed.vector.winning(over: loser.mixed.vector)
        case (_, true) where !isLocal:
            // Taken as it is: there is nothing of ours that its holders would have to know.
            return renewed(winner, winner.mixed)
        default:
            let (first, second) = (winner.mixed.converted, loser.mixed.converted)
            guard let first, let second,
                first.current?.source != second.current?.source || first.order(to: second) == .newer
            else {
                let base = loser.mixed.converted ?? VersionVector()
                let time = try author.time(after: base)
                let mixed = MixedVector(
                    vector: base.saved(by: author.source, at: time),
                    legacy: legacy
                )
                return renewed(winner, mixed)
            }
            vector = first.winning(over: second)
        }
        return renewed(winner, MixedVector(vector: vector, legacy: legacy))
    }

    private func renewed(_ entry: Entry, _ mixed: MixedVector) -> Entry {
        let flags = entry.revision.flags.intersection([.tombstone, .hasBlobs])
        return Entry(mixed, flags: flags, body: entry.revision.body)
    }

    /// A new body over both sides.
    private func merge(
        _ local: Entry,
        _ remote: Entry,
        flags: RevisionFlags,
        body: [UInt8],
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> Entry {
        let (ours, theirs) = (local.mixed.vector, remote.mixed.vector)
        let time = try author.time(after: ours, theirs)
        let vector: VersionVector
        if ours.isEmpty || theirs.isEmpty || ours.current?.source == theirs.current?.source {
            vector = theirs.winning(over: ours).saved(by: author.source, at: time)
        } else {
            do {
                vector = try ours.merged(with: theirs, by: author.source, at: time)
            } catch {
                throw .badVersion(error)
            }
        }
        let mixed = MixedVector(vector: vector, legacy: remote.mixed.legacy)
        return Entry(mixed, flags: flags, body: body)
    }
}

extension MixedVector {
    /// The vector, or that of the converted tree ID; `nil` when its generation is too great.
    fileprivate var converted: VersionVector? {
        guard isLegacy else { return vector }
        return legacy.first.flatMap { Version(converting: $0) }.map { VersionVector($0) }
    }
}
