import DivanRevisions
import DivanSQLite
import DivanTestKit
import Synchronization
import Testing

@testable import DivanDatabase
// How many snapshots are open is not public.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// A snapshot that is kept for the next reader never hides a commit and never holds the log.
@Suite struct SnapshotTests {
    private let home: TemporaryDirectory
    private let path: String

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
    }

    private func save(_ documentID: DocumentID, _ number: Int, in store: Store) throws {
        let body = Array(#"{"n":\#(number)}"#.utf8)
        _ = try store.save(documentID, in: .default, body: body)
    }

    private func number(_ documentID: DocumentID, in store: Store) throws -> String? {
        let found = try store.read { try $0.document(documentID, in: .default) }
        return found.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func `every read sees the commits made before it`() throws {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        for number in 0..<50 {
            try save("doc", number, in: store)
            for _ in 0..<3 {
                #expect(try self.number("doc", in: store) == #"{"n":\#(number)}"#)
            }
        }
        try store.write { _ = try $0.purge("doc", in: .default) }
        #expect(try number("doc", in: store) == nil)
    }

    /// A reader that began before a commit is returned after it: its state is no longer the latest.
    @Test func `a snapshot from before the last commit is not reused`() throws {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        try save("doc", 1, in: store)
        try store.read { reader in
            #expect(try reader.document("doc", in: .default)?.sequence == 1)
            try save("doc", 2, in: store)
            try save("doc", 3, in: store)
            #expect(try reader.document("doc", in: .default)?.sequence == 1)
        }
        #expect(try number("doc", in: store) == #"{"n":3}"#)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a cancellable copy finishes while another process writes`() async throws {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let body = Array(#"{"t":"\#(String(repeating: "x", count: 7_000))"}"#.utf8)
        try store.write { writer in
            for number in 0..<2_500 {
                _ = try writer.save(DocumentID(unchecked: "d\(number)"), in: .default, body: body)
            }
        }
        let (file, target) = (path + "/db.sqlite3", home.file("copy.sqlite3"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var number = 0
                while !Task.isCancelled {
                    number += 1
                    _ = try store.save("doc", in: .default, body: Array(#"{"n":\#(number)}"#.utf8))
                }
            }
            group.addTask {
                // Like another process, which does not wait for a writer of this one.
                let engine = try SQLiteEngine(path: file, isReadOnly: true, syncsFully: false)
                defer { engine.close() }
                try LongWork.stopping(by: QueryControl(limit: .seconds(20))) {
                    try engine.copy(to: target)
                }
            }
            try await group.next()
            group.cancelAll()
        }
        let copy = try StoreConnection(path: target, mode: .readOnly)
        try copy.check("PRAGMA quick_check(1)", of: target)
    }

    @Test func `created and deleted collections are visible immediately`() throws {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let other = try #require(CollectionPath("other"))
        for _ in 0..<3 {
            #expect(try !store.hasCollection(other))
            try store.createCollection(other)
            #expect(try store.hasCollection(other))
            try store.write { _ = try $0.save("a", in: other, body: Array("{}".utf8)) }
            #expect(try store.read { try $0.count(in: other) } == 1)
            try store.deleteCollection(other)
            #expect(try refusal { _ = try store.read { try $0.count(in: other) } } != nil)
        }
    }

    @Test func `a cached snapshot does not keep the log from being emptied`() throws {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        for number in 0..<20 {
            try save(DocumentID(unchecked: "doc-\(number)"), number, in: store)
            _ = try self.number(DocumentID(unchecked: "doc-\(number)"), in: store)
        }
        try store.compact()
        #expect(StoreFiles.byteCount(path + "/db.sqlite3-wal") == 0)
        #expect(try store.read { try $0.count(in: .default) } == 20)
    }

    @Test func `each of many threads sees its own commits`() async throws {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<6 {
                group.addTask {
                    for number in 0..<60 {
                        try save(DocumentID(unchecked: "doc-\(thread)"), number, in: store)
                        let found = try self.number(
                            DocumentID(unchecked: "doc-\(thread)"),
                            in: store
                        )
                        #expect(found == #"{"n":\#(number)}"#)
                    }
                }
            }
            try await group.waitForAll()
        }
        try store.checkIntegrity()
    }
}
