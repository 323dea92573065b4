import Synchronization

/// Counts calls from any thread.
final class Counter: Sendable {
    private let count = Atomic(0)

    /// Counts one more and returns how many there were, this one included.
    func next() -> Int {
        count.add(1, ordering: .relaxed).newValue
    }
}
