extension VersionVector {
    /// The vector after `source` saved the document.
    ///
    /// The merged versions of the old current version become previous versions. At most
    /// `VersionLimits.previousCount` versions are kept after the new one.
    ///
    /// - Parameters:
    ///   - source: The writer.
    ///   - time: A time later than all times of that source in this vector.
    /// - Returns: The new revision's vector.
    public func saved(by source: SourceID, at time: UInt64) -> VersionVector {
        var saved = versions
        // There may be a second version of the old current source, which it merged.
        if let current, let second = merged.firstIndex(where: { $0.source == current.source }) {
            saved.remove(at: second)
        }
        let new = Version(checked: max(time, 1), source)
        let own = saved.firstIndex { $0.source == source }
        if own == 0 {
            saved[0] = new
        } else {
            if let own { saved.remove(at: own) }
            saved.insert(new, at: 0)
        }
        return VersionVector(unchecked: saved, mergeCount: 0).pruned()
    }

    /// The vector of a new body that `source` merged from two revisions in conflict.
    ///
    /// The result does not depend on the order of the two.
    ///
    /// - Parameters:
    ///   - other: The other revision.
    ///   - source: The database that merges.
    ///   - time: A time later than all times of that source in both.
    /// - Returns: The new revision's vector.
    /// - Throws: `mergeOfOneSource` if the current versions have the same source.
    public func merged(
        with other: VersionVector,
        by source: SourceID,
        at time: UInt64
    ) throws(VersionError) -> VersionVector {
        guard let first = current, let second = other.current else {
            return (isEmpty ? other : self).saved(by: source, at: time)
        }
        guard first.source != second.source else { throw .mergeOfOneSource(first.source) }
        let sources = [source, first.source, second.source]
        let rest = Self.union(self, other).filter { !sources.contains($0.source) }
        let head = [Version(checked: max(time, 1), source)] + [first, second].sorted(by: >)
        return VersionVector(unchecked: head + rest, mergeCount: 2).pruned()
    }

    /// The vector of this revision after it won a conflict without changes to its body.
    ///
    /// It has the same revision ID, and is newer than the loser, so that peers that have the loser accept it.
    public func winning(over loser: VersionVector) -> VersionVector {
        guard let current else { return loser }
        let time = max(current.time, loser.time(of: current.source))
        let winner = Version(checked: time, current.source)
        let kept = isMergeOvertaken(by: loser) ? [] : Array(merged)
        let named = Set(kept.map(\.source)).union([winner.source])
        let rest = Self.union(self, loser).filter { !named.contains($0.source) }
        return VersionVector(unchecked: [winner] + kept + rest, mergeCount: kept.count).pruned()
    }

    /// The vector of this revision for a peer that also has another revision; unchanged if that adds nothing new.
    public func knowing(_ other: VersionVector) -> VersionVector {
        guard let current, !containsAll(of: other) else { return self }
        let kept = isMergeOvertaken(by: other) ? [] : Array(merged)
        let named = Set(kept.map(\.source)).union([current.source])
        let rest = Self.union(self, other).filter { !named.contains($0.source) }
        return VersionVector(unchecked: [current] + kept + rest, mergeCount: kept.count).pruned()
    }

    /// Whether a peer that has this has seen all versions of another, or later ones of their sources.
    private func containsAll(of other: VersionVector) -> Bool {
        let time = timeOfSource
        return other.versions.allSatisfy { time($0.source) >= $0.time }
    }

    /// Whether another vector has a later version of a source whose version was merged here.
    private func isMergeOvertaken(by other: VersionVector) -> Bool {
        guard mergeCount > 0 else { return false }
        let (ours, theirs) = (timeOfSource, other.timeOfSource)
        return merged.contains { theirs($0.source) > ours($0.source) }
    }

    /// `time(of:)` for many lookups: uses a table for a long vector.
    var timeOfSource: (SourceID) -> UInt64 {
        guard isLong else { return { time(of: $0) } }
        let times = Dictionary(
            versions.map { ($0.source, $0.time) },
            uniquingKeysWith: { first, _ in first }
        )
        return { times[$0, default: 0] }
    }

    /// The newest version of every source of two vectors, latest first.
    private static func union(_ first: VersionVector, _ second: VersionVector) -> [Version] {
        var newest: [SourceID: UInt64] = [:]
        newest.reserveCapacity(first.versions.count + second.versions.count)
        for version in first.versions { newest[version.source, default: 0].raise(to: version.time) }
        for version in second.versions {
            newest[version.source, default: 0].raise(to: version.time)
        }
        return newest.map { Version(checked: $0.value, $0.key) }.sorted(by: >)
    }

    /// The vector with only the latest previous versions; the current and the merged versions, and the number of
    /// deletions, are kept.
    public func pruned(to count: Int = VersionLimits.previousCount) -> VersionVector {
        let excess = previous.count - max(count, 0)
        guard excess > 0 else { return self }
        // One more database wrote the document: no need to sort.
        let isOlder = { (first: Version, second: Version) in
            first.source == .deletions || second.source == .deletions
                ? second.source == .deletions && first.source != .deletions : first < second
        }
        if excess == 1,
            let oldest = previous.indices.min(by: { isOlder(versions[$0], versions[$1]) })
        {
            var kept = versions
            kept.remove(at: oldest)
            return VersionVector(unchecked: kept, mergeCount: mergeCount)
        }
        let newest = previous.sorted { isOlder($1, $0) }.dropLast(excess)
        let kept = versions.prefix(1 + mergeCount) + newest
        return VersionVector(unchecked: Array(kept), mergeCount: mergeCount)
    }

    /// The vector with an absolute source instead of `*`.
    ///
    /// - Throws: `repeatedSource` if the vector has both.
    public func replacingMe(by source: SourceID) throws(VersionError) -> VersionVector {
        guard versions.contains(where: { $0.source == .me }) else { return self }
        return try VersionVector(
            versions.map { $0.replacingMe(by: source) },
            mergeCount: mergeCount
        )
    }
}

extension UInt64 {
    fileprivate mutating func raise(to other: UInt64) {
        self = Swift.max(self, other)
    }
}
