internal import Synchronization

/// Is told how far the making of indexes is, and stops it, from any thread.
///
/// Use one for one call. What is stopped throws `CancellationError`, and leaves everything as it was.
public final class IndexWatch: Sendable {
    private struct State {
        /// Statements that are done, and those that are known of.
        var (done, expected) = (0, 0)
        var told = -1.0
    }

    /// Less than this is not told.
    private static let step = 0.001

    private let progress: @Sendable (Double) -> Void
    private let state = Mutex(State())
    private let isCancelled = Atomic(false)

    /// Creates a watch.
    ///
    /// - Parameter progress: Is told the share that is done, 0 to 1, which never falls; a thousand times
    ///   at most, on the thread that makes the index, in the midst of its transaction: it must not use
    ///   the database.
    public init(_ progress: @escaping @Sendable (Double) -> Void = { _ in }) {
        self.progress = progress
    }

    /// Stops what is watched, at the next of its looks or before it is committed.
    public func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Whether somebody wants it to stop.
    var mustStop: Bool { isCancelled.load(ordering: .relaxed) }

    /// Throws `CancellationError` if it must stop.
    func check() throws {
        if mustStop { throw CancellationError() }
    }

    /// Says that so many statements more will be run.
    func expect(_ count: Int) {
        state.withLock { $0.expected += count }
        tell(0)
    }

    /// Says that a statement is done.
    func advance() {
        state.withLock { $0.done += 1 }
        tell(0)
    }

    /// Tells the share of the statement that runs.
    func tell(_ share: Double) {
        let whole = state.withLock { state -> Double? in
            let whole = min(1, (Double(state.done) + share) / Double(max(1, state.expected)))
            guard whole >= state.told + Self.step else { return nil }
            state.told = whole
            return whole
        }
        if let whole { progress(whole) }
    }
}
