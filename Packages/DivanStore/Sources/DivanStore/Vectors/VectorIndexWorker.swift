import DivanJSON
internal import DivanLog
import DivanPlatform
internal import Synchronization

/// Names a vector index.
struct VectorIndexPath: Hashable, Sendable, CustomStringConvertible {
    let path: CollectionPath
    let name: ExactText

    init(_ path: CollectionPath, _ name: ExactText) {
        (self.path, self.name) = (path, name)
    }

    var description: String { "\(name) of \(path)" }
}

/// Decides which thread works on a vector index of a store, and has a thread of its own for long work.
///
/// Theory of operation: a thread claims an index, works on it, and releases it. The worker's thread takes the indexes
/// that wait, one after another, and ends when none is left.
final class VectorIndexWorker: Sendable {
    private struct State {
        var claimed: Set<VectorIndexPath> = []
        var waiting: [VectorIndexPath] = []
        var isRunning = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Lets the caller work on an index; `false` if another thread does.
    func claim(_ index: VectorIndexPath) -> Bool {
        state.withLock { $0.claimed.insert(index).inserted }
    }

    /// Ends the work on an index.
    func release(_ index: VectorIndexPath) {
        state.withLock { _ = $0.claimed.remove(index) }
    }

    /// Begins the work on an index, unless it is already waiting.
    func begin(_ index: VectorIndexPath, of store: Store) {
        let mustStart = state.withLock { state in
            guard !state.isClosed, !state.waiting.contains(index) else { return false }
            state.waiting.append(index)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart, !startThread(name: "divan-vectors", { self.run(store) }) else { return }
        // The next query tries again.
        state.withLock { state in
            state.waiting = []
            state.isRunning = false
        }
    }

    /// Ends the work soon, and begins none until `reopen`.
    ///
    /// - Parameter waits: Whether to return after the end; the caller must not be inside a write then.
    func close(waits: Bool) {
        state.withLock { $0.isClosed = true }
        while waits, state.withLock({ $0.isRunning }) { CurrentThread.sleep(milliseconds: 1) }
    }

    func reopen() { state.withLock { $0.isClosed = false } }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run(_ store: Store) {
        while let index = next() {
            // The query that began the work is about to release it.
            guard claim(index) else {
                CurrentThread.sleep(milliseconds: 1)
                continue
            }
            do {
                try store.work(on: index, .whole) { isClosed }
            } catch {
                if !isClosed {
                    StoreLog.query.warning("Vector index \(index) is not up to date: \(error)")
                }
            }
            state.withLock { state in
                state.claimed.remove(index)
                state.waiting.removeAll { $0 == index }
            }
        }
    }

    /// The next index to work on; `nil` at the end.
    private func next() -> VectorIndexPath? {
        state.withLock { state in
            if state.isClosed { state.waiting = [] }
            state.isRunning = !state.waiting.isEmpty
            return state.waiting.first
        }
    }
}
