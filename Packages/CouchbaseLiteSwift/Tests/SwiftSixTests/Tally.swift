import Synchronization

/// A number that any thread may increment.
nonisolated final class Tally: Sendable {
    private let count = Atomic(0)

    var total: Int { count.load(ordering: .acquiring) }

    func add(_ number: Int = 1) { count.add(number, ordering: .acquiringAndReleasing) }
}
