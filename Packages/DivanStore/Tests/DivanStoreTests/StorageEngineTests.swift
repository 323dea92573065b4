import DivanTestKit
import Testing

// The engines stand behind `Store` and are not public; the contract is.
@testable import DivanStore

/// One contract for every engine; the two that come with the package are proven here.
@Suite struct StorageEngineTests {
    @Test func `SQLite keeps the contract`() throws {
        let home = try TemporaryDirectory()
        var count = 0
        let violations = try StorageEngineContract.violations {
            count += 1
            let path = home.file("\(count).sqlite3")
            try SQLiteEngine.create(path: path)
            return try SQLiteEngine(path: path, isReadOnly: false, syncsFully: false)
        }
        #expect(violations == [])
    }

    @Test func `memory keeps the contract`() throws {
        #expect(try StorageEngineContract.violations { MemoryEngine() } == [])
    }

    @Test func `the contract finds an engine that takes a transaction back by halves`() throws {
        let violations = try StorageEngineContract.violations { HalfHeartedEngine() }
        #expect(violations.contains("A transaction that threw left changes."))
    }

    @Test func `a store stands on any engine`() throws {
        let store = try Store(engine: MemoryEngine())
        try store.write { _ = try $0.save("a", in: .default, body: Array("{}".utf8)) }
        #expect(try store.read { try $0.count(in: .default) } == 1)
        #expect(store.publicUUID.count == 16 && store.publicUUID != store.privateUUID)
    }
}

/// Commits what was changed before an error.
private final class HalfHeartedEngine: StorageEngine {
    private let engine = MemoryEngine()

    var isReadOnly: Bool { false }

    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        try engine.read(body)
    }

    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        try engine.write { transaction in Result { try body(transaction) } }.get()
    }

    func checkIntegrity() throws(StoreError) {}
    func compact() throws(StoreError) {}
    func optimize(isThorough: Bool) throws(StoreError) {}
    func syncFully() throws(StoreError) {}
    func close() { engine.close() }
}
