internal import DivanDelta
internal import DivanRevisions
internal import Synchronization

/// Counts who wants old bodies to be kept as sources of deltas.
final class DeltaSources: Sendable {
    private let holdCount = Mutex(0)

    /// What the next write keeps.
    var retention: BodyRetention {
        guard holdCount.withLock({ $0 > 0 }) else { return .none }
        return BodyRetention(
            revisionCount: StoreLimits.deltaSourcesCount,
            minimumByteCount: JSONDelta.minimumBodyByteCount
        )
    }

    fileprivate func change(by count: Int) {
        holdCount.withLock { $0 += count }
    }
}

/// As long as it lives, saves keep the bodies that they replace, as sources of deltas.
///
/// Only the latest few of each document (`StoreLimits.deltaSourcesCount`), packed as what they
/// differ in; the first save without a hold drops them again.
public final class DeltaSourceHold: Sendable {
    private let sources: DeltaSources

    fileprivate init(_ sources: DeltaSources) {
        self.sources = sources
        sources.change(by: 1)
    }

    deinit { sources.change(by: -1) }
}

extension Store {
    /// Keeps sources of deltas for peers of which nothing is recorded, such as the clients of a
    /// listener; until the result is released.
    ///
    /// What a remote of this store is known to have is kept in any case.
    public func holdDeltaSources() -> DeltaSourceHold { DeltaSourceHold(deltaSources) }
}
