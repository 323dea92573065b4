internal import DivanJSON
internal import Synchronization

/// Keeps rows in memory, for tests, simulations and databases that nobody wants to keep.
///
/// A snapshot shares its state with the engine until the next write changes it, so a reader costs
/// nothing and a writer beside a reader costs one copy of the collection's index.
///
/// Sendable although a session is not: `write` is one at a time by the promise of the seam, and
/// `state` is only touched under the lock. A transaction holds the lock for its whole length.
public final class MemoryEngine: StorageEngine, @unchecked Sendable {
    private let lock = RecursiveLock()
    private var state = MemoryState()
    private var isOpen = true

    /// Always false.
    public let isReadOnly = false

    /// Creates an engine without collections; `Store.init(engine:)` gives it an identity.
    public init() {}

    /// Returns an engine with what is committed here, the identity too.
    ///
    /// As if a disk had been copied. Costs little until one of the two is written to.
    public func copy() -> MemoryEngine {
        let copy = MemoryEngine()
        copy.state = lock.withLock { state }
        return copy
    }

    /// Gives a new engine its identity; nobody else knows it yet, and memory does not fail.
    func install(_ identity: StoreIdentity) {
        try? write { try identity.write(to: $0) }
    }

    /// Runs `body` on what is committed now.
    public func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        let snapshot = try lock.withLock {
            guard isOpen else { throw StoreError(.notOpen) }
            return MemorySession(state)
        }
        return try body(snapshot)
    }

    /// Runs `body` in a transaction.
    public func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        try lock.withLock {
            guard isOpen else { throw StoreError(.notOpen) }
            // The state moves into the session, so that it is changed in place.
            let session = MemorySession(state)
            state = MemoryState()
            do {
                let result = try body(session)
                state = session.takeState()
                return result
            } catch {
                session.undo()
                state = session.takeState()
                throw error
            }
        }
    }

    /// Does nothing: memory does not rot.
    public func checkIntegrity() throws(StoreError) {}

    /// Does nothing.
    public func compact() throws(StoreError) {}

    /// Does nothing.
    public func optimize(isThorough: Bool) throws(StoreError) {}

    /// Does nothing: what is here ends with the process.
    public func makeDurable() throws(StoreError) {}

    /// Does nothing.
    public func syncFully() throws(StoreError) {}

    /// Forgets everything.
    public func close() {
        lock.withLock {
            isOpen = false
            state = MemoryState()
        }
    }
}
