extension VectorHistory {
    /// Whether a revision waits for a resolver.
    public var isConflicted: Bool { entries.contains { $0.isConflict } }

    /// The current revision and the first conflicting revision.
    public var conflict: (local: HistoryRevision, remote: HistoryRevision)? {
        guard let local = entries.first, let remote = entries.first(where: \.isConflict) else {
            return nil
        }
        return (local.revision, remote.revision)
    }

    /// Resolves a conflict.
    ///
    /// A side that wins unchanged keeps its revision, whose vector then includes the other; a new body is a new
    /// revision that merged both. Two tombstones need no new revision. A local revision that wins against a
    /// tombstone with unknown ancestry becomes a new revision, unless the remote can be told to close its branch.
    ///
    /// - Throws: `notALeaf` if one of the two has changed.
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
            switch winner(local, remote, decision, closesRemote) {
            case .local where !closesRemote && remote.hidesPast(from: local):
                try save(local, over: remote, by: &author)
            case .local:
                try win(local, over: remote, isLocal: true, closesRemote, by: &author)
            case .remote:
                try win(remote, over: local, isLocal: false, closesRemote, by: &author)
            case .neither(let flags, let body):
                try merge(local, remote, flags: flags, body: body, by: &author)
            }
        let count = Entry.deletionCount(
            isTombstone: outcome.revision.isTombstone,
            after: [local, remote]
        )
        makeCurrent(outcome.counting(deletions: count))
        // The conflict is over, even if a peer's name for a converted ID does not show that it knew it.
        if let loser = position(of: conflict.remote) {
            entries[loser].revision.flags.remove(.conflict)
        }
        settle(unchangedRetention)
        return outcome.id
    }

    private enum Winner {
        case local, remote
        case neither(RevisionFlags, body: [UInt8])
    }

    private func winner(
        _ local: Entry,
        _ remote: Entry,
        _ decision: HistoryDecision,
        _ closesRemote: Bool
    ) -> Winner {
        // Other peers keep the remote's of two tombstones; a Divan peer is told of ours.
        if local.revision.isTombstone, remote.revision.isTombstone {
            return closesRemote && decision == .keepLocal ? .local : .remote
        }
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

    /// One side stays unchanged and knows the other.
    private func win(
        _ winner: Entry,
        over loser: Entry,
        isLocal: Bool,
        _ closesRemote: Bool,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> Entry {
        guard winner.revision.body != nil else { throw .bodyMissing(winner.id) }
        if !isLocal, loser.mixed.isLegacy {
            return renewed(winner, Self.remote(winner.mixed, over: loser.mixed))
        }
        let legacy = Self.legacy(of: isLocal ? (winner, loser) : (loser, winner))
        let (first, second) = (winner.mixed.converted, loser.mixed.converted)
        if let first, let second, Self.keepsName(first, over: second) {
            return renewed(winner, MixedVector(vector: first.winning(over: second), legacy: legacy))
        }
        if closesRemote, let kept = Self.keepingTreeID(winner.mixed, over: loser.mixed) {
            return renewed(winner, kept)
        }
        return try save(winner, over: second, legacy: legacy, by: &author)
    }

    /// The local body as a new version over both sides.
    ///
    /// A tombstone without a past may follow our revision, as Sync Gateway leaves the past out: it would take
    /// our revision's name for an older one.
    private func save(
        _ local: Entry,
        over remote: Entry,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> Entry {
        guard local.revision.body != nil else { throw .bodyMissing(local.id) }
        let legacy = Self.legacy(of: (local, remote))
        return try save(local, over: remote.mixed.converted, legacy: legacy, by: &author)
    }

    private func save(
        _ winner: Entry,
        over loser: VersionVector?,
        legacy: [RevisionID],
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> Entry {
        let known = winner.mixed.converted ?? VersionVector()
        let base = (loser ?? VersionVector()).knowing(known)
        let time = try author.time(after: base)
        let vector = base.saved(by: author.source, at: time)
        return renewed(winner, MixedVector(vector: vector, legacy: legacy))
    }

    /// Whether a winner can keep its revision.
    ///
    /// A vector names one version of each source: winning over a later one by its own writer, it would
    /// take that one's name, which has another body. All converted IDs share one source, too.
    private static func keepsName(_ winner: VersionVector, over loser: VersionVector) -> Bool {
        guard let current = winner.current else { return true }
        let known = loser.time(of: current.source)
        return current.source == .revisionTree ? known < current.time : known <= current.time
    }

    /// The history of a tree's revision under its own ID, after it won over another revision; `nil` if it would not be
    /// newer than that.
    ///
    /// A new revision would be later than one that another peer wrote in the meantime, over either of the two.
    /// Couchbase Lite and Sync Gateway compare converted IDs by their time, and would not accept the lower one.
    private static func keepingTreeID(
        _ winner: MixedVector,
        over loser: MixedVector
    ) -> MixedVector? {
        guard let version = winner.converted?.current, version.source == .revisionTree else {
            return nil
        }
        let kept = winner.following(loser)
        return kept.order(to: loser) == .newer ? kept : nil
    }

    /// The remote's revision when it replaces a tree's: it keeps its name, and is not pushed.
    ///
    /// Tree IDs are added only after tree IDs: a sender without any would take ours for a conflict.
    private static func remote(_ winner: MixedVector, over loser: MixedVector) -> MixedVector {
        var known = winner
        if !winner.legacy.isEmpty { known.legacy = winner.legacy.followed(by: loser.legacy) }
        if let vector = loser.converted, let version = winner.vector.current,
            version.source != .revisionTree
        {
            known.vector = winner.vector.winning(over: vector)
        }
        return known
    }

    /// The tree IDs of a revision that follows both: first the remote's, which looks for the first of its own.
    private static func legacy(of sides: (local: Entry, remote: Entry)) -> [RevisionID] {
        sides.remote.mixed.legacy.followed(by: sides.local.mixed.legacy)
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
        let mixed = MixedVector(vector: vector, legacy: Self.legacy(of: (local, remote)))
        return Entry(mixed, flags: flags, body: body)
    }
}

extension VectorHistory.Entry {
    /// Whether this deletes what the other revision may be an earlier state of, without saying so.
    fileprivate func hidesPast(from other: Self) -> Bool {
        revision.isTombstone && !other.revision.isTombstone && mixed.hasNoPast
    }
}
