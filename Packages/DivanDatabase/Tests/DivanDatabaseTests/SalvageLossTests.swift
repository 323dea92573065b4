import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Testing

@testable import DivanDatabase
// The positions of pages are not public.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// What a salvage reports about documents that it cannot read: each is named or counted.
@Suite struct SalvageLossTests {
    private static let pageByteCount = 8_192
    private static let count = 400
    private let home: TemporaryDirectory
    private let people: CollectionPath

    init() throws {
        home = try TemporaryDirectory()
        people = try #require(CollectionPath("people"))
        let store = try Store.open(directory: directory)
        for path in [CollectionPath.default, people] {
            try store.createCollection(path)
            try store.write { writer in
                for number in 0..<Self.count {
                    let filler = String(repeating: "x", count: 300)
                    let id = DocumentID(unchecked: "doc-\(number)")
                    let body = Array(#"{"n":\#(number),"x":"\#(filler)"}"#.utf8)
                    _ = try writer.save(id, in: path, body: body)
                }
            }
        }
        try store.compact()
        try store.close()
    }

    private var directory: String { home.file("a.cblite2") }
    private var file: String { directory + "/db.sqlite3" }

    /// Pages of a tree, the leaves last.
    private func pages(of tree: String) throws -> [Int] {
        let connection = try StoreConnection(path: file, mode: .readOnly)
        return try connection.texts(
            "SELECT pageno FROM dbstat WHERE name = '\(tree)' ORDER BY pagetype = 'leaf', pageno"
        ).compactMap { Int($0) }
    }

    private func overwrite(_ pages: [Int]) throws {
        var bytes = try Data(contentsOf: URL(filePath: file))
        for page in pages {
            let start = (page - 1) * Self.pageByteCount
            bytes.replaceSubrange(
                start..<start + Self.pageByteCount,
                with: Data(repeating: 0x5A, count: Self.pageByteCount)
            )
        }
        try bytes.write(to: URL(filePath: file))
    }

    private func rebuild(_ complete: (Store) throws -> Void = { _ in }) throws -> Salvage {
        try Store.rebuild(
            directory: directory,
            by: home.file("new.cblite2"),
            keepingOldAt: { home.file("old-\($0).cblite2") },
            options: StoreOptions(),
            completing: { _ in
                let store = try Store.open(directory: home.file("new.cblite2"))
                defer { try? store.close() }
                try complete(store)
            }
        )
    }

    private func names(_ path: CollectionPath) throws -> [String] {
        let store = try Store.open(directory: directory, options: StoreOptions(create: false))
        defer { try? store.close() }
        try store.checkIntegrity()
        return try store.read { reader in
            guard try reader.hasCollection(path) else { return [] }
            return try reader.documentIDs(in: path, limit: 10_000).map(\.text)
        }
    }

    @Test func `documents on an unreadable page are reported by ID`() throws {
        let leaves = try pages(of: "docs_1").suffix(10)
        try overwrite([leaves[leaves.startIndex + 4]])
        let salvage = try rebuild()
        let kept = Set(try names(.default))
        #expect(kept.count < Self.count && kept.count > 300)
        let lost = (0..<Self.count).map { "doc-\($0)" }.filter { !kept.contains($0) }
        #expect(
            Set(salvage.losses)
                == Set(lost.map { "document \($0) of _default._default: its page cannot be read" })
        )
        #expect(try names(people).count == Self.count)
    }

    /// A page of documents in the middle, and everything else that names them.
    private func loseNames() throws {
        let leaves = try pages(of: "docs_1").suffix(10)
        try overwrite([leaves[leaves.startIndex + 4]] + pages(of: "sqlite_autoindex_docs_1_1"))
    }

    @Test func `lost documents whose IDs are unknown are counted`() throws {
        try loseNames()
        let salvage = try rebuild()
        let lostCount = Self.count - (try names(.default).count)
        #expect(lostCount > 1)
        #expect(
            salvage.losses == [
                "\(lostCount) documents of _default._default whose IDs are unknown"
            ]
        )
    }

    @Test func `documents restored from a peer are not counted as lost`() throws {
        try loseNames()
        let salvage = try rebuild { store in
            try store.write { writer in
                for number in 1..<Self.count {
                    let id = DocumentID(unchecked: "doc-\(number)")
                    guard try writer.document(id, in: .default) == nil else { continue }
                    // One of them is still missing.
                    guard number != Self.count / 2 else { continue }
                    _ = try writer.save(id, in: .default, body: Array("{}".utf8))
                }
            }
        }
        let lacking = Self.count - (try names(.default).count)
        #expect(lacking == 0 && salvage.losses == [] || lacking == 1 && salvage.losses.count == 1)
    }

    @Test func `if counters are damaged too, an unknown number of lost documents is reported`()
        throws
    {
        try loseNames()
        try StoreConnection.edit(file, "UPDATE collections SET liveCount = 399 WHERE id = 1")
        let salvage = try rebuild()
        #expect(salvage.losses.count == 1)
        #expect(salvage.losses.first?.hasPrefix("an unknown number of documents of ") == true)
    }

    @Test func `rows missing from an intact page are detected by the index`() throws {
        try StoreConnection.edit(
            file,
            "DROP INDEX docs_1_conflicted; DROP INDEX docs_1_expiration"
        )
        // Rows are removed, but their names stay in the index.
        try StoreConnection.edit(
            file,
            """
            PRAGMA writable_schema = ON;
            CREATE TABLE kept AS SELECT rootpage FROM sqlite_schema WHERE name LIKE 'sqlite_auto%docs_1%';
            UPDATE sqlite_schema SET sql = replace(sql, ' UNIQUE', '') WHERE name = 'docs_1';
            DELETE FROM sqlite_schema WHERE name LIKE 'sqlite_auto%docs_1%';
            """
        )
        try StoreConnection.edit(file, "DELETE FROM docs_1 WHERE sequence IN (7, 8)")
        try StoreConnection.edit(
            file,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'documentID TEXT NOT NULL',
                'documentID TEXT NOT NULL UNIQUE') WHERE name = 'docs_1';
            INSERT INTO sqlite_schema SELECT 'index', 'sqlite_autoindex_docs_1_1', 'docs_1', rootpage,
                NULL FROM kept;
            """
        )
        try StoreConnection.edit(file, "DROP TABLE kept")
        #expect(
            try rebuild().losses == [
                "document doc-6 of _default._default: its page cannot be read",
                "document doc-7 of _default._default: its page cannot be read",
            ]
        )
    }

    @Test func `a collection whose name is lost keeps its documents under a new name`() throws {
        try StoreConnection.edit(file, "DELETE FROM collections WHERE id = 2")
        let salvage = try rebuild()
        let recovered = try #require(CollectionPath("recovered_2"))
        #expect(try names(recovered).count == Self.count)
        #expect(!salvage.knowsCollections)
        #expect(
            salvage.losses == [
                "the name of a collection; its documents are now in _default.recovered_2"
            ]
        )
    }

    @Test func `the default collection is recognized without its name`() throws {
        try StoreConnection.edit(file, "DELETE FROM collections WHERE id = 1")
        let salvage = try rebuild()
        #expect(try names(.default).count == Self.count)
        #expect(salvage.knowsCollections && salvage.losses == [])
    }

    @Test func `a collection whose table is lost does not affect other collections`() throws {
        try StoreConnection.edit(
            file,
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE tbl_name = 'docs_1'"
        )
        let salvage = try rebuild()
        #expect(try names(people).count == Self.count)
        #expect(
            salvage.losses == ["reading _default._default ended early: no such table: docs_1"]
        )
    }

    @Test func `a collection missing from the index of names is reported as damage and recovered`()
        throws
    {
        try StoreConnection.edit(
            file,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE (scope, name)', 'CHECK (true)')
                WHERE name = 'collections';
            CREATE TABLE kept AS
                SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_collections_1';
            DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_collections_1';
            """
        )
        try StoreConnection.edit(file, "UPDATE collections SET name = 'peeple' WHERE id = 2")
        try StoreConnection.edit(
            file,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (true)', 'UNIQUE (scope, name)')
                WHERE name = 'collections';
            INSERT INTO sqlite_schema SELECT 'index', 'sqlite_autoindex_collections_1', 'collections',
                rootpage, NULL FROM kept;
            """
        )
        try StoreConnection.edit(file, "DROP TABLE kept")
        do {
            let store = try Store.open(directory: directory)
            defer { try? store.close() }
            let damages = try store.inspect().damages
            #expect(damages.contains { $0.detail.contains("invalid entry for collection") })
        }
        let salvage = try rebuild()
        #expect(salvage.losses == [])
        #expect(try names(people).count == Self.count)
    }

    @Test func `an invalid collection number is damage`() throws {
        try StoreConnection.edit(file, "UPDATE collections SET id = -2 WHERE id = 2")
        let store = try Store.open(directory: directory)
        defer { try? store.close() }
        #expect(throws: StoreError.self) { try store.read { try $0.count(in: people) } }
        #expect(try store.inspect().damages.isEmpty == false)
    }

    @Test(arguments: [RevisionScheme.trees, .vectors])
    func `unreadable metadata does not lose documents`(scheme: RevisionScheme) throws {
        if scheme == .vectors {
            let store = try Store.open(directory: directory)
            try store.upgradeToVersionVectors()
            _ = try store.save("late", in: people, body: Array("{}".utf8))
            try store.close()
        }
        try overwrite(try pages(of: "values"))
        let salvage = try rebuild()
        #expect(salvage.losses == [])
        #expect(try names(.default).count == Self.count)
        #expect(try names(people).count == Self.count + (scheme == .vectors ? 1 : 0))
        let store = try Store.open(directory: directory)
        defer { try? store.close() }
        #expect(store.scheme == scheme)
    }

    /// As caused by a save that does not find the document, because the index of IDs is damaged.
    @Test func `of two rows of a document the later one is kept, and the other is reported`() throws
    {
        try StoreConnection.edit(
            file,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, ' UNIQUE', '') WHERE name = 'docs_2';
            DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_docs_2_1';
            """
        )
        try StoreConnection.edit(
            file,
            "UPDATE docs_2 SET documentID = 'doc-3' WHERE documentID = 'doc-9'"
        )
        let connection = try StoreConnection(path: file, mode: .readWrite)
        try connection.execute(
            """
            UPDATE docs_2 SET checksum = divan_row_checksum(sequence, documentID, revisionID, flags,
                expiration, tree, bodyByteCount, body) WHERE documentID = 'doc-3'
            """
        )
        let salvage = try rebuild()
        #expect(try names(people).count == Self.count - 1)
        #expect(salvage.losses.count == 1)
        #expect(salvage.losses.first?.contains("doc-3 of _default.people") == true)
        let store = try Store.open(directory: directory)
        defer { try? store.close() }
        let body = try store.read { try $0.document("doc-3", in: people)?.body }
        #expect(body?.starts(with: Array(#"{"n":9"#.utf8)) == true)
    }
}
