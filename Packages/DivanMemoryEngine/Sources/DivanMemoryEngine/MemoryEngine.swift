internal import DivanJSON
import DivanPlatform
public import DivanStorage
internal import Synchronization

/// Keeps rows in memory, for tests, simulations and temporary databases.
///
/// A snapshot shares its state with the engine until the next write changes it, so a reader costs
/// nothing, and a write during a read costs one copy of the collection's index.
///
/// Sendable although a session is not: the contract promises one `write` at a time, and `state` is
/// only accessed under the lock. A transaction holds the lock throughout.
public final class MemoryEngine: StorageEngine, @unchecked Sendable {
    private let lock = RecursiveLock()
    private var state = MemoryState()
    private var isOpen = true

    /// Always false.
    public let isReadOnly = false

    /// Creates an engine without collections; `Store.init(engine:)` gives it an identity.
    public init() {}

    /// Returns an engine with a copy of everything committed, including the identity.
    ///
    /// Like a copy of a disk. It costs little until one of the two engines is written to.
    public func copy() -> MemoryEngine {
        let copy = MemoryEngine()
        copy.state = lock.withLock { state }
        return copy
    }

    /// Runs `body` on the current committed state.
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
            // The state is moved into the session, so that it is modified in place.
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

    /// Does nothing.
    public func checkIntegrity() throws(StoreError) {}

    /// Does nothing: the data is lost when the process ends.
    public func makeDurable() throws(StoreError) {}

    /// Does nothing.
    public func syncFully() throws(StoreError) {}

    /// Discards everything.
    public func close() {
        lock.withLock {
            isOpen = false
            state = MemoryState()
        }
    }
}
