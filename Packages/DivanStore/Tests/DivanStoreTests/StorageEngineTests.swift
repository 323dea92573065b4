import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Testing

// The engines are behind `Store` and not public; the contract is.
@testable import DivanStore

/// One contract for every engine; the two included in the package are tested here.
@Suite struct StorageEngineTests {
    @Test func `the SQLite engine meets the contract`() throws {
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

    @Test func `the SQLite engine meets the contract with an encrypted file`() throws {
        let home = try TemporaryDirectory()
        var count = 0
        let violations = try StorageEngineContract.violations {
            count += 1
            let place = DatabaseFileLocation(
                home.file("\(count).sqlite3"),
                sealing: try TestSealing(1)
            )
            try SQLiteEngine.create(at: place)
            return try SQLiteEngine(place, isReadOnly: false, syncsFully: false)
        }
        #expect(violations == [])
    }

    @Test func `the in-memory engine meets the contract`() throws {
        #expect(try StorageEngineContract.violations { MemoryEngine() } == [])
    }

    @Test func `an engine has at most thirty requirements, and the contract checks each`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/DivanStore/Engine")
        func text(_ name: String) throws -> String {
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        func requirements(_ name: String) throws -> [String] {
            try text(name).matches(of: /\n    (?:func|var) (\w+)/).map { String($0.1) }
        }
        let contract = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("StorageEngineContract") }.map(text).joined()
        let core = try requirements("StorageEngine.swift")
        #expect((25...30).contains(core.count), "\(core)")
        for name in try core + requirements("StorageBatches.swift") {
            let use = try Regex("\\.\(name)\\b")
            #expect(contract.contains(use), "the contract does not use \(name)")
        }
    }

    @Test func `the contract detects an engine that rolls back only part of a transaction`() throws
    {
        let violations = try StorageEngineContract.violations { PartialRollbackEngine() }
        #expect(violations.contains("A transaction that threw was not rolled back."))
    }

    /// The file may no longer grow, as on a full disk.
    @Test func `a full disk is reported, and no transaction is stored in part`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("full.sqlite3")
        try SQLiteEngine.create(path: path)
        let connection = try StoreConnection(path: path, mode: .readWrite)
        let session = try SQLiteSession(connection)
        let id = try session.createCollection(.default).id
        try connection.execute("PRAGMA max_page_count = 20")
        let full = try refusal {
            for number in 1...100 {
                try session.begin("BEGIN IMMEDIATE")
                defer { session.rollback() }
                for offset in 0..<3 {
                    let sequence = UInt64(3 * number + offset)
                    var row = try StorageEngineContract.row(
                        DocumentID(unchecked: "\(sequence)"),
                        sequence: sequence
                    )
                    row.body = [UInt8](repeating: UInt8(ascii: "x"), count: 4_000)
                    row.bodyByteCount = row.body.count
                    try session.put(row, in: id)
                }
                try session.commit()
            }
        }
        #expect(full == .diskFull)
        let rows = try session.rows(in: id, after: 0, limit: 300, flags: [], content: .whole)
        #expect(rows.count > 0 && rows.count.isMultiple(of: 3))
        try session.begin("BEGIN IMMEDIATE")
        let isRemoved = try session.remove("3", in: id)
        try session.commit()
        #expect(isRemoved)
    }

    /// A transaction changes pages of indexes all over the file.
    @Test func `the writer caches more pages while documents are indexed`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("indexed.sqlite3")
        try SQLiteEngine.create(path: path)
        let connection = try StoreConnection(path: path, mode: .readWrite)
        let session = try SQLiteSession(connection)
        let id = try session.createCollection(.default).id
        func keptByteCount() throws -> Int? {
            try connection.integer("PRAGMA cache_size").map { Int(-$0) << 10 }
        }
        try KeptPages.begin(onWriter: connection)
        #expect(try keptByteCount() == SQLiteEngineLimits.writerCacheByteCount)
        let table = SQLiteSchema.table(id)
        try session.changeIndexes("CREATE INDEX \(table)_by_flags ON \(table) (flags)")
        #expect(try keptByteCount() == SQLiteEngineLimits.indexedWriterCacheByteCount)
        // As when the file is opened.
        try KeptPages.begin(onWriter: connection)
        #expect(try keptByteCount() == SQLiteEngineLimits.indexedWriterCacheByteCount)
        try session.changeIndexes("DROP INDEX \(table)_by_flags")
        #expect(try keptByteCount() == SQLiteEngineLimits.writerCacheByteCount)
    }

    @Test func `storing a document with a sequence already in use overwrites nothing`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("taken.sqlite3")
        try SQLiteEngine.create(path: path)
        let engine = try SQLiteEngine(path: path, isReadOnly: false, syncsFully: false)
        let id = try engine.write { try $0.createCollection(.default).id }
        try engine.write { try $0.put(StorageEngineContract.row("a", sequence: 1), in: id) }
        #expect(throws: StoreError.self) {
            try engine.write { try $0.put(StorageEngineContract.row("b", sequence: 1), in: id) }
        }
        #expect(try engine.read { try $0.row("a", in: id, content: .whole) } != nil)
        engine.close()
    }

    @Test func `a store works with any engine`() throws {
        let store = try Store(engine: MemoryEngine())
        try store.write { _ = try $0.save("a", in: .default, body: Array("{}".utf8)) }
        #expect(try store.read { try $0.count(in: .default) } == 1)
        #expect(store.publicUUID.count == 16 && store.publicUUID != store.privateUUID)
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
