import DivanMemoryEngine
import DivanStorage
import Testing

/// The smallest complete engine.
@Suite struct MemoryEngineTests {
    @Test func `the in-memory engine meets the contract`() throws {
        #expect(try StorageEngineContract.violations { MemoryEngine() } == [])
    }

    @Test func `the contract detects an engine that rolls back only part of a transaction`() throws
    {
        let violations = try StorageEngineContract.violations { PartialRollbackEngine() }
        #expect(violations.contains("A transaction that threw was not rolled back."))
    }
}

/// Commits what was changed before an error.
private final class PartialRollbackEngine: StorageEngine {
    private let engine = MemoryEngine()

    var isReadOnly: Bool { false }

    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        try engine.read(body)
    }

    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        try engine.write { transaction in Result { try body(transaction) } }.get()
    }

    func checkIntegrity() throws(StoreError) {}
    func makeDurable() throws(StoreError) {}
    func syncFully() throws(StoreError) {}
    func close() { engine.close() }
}
