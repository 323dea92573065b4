import DivanStorage
import Testing

/// The example of the README, so that it stays correct.
@Suite struct ReadmeTests {
    @Test func `the README example refuses writes and passes reads on`() throws {
        let inner = ClosedEngine()
        let engine = FrozenEngine(inner)
        #expect(throws: StoreError(.readOnly)) { try engine.write { _ in } }
        #expect(throws: StoreError(.notOpen)) { try engine.read { _ in } }
        #expect(engine.file == nil && engine.querying == nil)
    }

    @Test func `the contract reports that an engine without writes violates it`() throws {
        #expect(try StorageEngineContract.violations { FrozenEngine(ClosedEngine()) } != [])
    }
}

/// Passes reads on to another engine, and refuses writes.
private final class FrozenEngine: StorageEngine {
    private let engine: any StorageEngine
    init(_ engine: any StorageEngine) { self.engine = engine }

    let isReadOnly = true
    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T { try engine.read(body) }
    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        throw StoreError(.readOnly)
    }
    func checkIntegrity() throws(StoreError) { try engine.checkIntegrity() }
    func makeDurable() throws(StoreError) { try engine.makeDurable() }
    func syncFully() throws(StoreError) { try engine.syncFully() }
    func close() { engine.close() }
}

/// An engine after its end.
private final class ClosedEngine: StorageEngine {
    let isReadOnly = false
    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        throw StoreError(.notOpen)
    }
    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        throw StoreError(.notOpen)
    }
    func checkIntegrity() throws(StoreError) { throw StoreError(.notOpen) }
    func makeDurable() throws(StoreError) { throw StoreError(.notOpen) }
    func syncFully() throws(StoreError) { throw StoreError(.notOpen) }
    func close() {}
}
