import DivanRevisions

/// What the creator or chooser of a version had really seen: a peer believes whatever a vector says, and
/// abandons what it claims.
///
/// Only a save and the end of a conflict add to it. Vectors received from a peer are checked against it.
struct SeenVersions {
    private typealias Times = [SourceID: UInt64]

    /// By the current version.
    private var times: [Model.Key: [Version: Times]] = [:]

    /// A node created the current version, or let it win, having seen what the vector says.
    mutating func add(_ vector: VersionVector, of key: Model.Key) {
        guard let current = vector.current else { return }
        for version in vector.versions {
            times[key, default: [:]][current, default: [:]].note(version.time, of: version.source)
        }
    }

    /// The first version that a vector claims and no node had seen; `nil` for one created before recording began.
    ///
    /// A version that follows another one has seen what that one won over, whenever it did; and of two that
    /// merged the same, each stands for the other.
    func unseen(
        in vector: VersionVector,
        of key: Model.Key,
        isOneMerge: (Version, Version) -> Bool
    ) -> Version? {
        guard let current = vector.current, let all = times[key], var seen = all[current] else {
            return nil
        }
        func unseen() -> Version? {
            vector.versions.first { $0.time > seen[$0.source, default: 0] }
        }
        var (others, known) = (all, [current])
        while let claimed = unseen() {
            let before = others.filter { version, _ in
                version.time <= seen[version.source, default: 0]
                    || known.contains { isOneMerge(version, $0) }
            }
            guard !before.isEmpty else { return claimed }
            for (version, times) in before {
                known.append(version)
                others[version] = nil
                seen.note(version.time, of: version.source)
                for (source, time) in times { seen.note(time, of: source) }
            }
        }
        return nil
    }
}

extension [SourceID: UInt64] {
    /// Records that a version of a source was seen, and with it the earlier ones.
    fileprivate mutating func note(_ time: UInt64, of source: SourceID) {
        self[source] = Swift.max(time, self[source, default: 0])
    }
}
