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

/// The trained indexes that were prepared since the last transaction.
struct PreparedVectorIndexes {
    private var transactionCount = 0
    private var indexes: Set<VectorIndexPath> = []

    /// Whether an index was prepared after this number of transactions.
    func contains(_ index: VectorIndexPath, at count: Int) -> Bool {
        count == transactionCount && indexes.contains(index)
    }

    mutating func insert(_ index: VectorIndexPath, at count: Int) {
        if count != transactionCount { indexes = [] }
        transactionCount = count
        indexes.insert(index)
    }
}

/// Works on the vector indexes of a store, one after another, on a thread that runs while there is work.
final class VectorIndexWorker: Sendable {
    private struct State {
        var waiting: [VectorIndexPath] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let isClosed = Atomic(false)

    /// Whether it works on an index, or will.
    func isBusy(with index: VectorIndexPath) -> Bool {
        state.withLock { $0.waiting.contains(index) }
    }

    /// Begins the work on an index, unless it is already waiting.
    func begin(_ index: VectorIndexPath, of store: Store) {
        let mustStart = state.withLock { state in
            if state.waiting.contains(index) { return false }
            state.waiting.append(index)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart, !startThread(name: "divan-vectors", { self.run(store) }) else { return }
        // The next query tries again.
        state.withLock { $0 = State() }
    }

    /// Ends the work soon, and begins none.
    func close() { isClosed.store(true, ordering: .relaxed) }

    private func run(_ store: Store) {
        while let index = next() {
            do {
                try store.work(on: index, .whole) { isClosed.load(ordering: .relaxed) }
            } catch {
                guard !isClosed.load(ordering: .relaxed) else { continue }
                StoreLog.query.warning("The vector index \(index) is not up to date: \(error)")
            }
            state.withLock { $0.waiting.removeAll { $0 == index } }
        }
    }

    /// The next index to work on; `nil` at the end.
    private func next() -> VectorIndexPath? {
        state.withLock { state in
            if isClosed.load(ordering: .relaxed) { state.waiting = [] }
            state.isRunning = !state.waiting.isEmpty
            return state.waiting.first
        }
    }
}
