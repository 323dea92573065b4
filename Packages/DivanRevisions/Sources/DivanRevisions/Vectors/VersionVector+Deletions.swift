// The number of deletions behind a revision, as the time of a pseudo source (`SourceID.deletions`).
//
// The number is added to the lowest valid time: a Divan peer of an earlier release accepts it as a writer's time,
// and keeps it.
extension VersionVector {
    /// The number of deletions behind the revision, as far as an entry tells it; at most
    /// `VersionLimits.deletionCount`.
    var deletionCount: UInt64 {
        let time = time(of: .deletions)
        let base = HybridClock.validTimes.lowerBound
        return min(max(time, base) - base, VersionLimits.deletionCount)
    }

    /// The vector with at least this number of deletions.
    func counting(deletions count: UInt64) -> VersionVector {
        guard !isEmpty, count > deletionCount else { return self }
        let kept = versions.filter { $0.source != .deletions }
        return VersionVector(
            unchecked: kept + [Version(deletionCount: count)],
            mergeCount: mergeCount
        ).pruned()
    }

    /// The vector without a number of deletions: for readers of the document, and for peers other than Divan.
    public var withoutDeletions: VersionVector {
        guard time(of: .deletions) > 0 else { return self }
        return VersionVector(
            unchecked: versions.filter { $0.source != .deletions },
            mergeCount: mergeCount
        )
    }
}

extension Version {
    /// The entry for a number of deletions.
    init(deletionCount count: UInt64) {
        let time = HybridClock.validTimes.lowerBound + min(count, VersionLimits.deletionCount)
        self.init(checked: time, .deletions)
    }
}
