import DivanJSON
internal import DivanLog
import DivanPlatform
@_spi(Database) internal import DivanStore
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

/// Decides which thread works on a vector index of a store, and starts a thread for long work.
///
/// Theory of operation: a thread claims an index, works on it, and releases it. The worker's thread takes the indexes
/// that wait, one after another, and ends when none is left.
final class VectorIndexWorker: StoreBackgroundWork {
    private struct State {
        var claimed: Set<VectorIndexPath> = []
        var waiting: [VectorIndexPath] = []
        /// The indexes whose work failed, and the numbers of transactions then.
        var failed: [VectorIndexPath: Int] = [:]
        /// The thread, if it runs.
        var thread: UInt?
        var isRunning = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let prepared = Mutex(PreparedVectorIndexes())

    /// Whether an index was prepared after this number of transactions.
    func isPrepared(_ index: VectorIndexPath, at count: Int) -> Bool {
        prepared.withLock { $0.contains(index, at: count) }
    }

    /// Notes that an index was prepared after this number of transactions.
    func notePrepared(_ index: VectorIndexPath, at count: Int) {
        prepared.withLock { $0.insert(index, at: count) }
    }

    /// Lets the caller work on an index; `false` if another thread does.
    func claim(_ index: VectorIndexPath) -> Bool {
        state.withLock { $0.claimed.insert(index).inserted }
    }

    /// Ends the work on an index.
    func release(_ index: VectorIndexPath) {
        state.withLock { _ = $0.claimed.remove(index) }
    }

    /// Begins the work on an index, unless it is already waiting, or failed since the last transaction.
    func begin(_ index: VectorIndexPath, of store: Store) {
        let count = store.endedTransactionCount
        let mustStart = state.withLock { state in
            guard !state.isClosed, !state.waiting.contains(index), state.failed[index] != count
            else { return false }
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

    func close(waits: Bool) {
        state.withLock { $0.isClosed = true }
        let thread = CurrentThread.id
        func isRunning() -> Bool { state.withLock { $0.isRunning && $0.thread != thread } }
        while waits, isRunning() { CurrentThread.sleep(milliseconds: 1) }
    }

    func reopen() { state.withLock { $0.isClosed = false } }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run(_ store: Store) {
        while let index = next() {
            // Another thread is about to release it.
            guard claim(index) else {
                CurrentThread.sleep(milliseconds: 1)
                continue
            }
            var failedCount: Int?
            do {
                try store.work(on: index, .whole) { isClosed }
            } catch {
                failedCount = store.endedTransactionCount
                if !isClosed {
                    StoreLog.query.warning("Vector index \(index) is not up to date: \(error)")
                }
            }
            state.withLock { state in
                state.claimed.remove(index)
                state.waiting.removeAll { $0 == index }
                state.failed[index] = failedCount
            }
        }
    }

    /// The next index to work on, which becomes the last one; `nil` at the end.
    private func next() -> VectorIndexPath? {
        state.withLock { state in
            if state.isClosed { state.waiting = [] }
            state.isRunning = !state.waiting.isEmpty
            state.thread = state.isRunning ? CurrentThread.id : nil
            guard state.isRunning else { return nil }
            let index = state.waiting.removeFirst()
            state.waiting.append(index)
            return index
        }
    }
}

extension Store {
    /// What works on the vector indexes.
    var vectorWorker: VectorIndexWorker { backgroundWork { VectorIndexWorker() } }
}
