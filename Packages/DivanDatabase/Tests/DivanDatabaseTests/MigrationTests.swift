import DivanPlatform
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// A file of an older version is created with the engine's own connection.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Files written by an older Divan.
@Suite struct MigrationTests {
    private let home: TemporaryDirectory
    private let path: String
    private var database: String { path + "/db.sqlite3" }

    /// Creates a file of version 1: counters only in `collections`, old bodies not packed.
    init() throws {
        home = try TemporaryDirectory()
        path = home.file("old.cblite2")
        let store = try Store.open(directory: path)
        try store.write { writer in
            for number in 0..<3 {
                let received = RemoteRevision(
                    documentID: DocumentID(unchecked: "doc-\(number)"),
                    revisionID: try revision("1-aa"),
                    body: Array(#"{"version":1}"#.utf8),
                    remote: RemoteID(rawValue: 1)
                )
                _ = try writer.insert(received, in: .default)
            }
            let body = Array(#"{"version":2}"#.utf8)
            _ = try writer.save("doc-1", in: .default, body: body)
        }
        try store.close()
        try age(database)
    }

    /// Turns a file of this version into one of version 1, whose counters are those of `init`.
    private func age(_ database: String) throws {
        try StoreConnection(path: database, mode: .readWrite).execute(
            """
            UPDATE docs_1 SET flags = flags & 255;
            UPDATE collections SET lastSequence = 4, liveCount = 3;
            ALTER TABLE docs_1 DROP COLUMN checksum;
            ALTER TABLE collections DROP COLUMN checksum;
            ALTER TABLE collections DROP COLUMN uncheckedThrough;
            ALTER TABLE "values" DROP COLUMN checksum;
            PRAGMA user_version = 1;
            """
        )
    }

    private func version() throws -> Int64? {
        try StoreConnection(path: database, mode: .readOnly).integer("PRAGMA user_version")
    }

    private func check(_ store: Store, count: Int, lastSequence: UInt64) throws {
        try store.checkIntegrity()
        try store.read { reader in
            #expect(try reader.count(in: .default) == count)
            #expect(try reader.lastSequence(in: .default) == lastSequence)
            let old = try reader.revision("doc-1", revision("1-aa"), in: .default)
            #expect(old?.body == Array(#"{"version":1}"#.utf8))
        }
    }

    @Test func `reading a version 1 file does not change it`() throws {
        let store = try Store.open(
            directory: path,
            options: StoreOptions(create: false, readOnly: true)
        )
        try check(store, count: 3, lastSequence: 4)
        try store.close()
        #expect(try version() == 1)
    }

    @Test func `opening a version 1 file for writing upgrades it`() throws {
        var store = try Store.open(directory: path)
        #expect(try version() == 4)
        try check(store, count: 3, lastSequence: 4)
        try store.write { writer in
            _ = try writer.save("new", in: .default, body: Array("{}".utf8))
        }
        try check(store, count: 4, lastSequence: 5)
        try store.write { _ = try $0.purge("new", in: .default) }
        try check(store, count: 3, lastSequence: 5)
        try store.close()
        store = try Store.open(directory: path)
        try check(store, count: 3, lastSequence: 5)
        try store.close()
    }

    /// Changes a letter of a body in the file.
    private func damage(_ text: String) throws {
        var bytes = try contents(database)
        let place = try #require(bytes.firstRange(of: Array(text.utf8)))
        bytes[place.upperBound - 1] ^= 1
        try write(bytes, to: database)
    }

    @Test func `rows of an older file get checksums when they are saved again`() throws {
        var store = try Store.open(directory: path)
        let body = Array(#"{"version":3}"#.utf8)
        _ = try store.save("doc-0", in: .default, body: body)
        try store.close()
        try damage(#"{"version":3"#)
        store = try Store.open(directory: path)
        #expect(
            try store.inspect().damages.map(\.part) == [.document(.default, documentID: "doc-0")]
        )
        try store.close()
    }

    @Test func `compacting adds checksums to the rows of an older file`() throws {
        var store = try Store.open(directory: path)
        try store.compact()
        try check(store, count: 3, lastSequence: 4)
        try store.close()
        let connection = try StoreConnection(path: database, mode: .readOnly)
        #expect(try connection.integer("SELECT count(*) FROM docs_1 WHERE checksum IS NULL") == 0)
        try damage(#"{"version":2"#)
        store = try Store.open(directory: path)
        #expect(
            try store.inspect().damages.map(\.part) == [.document(.default, documentID: "doc-1")]
        )
        try store.close()
    }

    /// A killed process leaves the log of its last commits.
    @Test(arguments: [1, 2, 3])
    func `an older file can be opened after its writer crashed`(_ version: Int) throws {
        let connection = try StoreConnection(path: database, mode: .readWrite)
        try connection.execute(
            """
            PRAGMA wal_autocheckpoint = 0;
            BEGIN;
            PRAGMA user_version = \(version);
            INSERT INTO docs_1 (sequence, documentID, revisionID, flags, expiration, tree,
                bodyByteCount, body)
            SELECT 9, 'last', revisionID, flags, NULL, 0, 2, '{}' FROM docs_1
            WHERE documentID = 'doc-0';
            UPDATE collections SET lastSequence = 9, liveCount = 4;
            COMMIT;
            """
        )
        let crashed = home.file("crashed.cblite2")
        try FileSystem.makeDirectory(crashed, permissions: 0o700)
        for name in ["/db.sqlite3", "/db.sqlite3-wal"] {
            try write(contents(path + name), to: crashed + name)
        }
        let reader = try Store.open(
            directory: crashed,
            options: StoreOptions(create: false, readOnly: true)
        )
        try check(reader, count: 4, lastSequence: 9)
        try reader.close()
        let store = try Store.open(directory: crashed)
        try check(store, count: 4, lastSequence: 9)
        let last = try store.read { try $0.document("last", in: .default) }
        #expect(last?.text == "{}")
        _ = try store.save("last", in: .default, body: Array(#"{"n":1}"#.utf8))
        try check(store, count: 4, lastSequence: 10)
        try store.close()
    }
}
