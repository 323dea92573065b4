internal import Synchronization

/// A transaction of a peer, for any thread.
///
/// Whoever comes first does it: the thread that it was given to, or the peer once it cannot go on without. The
/// other one waits, as the lock is held meanwhile.
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

    /// Stores, unless that is done; on any thread.
    ///
    /// Afterwards the peer is to be advanced.
    public func run() { _ = result }

    /// Whether its result can be had at once.
    var isDone: Bool { isOver.load(ordering: .acquiring) }

    /// What became of each revision, in order.
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
