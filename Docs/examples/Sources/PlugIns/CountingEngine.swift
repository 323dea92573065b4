public import DivanStorage
import Synchronization

/// Counts the transactions and snapshots of another engine.
///
/// A cache, a log or an encryption of rows could be implemented in the same way.
public final class CountingEngine: StorageEngine {
    private let inner: any StorageEngine
    private let counts = Mutex((reads: 0, writes: 0))

    /// Counts the calls of `inner`.
    public init(_ inner: any StorageEngine) {
        self.inner = inner
    }

    /// How often the engine was read and written to.
    public var transactionCounts: (reads: Int, writes: Int) { counts.withLock { $0 } }

    /// As the engine inside.
    public var isReadOnly: Bool { inner.isReadOnly }

    /// As the engine inside.
    public var file: (any StorageFile)? { inner.file }

    /// Counts one more reader.
    public func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        counts.withLock { $0.reads += 1 }
        return try inner.read(body)
    }

    /// Counts one more transaction.
    public func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        counts.withLock { $0.writes += 1 }
        return try inner.write(body)
    }

    /// As the engine inside, which may have indexes; these queries are not counted.
    public var querying: (any StorageQuerying)? { inner.querying }

    /// As the engine inside.
    public func checkIntegrity() throws(StoreError) { try inner.checkIntegrity() }

    /// As the engine inside.
    public func makeDurable() throws(StoreError) { try inner.makeDurable() }

    /// As the engine inside.
    public func syncFully() throws(StoreError) { try inner.syncFully() }

    /// Closes both engines.
    public func close() { inner.close() }
}
