import DivanJSON
import DivanQuery
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

/// Damaged indexes by which documents are found, and documents that were stored a second time since.
@Suite struct NameRepairTests {
    private static let count = 300
    private let home: TemporaryDirectory

    init() throws {
        home = try TemporaryDirectory()
        let store = try Store.open(directory: directory)
        let index = QueryIndexDefinition.value(
            [CheckedKey(.property(source: 0, "n"))],
            filter: nil
        )
        try store.write { writer in
            for number in 0..<Self.count {
                let id = DocumentID(unchecked: "doc-\(number)")
                _ = try writer.save(id, in: .default, body: Array(#"{"n":\#(number)}"#.utf8))
            }
            try writer.createIndex("byN", index, in: .default)
        }
        try store.compact()
        try store.close()
    }

    private var directory: String { home.file("a.cblite2") }
    private var file: String { directory + "/db.sqlite3" }

    /// Overwrites the index of document IDs: one of its names, or its page.
    private func damage(_ places: Range<Int>) throws {
        let connection = try StoreConnection(path: file, mode: .readOnly)
        let page = try connection.integer(
            "SELECT max(pageno) FROM dbstat WHERE name = 'sqlite_autoindex_docs_1_1'"
        )
        let start = (Int(page ?? 0) - 1) * 8_192
        var bytes = try Data(contentsOf: URL(filePath: file))
        bytes.replaceSubrange(
            start + places.lowerBound..<start + places.upperBound,
            with: Data(repeating: 0x5A, count: places.count)
        )
        try bytes.write(to: URL(filePath: file))
    }

    /// Damages a name in the index of document IDs, or the byte at an offset from its beginning.
    private func loseName(_ id: String, at offset: Int = 0) throws {
        let connection = try StoreConnection(path: file, mode: .readOnly)
        let page = try connection.integer(
            "SELECT max(pageno) FROM dbstat WHERE name = 'sqlite_autoindex_docs_1_1'"
        )
        let start = (Int(page ?? 0) - 1) * 8_192
        let bytes = try Data(contentsOf: URL(filePath: file))
        let place = try #require(bytes[start..<start + 8_192].range(of: Data(id.utf8)))
        let first = place.lowerBound - start + offset
        try damage(first..<first + 1)
    }

    private func open() throws -> Store {
        try Store.open(directory: directory, options: StoreOptions(create: false))
    }

    @Test func `a document ID index with a missing entry is rebuilt`() throws {
        try loseName("doc-77")
        let store = try open()
        defer { try? store.close() }
        #expect(throws: StoreError.self) { try store.checkIntegrity() }
        var sentences: [String] = []
        #expect(try store.reindex { sentences.append($0) } == 1)
        #expect(sentences == [])
        try store.checkIntegrity()
        #expect(try store.read { try $0.document("doc-77", in: .default) } != nil)
    }

    @Test func `a document ID index with an unreadable page is rebuilt`() throws {
        try damage(0..<8_192)
        let store = try open()
        defer { try? store.close() }
        #expect(throws: StoreError.self) {
            try store.read { try $0.document("doc-77", in: .default) }
        }
        #expect(try store.reindex() == 1)
        try store.checkIntegrity()
        #expect(try store.read { try $0.count(in: .default) } == Self.count)
        #expect(try store.read { try $0.document("doc-77", in: .default) } != nil)
        _ = try store.save("doc-77", in: .default, body: Array("{}".utf8))
        try store.checkIntegrity()
    }

    @Test func `of two rows of a document the later one is kept`() throws {
        try loseName("doc-77")
        do {
            let store = try open()
            _ = try store.save("doc-77", in: .default, body: Array(#"{"n":"new"}"#.utf8))
            #expect(try store.read { try $0.count(in: .default) } == Self.count + 1)
            try store.close()
        }
        let store = try open()
        defer { try? store.close() }
        var sentences: [String] = []
        try store.reindex { sentences.append($0) }
        #expect(sentences.count == 1)
        let wanted = "document doc-77 of _default._default was stored twice"
        #expect(sentences.first?.hasPrefix(wanted) == true)
        try store.checkIntegrity()
        #expect(try store.read { try $0.count(in: .default) } == Self.count)
        #expect(
            try store.read { try $0.document("doc-77", in: .default)?.body }
                == Array(#"{"n":"new"}"#.utf8)
        )
        // The number that was assigned is not reused.
        _ = try store.save("late", in: .default, body: Array("{}".utf8))
        #expect(try store.read { try $0.lastSequence(in: .default) } == UInt64(Self.count) + 2)
    }

    @Test func `an intact row replaces a damaged row of the same document`() throws {
        try loseName("doc-77")
        do {
            let store = try open()
            _ = try store.save("doc-77", in: .default, body: Array(#"{"n":"new"}"#.utf8))
            try store.close()
        }
        try StoreConnection.edit(
            file,
            "UPDATE docs_1 SET flags = flags | 1 WHERE sequence > \(Self.count)"
        )
        let store = try open()
        defer { try? store.close() }
        try store.reindex()
        #expect(
            try store.read { try $0.document("doc-77", in: .default)?.body }
                == Array(#"{"n":77}"#.utf8)
        )
        try store.checkIntegrity()
    }

    /// The index leads from `doc-77` to the row of `doc-89`, the ninetieth.
    @Test func `purging by a damaged index never purges another document`() throws {
        try loseName("doc-77", at: 6)
        let store = try open()
        defer { try? store.close() }
        #expect(throws: StoreError.self) {
            try store.write { _ = try $0.purge("doc-77", in: .default) }
        }
        #expect(throws: StoreError.self) {
            try store.write { try $0.setExpiration(1, of: "doc-77", in: .default) }
        }
        #expect(try store.purgeExpired(now: 10) == 0)
        #expect(try store.read { try $0.document("doc-89", in: .default) } != nil)
        try store.reindex()
        try store.checkIntegrity()
        #expect(try store.read { try $0.count(in: .default) } == Self.count)
        #expect(try store.write { try $0.purge("doc-77", in: .default) })
    }

    @Test func `a damaged expiration index does not purge documents too early`() throws {
        let time: Int64 = 4_000_000_000_000
        do {
            let store = try open()
            try store.write { try $0.setExpiration(time, of: "doc-77", in: .default) }
            try store.close()
        }
        // The time followed by the number of the row: this sequence is only in the index.
        let entry = (0..<6).map { UInt8(truncatingIfNeeded: time >> (40 - 8 * $0)) } + [78]
        var bytes = try Data(contentsOf: URL(filePath: file))
        let place = try #require(bytes.range(of: Data(entry)))
        bytes[place.lowerBound] = 0
        try bytes.write(to: URL(filePath: file))
        let store = try open()
        defer { try? store.close() }
        #expect(try store.purgeExpired(now: time - 1) == 0)
        #expect(try store.expiredCount(now: time - 1) == 0)
        #expect(try store.read { try $0.document("doc-77", in: .default) } != nil)
        try store.reindex()
        try store.checkIntegrity()
        #expect(try store.purgeExpired(now: time) == 1)
    }

    /// What is left of such rows is NULL in each column: several have the same name, by which none is found.
    @Test func `rebuilding indexes does not trap if half a page is erased`() throws {
        let page: Int64? = try {
            let connection = try StoreConnection(path: file, mode: .readOnly)
            return try connection.integer(
                "SELECT max(pageno) FROM dbstat WHERE name = 'docs_1' AND pagetype = 'leaf'"
            )
        }()
        let end = try Int(#require(page)) * 8_192
        var bytes = try Data(contentsOf: URL(filePath: file))
        bytes.replaceSubrange(end - 4_096..<end, with: Data(repeating: 0, count: 4_096))
        try bytes.write(to: URL(filePath: file))
        try damage(0..<8_192)
        let store = try open()
        defer { try? store.close() }
        #expect(throws: StoreError.self) { try store.reindex() }
    }

    @Test func `restoring a document that is stored twice reports what to do`() throws {
        try loseName("doc-77")
        do {
            let store = try open()
            _ = try store.save("doc-77", in: .default, body: Array("{}".utf8))
            try store.close()
        }
        let store = try open()
        defer { try? store.close() }
        let inspection = try store.inspect()
        let error = #expect(throws: StoreError.self) {
            try store.restore(inspection, from: Store.inMemory())
        }
        #expect(error?.description.contains("divan index rebuild") == true)
        try store.reindex()
        #expect(try store.inspect().damages == [])
    }

    // MARK: Documents that no list has

    @Test func `listing all documents reports a document that damage marks as deleted`() throws {
        try StoreConnection.edit(
            file,
            "UPDATE docs_1 SET flags = flags | 1 WHERE documentID = 'doc-77'"
        )
        let store = try open()
        defer { try? store.close() }
        let error = #expect(throws: StoreError.self) {
            try store.read { try $0.confirmList(of: .default) }
        }
        #expect(error?.code == .damagedDocument(documentID: "doc-77", "checksum mismatch"))
    }

    @Test func `a list cut short by a damaged document ID index is detected`() throws {
        try loseName("doc-0")
        try damage(3..<5)
        let store = try open()
        defer { try? store.close() }
        #expect(throws: StoreError.self) {
            try store.read { try $0.confirmList(of: .default) }
        }
    }

    @Test(arguments: [false, true])
    func `a list read in pages detects hidden documents, even during other writes`(
        isChanged: Bool
    ) throws {
        let whole = try open()
        let list = try listed(in: whole, changing: isChanged)
        try whole.read { try $0.confirm(list) }
        try whole.close()
        try StoreConnection.edit(
            file,
            "UPDATE docs_1 SET flags = flags | 1 WHERE documentID = 'doc-77'"
        )
        let store = try open()
        defer { try? store.close() }
        let short = try listed(in: store, changing: isChanged)
        let error = #expect(throws: StoreError.self) { try store.read { try $0.confirm(short) } }
        #expect(error?.code == .damagedDocument(documentID: "doc-77", "checksum mismatch"))
    }

    /// Lists a hundred at a time; something may be stored after the first.
    private func listed(in store: Store, changing isChanged: Bool) throws -> ListCount {
        var list = try store.read { try ListCount(of: .default, $0) }
        var last: DocumentID?
        while true {
            let page = try store.read {
                try $0.documentIDs(in: .default, after: last, limit: 100)
            }
            list.count += page.count
            if isChanged, last == nil {
                _ = try store.save("a-new-one", in: .default, body: Array("{}".utf8))
            }
            last = page.last
            guard page.count == 100 else { return list }
        }
    }

    @Test func `an ID that the index assigns to the row of another document is not listed`() throws
    {
        try loseName("doc-77")
        let store = try open()
        defer { try? store.close() }
        let ids = try store.read { try $0.documentIDs(in: .default, limit: 1_000) }
        #expect(ids.count == Self.count - 1)
        #expect(ids.allSatisfy { $0.text.hasPrefix("doc-") && $0.text != "doc-77" })
        let error = #expect(throws: StoreError.self) {
            try store.read { try $0.confirmList(of: .default) }
        }
        #expect(error?.description.contains("wrong index of document IDs") == true)
    }

    @Test func `a complete list of all documents is confirmed`() throws {
        let store = try open()
        defer { try? store.close() }
        try store.read { try $0.confirmList(of: .default) }
        _ = try store.write { writer in
            try writer.save("doc-5", in: .default, body: Array("{}".utf8), isTombstone: true)
        }
        try store.read { try $0.confirmList(of: .default) }
        #expect(throws: StoreError.self) {
            try store.read { try $0.confirm(listedCount: Self.count, in: .default) }
        }
    }
}
