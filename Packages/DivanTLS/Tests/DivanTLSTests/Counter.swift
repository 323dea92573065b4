import Synchronization

/// Counts calls from any thread.
final class Counter: Sendable {
    private let count = Atomic(0)

    /// Counts one more and returns the new number.
    func next() -> Int {
        count.add(1, ordering: .relaxed).newValue
    }
}
