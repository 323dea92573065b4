import CDivanDatabaseFaults
import DivanPlatform
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Testing

@testable import DivanDatabase
// Small caches, which spill, are set on a connection.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

extension FaultTests {
    /// What a connection gathers before it writes to the log is there when its transaction is.
    @Suite struct GatheredLogTests {
        @Test(arguments: [false, true])
        func `the pages of a transaction are written to the log in few calls`(isSealed: Bool) throws
        {
            try #require(divan_faults_install() == 0)
            let home = try TemporaryDirectory()
            let store = try Store.open(
                directory: home.file("a.cblite2"),
                options: StoreOptions(sealing: isSealed ? try TestSealing(1) : nil)
            )
            let body = Array(#"{"text":"\#(String(repeating: "x", count: 1_000))"}"#.utf8)
            divan_faults_arm(home.path, 0, 0, Errno.ioError.rawValue)
            try store.write { writer in
                for number in 0..<1_000 {
                    let id = DocumentID(unchecked: "doc-\(number)")
                    _ = try writer.save(id, in: .default, body: body)
                }
            }
            // More than a megabyte, which used to take two calls for each page of 4 KiB.
            #expect(divan_faults_disarm() < 40)
            try store.close()
        }

        @Test func `pages that a full disk rejected are written before the transaction ends`()
            throws
        {
            try #require(divan_faults_install() == 0)
            let home = try TemporaryDirectory()
            let connection = try StoreConnection(path: home.file("db"), mode: .create)
            try connection.execute(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = 8;
                CREATE TABLE rows (id INTEGER PRIMARY KEY, value INTEGER NOT NULL, filler BLOB);
                INSERT INTO rows VALUES (0, 0, zeroblob(3000));
                BEGIN IMMEDIATE;
                """
            )
            // Enough pages that some are spilled, and few enough that all of those are held back.
            for id in 1...14 {
                try connection.execute("INSERT INTO rows VALUES (\(id), \(id), zeroblob(3000))")
            }
            divan_faults_arm(home.path, 1, 1, Errno.noSpace.rawValue)
            // Only the statement is undone: the transaction continues.
            #expect(throws: StoreError.self) {
                try connection.execute("UPDATE rows SET value = value + 1")
            }
            divan_faults_disarm()
            try #require(connection.isInTransaction)
            try connection.execute("INSERT INTO rows VALUES (15, 15, zeroblob(3000)); COMMIT")
            // Another connection reads only the files.
            let other = try StoreConnection(path: home.file("db"), mode: .readWrite)
            #expect(try other.text("PRAGMA integrity_check") == "ok")
            #expect(try other.integer("SELECT sum(value) FROM rows") == 120)
        }
    }
}
