import DivanRevisions
import DivanTestKit
import Testing

// A file of an older version is made with the engine's own connection.
@testable import DivanStore

/// Files that an older Divan wrote.
@Suite struct MigrationTests {
    private let home: TemporaryDirectory
    private let path: String
    private var database: String { path + "/db.sqlite3" }

    /// Makes a file of version 1: counters in `collections` alone, old bodies as they are.
    init() throws {
        home = try TemporaryDirectory()
        path = home.file("old.cblite2")
        let store = try Store.open(directory: path)
        try store.write { writer in
            for number in 0..<3 {
                let received = RemoteRevision(
                    documentID: "doc-\(number)",
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
        let connection = try SQLiteConnection(path: database, mode: .readWrite)
        try connection.execute(
            """
            UPDATE docs_1 SET flags = flags & 255;
            UPDATE collections SET lastSequence = 4, liveCount = 3;
            PRAGMA user_version = 1;
            """
        )
    }

    private func version() throws -> Int64? {
        try SQLiteConnection(path: database, mode: .readOnly).integer("PRAGMA user_version")
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

    @Test func `reading a file of version 1 leaves it as it is`() throws {
        let store = try Store.open(
            directory: path,
            options: StoreOptions(create: false, readOnly: true)
        )
        try check(store, count: 3, lastSequence: 4)
        try store.close()
        #expect(try version() == 1)
    }

    @Test func `opening a file of version 1 for writing makes it a newer one`() throws {
        var store = try Store.open(directory: path)
        #expect(try version() == 3)
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
}
