/// The revisions of a document that a peer has seen: the newest version of each source.
///
/// The first version is the current version, which is the revision ID; it is followed by the merged versions, then
/// the previous versions. No source occurs twice, except that of the current version, which may occur once more,
/// with an older time, among those that were merged.
///
/// Source: `version-vectors.md` §2, §4.
public struct VersionVector: Equatable, Sendable {
    /// The current version, the merged versions, then the previous versions.
    public let versions: [Version]
    /// The number of merged versions after the first.
    public let mergeCount: Int

    /// Creates an empty vector.
    public init() {
        versions = []
        mergeCount = 0
    }

    /// Creates the vector of a document's first version.
    public init(_ current: Version) {
        versions = [current]
        mergeCount = 0
    }

    /// Creates a vector from versions in the order of `versions`.
    ///
    /// - Throws: `repeatedSource`, `pseudoSource`, `tooManyEntries`.
    public init(_ versions: [Version], mergeCount: Int) throws(VersionError) {
        guard versions.count <= VersionLimits.receivedCount else {
            throw .tooManyEntries(limit: VersionLimits.receivedCount)
        }
        self.init(
            unchecked: versions,
            mergeCount: min(max(mergeCount, 0), max(versions.count - 1, 0))
        )
        let head = self.versions.prefix(1 + self.mergeCount)
        guard !head.contains(where: { $0.source == .deletions }) else {
            throw .pseudoSource(.deletions)
        }
        try checkSources()
    }

    init(unchecked versions: [Version], mergeCount: Int) {
        self.versions = versions
        self.mergeCount = mergeCount
    }

    /// The version that is the revision ID; `nil` in an empty vector.
    public var current: Version? { versions.first }

    /// The merged versions.
    public var merged: ArraySlice<Version> { versions.dropFirst().prefix(mergeCount) }

    /// The previous versions, of the other sources.
    public var previous: ArraySlice<Version> { versions.dropFirst(1 + mergeCount) }

    /// Whether the vector is empty.
    public var isEmpty: Bool { versions.isEmpty }

    /// The newest time of a source; 0 if there is none.
    public func time(of source: SourceID) -> UInt64 {
        versions.first { $0.source == source }?.time ?? 0
    }

    /// Whether the vector contains this version, or a later version of its source.
    public func contains(_ version: Version) -> Bool {
        time(of: version.source) >= version.time
    }

    /// Whether a table is faster than the list.
    var isLong: Bool { versions.count > 8 }

    private func checkSources() throws(VersionError) {
        guard let current, versions.count > 1 else { return }
        guard isLong else {
            for (index, version) in versions.enumerated().dropFirst()
            where versions[..<index].contains(where: { $0.source == version.source }) {
                try check(version, at: index, after: current)
            }
            return
        }
        for index in RepeatedSources.places(in: versions) {
            try check(versions[index], at: index, after: current)
        }
    }

    /// Checks a source that occurred before: allowed once, among those that the current version merged.
    private func check(
        _ version: Version,
        at index: Int,
        after current: Version
    ) throws(VersionError) {
        let isAllowed =
            version.source == current.source && index <= mergeCount && version.time < current.time
            && !versions[1..<index].contains { $0.source == version.source }
        guard isAllowed else { throw .repeatedSource(version.source) }
    }
}

/// The relation of one revision to another.
public enum RevisionOrder: Equatable, Sendable {
    /// Both are the same revision.
    case same
    /// The revision precedes the other.
    case older
    /// The revision follows the other.
    case newer
    /// Neither revision follows the other.
    case conflict

    /// The relation in the opposite direction.
    public var reversed: RevisionOrder {
        switch self {
        case .same, .conflict: self
        case .older: .newer
        case .newer: .older
        }
    }
}

extension VersionVector {
    /// The relation of the revision of this vector to that of another vector.
    ///
    /// Only current versions are compared: equal versions are the same revision, independent of the versions that
    /// follow.
    public func order(to other: VersionVector) -> RevisionOrder {
        guard let current else { return other.isEmpty ? .same : .older }
        guard let theirs = other.current else { return .newer }
        if current == theirs { return .same }
        let (knowsTheirs, knowsOurs) = (contains(theirs), other.contains(current))
        guard knowsTheirs != knowsOurs else { return .conflict }
        return knowsTheirs ? .newer : .older
    }

    /// Whether each vector contains the current version of the other: different peers resolved a conflict
    /// differently.
    ///
    /// Their order is a conflict, and resolving it again changes nothing. A peer that has both selects the greater
    /// version, so that all peers select the same.
    public func isCrossed(with other: VersionVector) -> Bool {
        guard let current, let theirs = other.current, current != theirs else { return false }
        return contains(theirs) && other.contains(current)
    }

    /// Whether both merged the same versions: with equal bodies they are one revision, created by two peers that
    /// resolved a conflict in the same way.
    public func isRedundantMerge(of other: VersionVector) -> Bool {
        mergeCount > 0 && mergeCount == other.mergeCount && Set(merged) == Set(other.merged)
    }
}
