import DivanRevisions
import DivanSQLite
import DivanSeal
import DivanSealedSQLite
import DivanStorage
import DivanTestKit
import Foundation
import Testing

@testable import DivanSQLiteEngine

/// The contract for engines, and what the engine does beyond it.
@Suite struct SQLiteEngineTests {
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
        let key = try SealKey(bytes: [UInt8](repeating: 1, count: 32).span)
        var count = 0
        let violations = try StorageEngineContract.violations {
            count += 1
            let place = DatabaseFileLocation(
                home.file("\(count).sqlite3"),
                sealing: TestEncryption(vfs: SealedVFS(Seal(key: key)))
            )
            try SQLiteEngine.create(at: place)
            return try SQLiteEngine(place, isReadOnly: false, syncsFully: false)
        }
        #expect(violations == [])
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
        let full = #expect(throws: StoreError.self) {
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
        #expect(full?.code == .diskFull)
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
}

/// Encrypts pages as databases with a key do.
private struct TestEncryption: SQLiteEncryption {
    let vfs: SealedVFS

    var reservedByteCount: Int32 { SealedVFS.reservedByteCount }

    func vfsName(over base: String?) throws -> String { try vfs.name(over: base) }
}
