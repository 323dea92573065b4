internal import Synchronization

/// Receives the progress of building indexes, and can stop it, from any thread.
///
/// Use a separate control for each call. A stopped call throws `CancellationError` and changes nothing.
public final class IndexBuildControl: Sendable {
    private struct State {
        /// Statements that are done, and all that are known so far.
        var (done, expected) = (0, 0)
        var told = -1.0
    }

    /// Progress smaller than this is not reported.
    private static let step = 0.001

    private let progress: @Sendable (Double) -> Void
    private let state = Mutex(State())
    private let isCancelled = Atomic(false)

    /// Creates a control.
    ///
    /// - Parameter progress: Called with the completed share, 0 to 1, which never decreases; at most a thousand
    ///   times, on the thread that builds the index, inside its transaction. It must not use the database.
    public init(_ progress: @escaping @Sendable (Double) -> Void = { _ in }) {
        self.progress = progress
    }

    /// Stops the call, at its next check or before it is committed.
    public func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Whether it was asked to stop.
    public var mustStop: Bool { isCancelled.load(ordering: .relaxed) }

    /// Throws `CancellationError` if it must stop; for engines that build indexes.
    public func check() throws {
        if mustStop { throw CancellationError() }
    }

    /// Announces `count` more statements.
    public func expect(_ count: Int) {
        state.withLock { $0.expected += count }
        report(0)
    }

    /// Notes that a statement is done.
    public func advance() {
        state.withLock { $0.done += 1 }
        report(0)
    }

    /// Reports the share of the running statement.
    public func report(_ share: Double) {
        let whole = state.withLock { state -> Double? in
            let whole = min(1, (Double(state.done) + share) / Double(max(1, state.expected)))
            guard whole >= state.told + Self.step else { return nil }
            state.told = whole
            return whole
        }
        if let whole { progress(whole) }
    }
}
