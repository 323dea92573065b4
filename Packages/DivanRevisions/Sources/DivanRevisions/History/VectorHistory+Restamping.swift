/// The result of a clock repair for a document.
public struct Restamping: Equatable, Sendable {
    /// Whether the document has a new revision in place of a revision whose time was too far ahead.
    public var isRestamped = false
    /// Whether the vector contains times that are too far ahead but known to a remote, so that they remain.
    public var isShared = false

    /// Creates a result for a document that needs no repair.
    public init() {}
}

extension VectorHistory {
    /// The latest time after `limit` in the current revision and its ancestors; `nil` if there is none.
    public func timeAhead(of limit: UInt64) -> UInt64? {
        currentVector.vector.versions.lazy.filter { Self.isAhead($0, of: limit) }.map(\.time).max()
    }

    /// The times of converted tree IDs are not times of a clock.
    private static func isAhead(_ version: Version, of limit: UInt64) -> Bool {
        version.time > limit && version.source != .revisionTree
    }

    /// Replaces the current revision with one that has the same body and the present time, if the revision or an
    /// ancestor has a time after `limit` that no remote has.
    ///
    /// Times that a remote has are kept: without them the two sides would be in conflict. If they belong to this
    /// database, the new revision has the source `successor`, whose times need not follow them; all later revisions
    /// must also use it.
    ///
    /// - Parameters:
    ///   - limit: The latest time that peers accept.
    ///   - keepsForeign: Whether times of other sources are treated as times that a remote has.
    ///   - author: The author of the new revision, with a repaired clock.
    ///   - successor: A new source.
    /// - Returns: The changes.
    /// - Throws: `badVersion` if the clock has no time left.
    public mutating func restamp(
        after limit: UInt64,
        keepsForeign: Bool,
        by author: inout RevisionAuthor,
        or successor: SourceID
    ) throws(RevisionError) -> Restamping {
        var result = Restamping()
        let old = currentVector
        var shared = sharedTimes()
        if keepsForeign {
            for version in old.vector.versions where version.source != author.source {
                shared[version.source] = max(shared[version.source, default: 0], version.time)
            }
        }
        let ahead = old.vector.versions.filter { Self.isAhead($0, of: limit) }
        result.isShared = ahead.contains { shared[$0.source, default: 0] > limit }
        let leavesSource = shared[author.source, default: 0] > limit
        if leavesSource { author.leaveSource(for: successor) }
        guard ahead.contains(where: { $0.time > shared[$0.source, default: 0] }) else {
            return result
        }
        let writer = leavesSource ? successor : author.source
        var kept: [Version] = []
        var sources: Set<SourceID> = [writer]
        for version in old.vector.versions where !sources.contains(version.source) {
            let time =
                Self.isAhead(version, of: limit)
                ? min(version.time, shared[version.source, default: 0]) : version.time
            guard time > 0 else { continue }
            sources.insert(version.source)
            kept.append(Version(checked: time, version.source))
        }
        let before = old.vector.versions.filter { $0.source == writer && $0.time <= limit }
        let floor = VersionVector(unchecked: before, mergeCount: 0)
        let time = try author.time(after: floor)
        let vector = VersionVector(unchecked: kept, mergeCount: 0).saved(by: writer, at: time)
        let revision = entries[0].revision
        dropSources(after: limit)
        makeCurrent(
            Entry(
                MixedVector(vector: vector, legacy: old.legacy),
                flags: revision.flags.intersection([.tombstone, .hasBlobs]),
                body: revision.body
            )
        )
        settle(unchangedRetention)
        result.isRestamped = true
        return result
    }

    /// The newest time of each source that a remote has.
    private func sharedTimes() -> [SourceID: UInt64] {
        var times: [SourceID: UInt64] = [:]
        for position in Set(marks.map(\.position)) where entries.indices.contains(position) {
            for version in entries[position].mixed.vector.versions {
                times[version.source] = max(times[version.source, default: 0], version.time)
            }
        }
        return times
    }

    /// Old bodies under names that no peer accepts are no sources of deltas.
    private mutating func dropSources(after limit: UInt64) {
        for position in entries.indices where !isMarked(position) {
            let versions = entries[position].mixed.vector.versions
            guard versions.contains(where: { Self.isAhead($0, of: limit) }) else { continue }
            entries[position].revision.flags.remove(.keepsBody)
        }
    }
}
