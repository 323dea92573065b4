/// Which revisions of a document a peer has seen: the newest of every source that ever wrote it.
///
/// The first version is the current one, which names the revision; it is followed by those that it
/// merged, then the previous ones. No source occurs twice, except that of the current version, which may
/// occur once more, with an older time, among those that were merged.
///
/// Source: `version-vectors.md` §2, §4.
public struct VersionVector: Equatable, Sendable {
    /// The current version, the merged ones, the previous ones.
    public let versions: [Version]
    /// How many of them, after the first, the current one merged.
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

    /// Takes versions in the order of `versions`.
    ///
    /// - Throws: `repeatedSource`, `tooManyEntries`.
    public init(_ versions: [Version], mergeCount: Int) throws(VersionError) {
        guard versions.count <= VersionLimits.receivedCount else {
            throw .tooManyEntries(limit: VersionLimits.receivedCount)
        }
        self.init(
            unchecked: versions,
            mergeCount: min(max(mergeCount, 0), max(versions.count - 1, 0))
        )
        try checkSources()
    }

    init(unchecked versions: [Version], mergeCount: Int) {
        self.versions = versions
        self.mergeCount = mergeCount
    }

    /// The version that names the revision; `nil` in an empty vector.
    public var current: Version? { versions.first }

    /// The versions that the current one merged.
    public var merged: ArraySlice<Version> { versions.dropFirst().prefix(mergeCount) }

    /// The previous versions, of the other sources.
    public var previous: ArraySlice<Version> { versions.dropFirst(1 + mergeCount) }

    /// Whether it has no versions.
    public var isEmpty: Bool { versions.isEmpty }

    /// The newest time of a source; 0 if it never wrote.
    public func time(of source: SourceID) -> UInt64 {
        versions.first { $0.source == source }?.time ?? 0
    }

    /// Whether a peer that has this has seen that version, or a later one of its source.
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

/// How one revision relates to another.
public enum RevisionOrder: Equatable, Sendable {
    /// They are one revision.
    case same
    /// It was made before the other, which knows it.
    case older
    /// It was made with knowledge of the other.
    case newer
    /// Each was made without knowledge of the other.
    case conflict

    /// How the other one relates to this.
    public var reversed: RevisionOrder {
        switch self {
        case .same, .conflict: self
        case .older: .newer
        case .newer: .older
        }
    }
}

extension VersionVector {
    /// How the revision of this vector relates to that of another.
    ///
    /// Only current versions are compared: equal ones name one revision, whatever follows them.
    public func order(to other: VersionVector) -> RevisionOrder {
        guard let current else { return other.isEmpty ? .same : .older }
        guard let theirs = other.current else { return .newer }
        if current == theirs { return .same }
        let (knowsTheirs, knowsOurs) = (contains(theirs), other.contains(current))
        guard knowsTheirs != knowsOurs else { return .conflict }
        return knowsTheirs ? .newer : .older
    }

    /// Whether each knows the revision that the other names: one peer let one win over the other, and
    /// another peer the other over the one.
    ///
    /// Their order is a conflict, and letting one win once more changes nothing. A peer that has both
    /// takes the one with the greater version, so that all take the same.
    public func isCrossed(with other: VersionVector) -> Bool {
        guard let current, let theirs = other.current, current != theirs else { return false }
        return contains(theirs) && other.contains(current)
    }

    /// Whether both merged the same versions: with equal bodies they are one revision, made by two peers
    /// that resolved one conflict alike.
    public func isRedundantMerge(of other: VersionVector) -> Bool {
        mergeCount > 0 && mergeCount == other.mergeCount && Set(merged) == Set(other.merged)
    }
}
