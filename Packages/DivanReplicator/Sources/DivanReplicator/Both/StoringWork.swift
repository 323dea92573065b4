internal import Synchronization

/// A transaction of a peer, for any thread.
///
/// It is run by the thread that received it, or by the peer if it needs the result first.
public final class StoringWork: Sendable {
    private enum State {
        case waiting(@Sendable () throws -> [RevisionResult])
        case done(Result<[RevisionResult], any Error>)
    }

    private let state: Mutex<State>
    private let isOver = Atomic(false)

    init(_ store: @escaping @Sendable () throws -> [RevisionResult]) {
        state = Mutex(.waiting(store))
    }

    /// Stores the revisions unless they are already stored; on any thread.
    ///
    /// Call `advance(to:)` of the peer afterwards.
    public func run() { _ = result }

    /// Whether its result is available without waiting.
    var isDone: Bool { isOver.load(ordering: .acquiring) }

    /// The result for each revision, in order.
    var result: Result<[RevisionResult], any Error> {
        state.withLock { state in
            switch state {
            case .done(let result): return result
            case .waiting(let store):
                let result = Result(catching: store)
                state = .done(result)
                isOver.store(true, ordering: .releasing)
                return result
            }
        }
    }
}
