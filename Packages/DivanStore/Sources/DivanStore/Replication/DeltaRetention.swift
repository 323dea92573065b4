internal import DivanDelta
internal import DivanRevisions

/// What a transaction keeps of the bodies that it replaces, in addition to those that a remote has.
enum DeltaRetention {
    case nothing, everything
    /// Bodies that were current at these sequences, and those kept before.
    case shared(through: [CollectionID: UInt64])

    /// The rule for a save over `old`.
    func bodies(over old: DocumentRow?, in collection: CollectionID) -> BodyRetention {
        guard let old else { return .none }
        switch self {
        case .nothing:
            return .none
        case .everything:
            return Self.latest()
        case .shared(let through):
            guard let last = through[collection] else { return .none }
            return Self.latest(dropsReplaced: old.sequence > last)
        }
    }

    private static func latest(dropsReplaced: Bool = false) -> BodyRetention {
        BodyRetention(
            revisionCount: StoreLimits.deltaSourcesCount,
            minimumByteCount: JSONDelta.bodyByteCounts.lowerBound,
            maximumByteCount: JSONDelta.bodyByteCounts.upperBound,
            dropsReplaced: dropsReplaced
        )
    }
}
