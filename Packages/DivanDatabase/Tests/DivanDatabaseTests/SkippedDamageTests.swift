import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Testing

@testable import DivanDatabase
// Bytes are changed where no public call reaches.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// One damaged document, or record, does not block anything else.
@Suite(.timeLimit(.minutes(5))) struct SkippedDamageTests {
    private let home: TemporaryDirectory
    private let path: String
    private var database: String { path + "/db.sqlite3" }

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        try store.write { writer in
            for number in 0..<40 {
                let id = DocumentID(unchecked: "doc-\(number)")
                let body = Array(#"{"mark":"\#(String(repeating: "x", count: 200))"}"#.utf8)
                _ = try writer.save(id, in: .default, body: body)
            }
        }
        try store.close()
    }

    private func change(_ sql: String) throws {
        try StoreConnection(path: database, mode: .readWrite).execute(sql)
    }

    @Test(arguments: [1, 3, 40])
    func `a document with damaged metadata is reported and does not stop the changes feed`(
        limit: Int
    ) throws {
        try StoreConnection(path: database, mode: .readWrite).execute(
            "UPDATE docs_1 SET revisionID = x'00' WHERE documentID IN ('doc-5', 'doc-6', 'doc-39')"
        )
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let whole = try store.read { reader in
            try reader.lastSequence(in: .default)
        }
        var (sequence, seen, damaged) = (UInt64(0), [DocumentID](), [DamagedChange]())
        while true {
            let changes = try store.read { reader in
                try reader.changes(
                    in: .default,
                    after: sequence,
                    limit: limit,
                    noting: &damaged
                )
            }
            seen += changes.map(\.documentID)
            sequence = changes.last?.sequence ?? sequence
            if changes.count < limit { break }
        }
        #expect(whole == 40)
        #expect(seen.count == 37)
        #expect(Set(seen).isDisjoint(with: ["doc-5", "doc-6", "doc-39"]))
        #expect(Set(damaged.map(\.documentID)) == ["doc-5", "doc-6", "doc-39"])
        #expect(damaged.allSatisfy { $0.error.concernsOneDocument })
    }

    @Test func `a page of changes exceeds its byte limit by at most one document`() throws {
        let store = Store.inMemory()
        for number in 0..<30 {
            let filler = String(repeating: "x", count: number % 7 * 300)
            _ = try store.save(
                DocumentID(unchecked: "d\(number)"),
                in: .default,
                body: Array(#"{"t":"\#(filler)"}"#.utf8)
            )
        }
        try store.read { reader in
            var pages = reader.changes(in: .default, after: 0, pageCount: 10, byteCount: 2_000)
            var seen: [String] = []
            var isLast = false
            while let page = try pages.next() {
                #expect(!isLast && page.documents.count <= 10)
                #expect(page.documents.dropLast().map(\.body.count).reduce(0, +) < 2_000)
                seen += page.documents.map(\.documentID.text)
                isLast = page.isLast
            }
            #expect(isLast && seen == (0..<30).map { "d\($0)" })
        }
    }

    @Test func `a document with a damaged body does not stop reading changed documents`() throws {
        try change("UPDATE docs_1 SET body = '{}' WHERE documentID IN ('doc-5', 'doc-39')")
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        var (sequence, seen) = (UInt64(0), [DocumentID]())
        while true {
            let page = try store.read { reader in
                try reader.documents(in: .default, after: sequence, limit: 7)
            }
            seen += page.map(\.documentID)
            sequence = page.last?.sequence ?? sequence
            if page.count < 7 { break }
        }
        #expect(seen.count == 38)
        #expect(Set(seen).isDisjoint(with: ["doc-5", "doc-39"]))
    }

    /// The index of names still has the old one, so that nothing is found under the new one.
    @Test func `an expired document with a damaged ID does not cause an endless loop`() throws {
        let store = try Store.open(directory: path)
        try store.write { writer in
            for id in ["doc-7", "doc-8"] as [DocumentID] {
                try writer.setExpiration(5, of: id, in: .default)
            }
        }
        try store.close()
        let file = URL(filePath: database)
        var bytes = try Data(contentsOf: file)
        var rest = bytes.startIndex..<bytes.endIndex
        var changedCount = 0
        while let found = bytes.range(of: Data("doc-7".utf8), in: rest) {
            rest = found.upperBound..<bytes.endIndex
            let near = found.upperBound..<min(found.upperBound + 64, bytes.endIndex)
            guard bytes.range(of: Data("mark".utf8), in: near) != nil else { continue }
            bytes[found.lowerBound + 2] = UInt8(ascii: "x")
            changedCount += 1
        }
        #expect(changedCount == 1)
        try bytes.write(to: file)
        let damaged = try Store.open(directory: path)
        defer { try? damaged.close() }
        #expect(try damaged.purgeExpired(now: 10) == 1)
        #expect(try damaged.purgeExpired(now: 10) == 0)
        #expect(try damaged.nextExpiration() == 5, "it is still there")
    }

    @Test func `remote marks are recorded for other documents if one revision tree is damaged`()
        throws
    {
        let remote = RemoteID(rawValue: 1)
        var store = try Store.open(directory: path)
        for number in 5...7 {
            let id = DocumentID(unchecked: "doc-\(number)")
            _ = try store.save(id, in: .default, body: Array("{}".utf8))
        }
        try store.close()
        try change("UPDATE docs_1 SET tree = x'FF' WHERE documentID = 'doc-6'")
        store = try Store.open(directory: path)
        defer { try? store.close() }
        let heads = try store.read { try $0.changes(in: .default, after: 0, limit: 100) }
        let marks = heads.map {
            KnownRevision(documentID: $0.documentID, revisionID: $0.revisionID)
        }
        #expect(marks.count == 40)
        try store.write { try $0.markKnown(marks, at: remote, in: .default) }
        let damaged = try #require(heads.first { $0.documentID == "doc-6" })
        try store.write {
            try $0.markKnown("doc-6", damaged.revisionID, at: remote, in: .default)
        }
        for head in heads where head.documentID != "doc-6" {
            let known = try store.read {
                try $0.remoteAncestor(of: head.documentID, at: remote, in: .default)
            }
            #expect(known == head.revisionID)
        }
    }

    @Test func `a damaged refusal record is ignored`() throws {
        let remote = RemoteID(rawValue: 1)
        let store = try Store.open(directory: path)
        try store.write { writer in
            let documents = try writer.documents(in: .default, after: 0, limit: 2)
            let refusals = documents.map { document in
                Refusal(
                    documentID: document.documentID,
                    revisionID: document.revisionID,
                    sequence: document.sequence,
                    domain: 6,
                    code: 403,
                    message: "no",
                    time: 1
                )
            }
            try writer.note(refusals, at: remote, in: .default)
        }
        try store.close()
        try change(
            """
            UPDATE "values" SET value = x'FF' WHERE space = 'refusals' AND key NOT LIKE '%doc-1'
            """
        )
        let damaged = try Store.open(directory: path)
        defer { try? damaged.close() }
        let listed = try damaged.read { try $0.refusals(in: .default, at: remote) }
        #expect(listed.map(\.documentID) == ["doc-1"])
        #expect(try damaged.read { try $0.hasRefusals(in: .default, at: remote) })
    }

    @Test func `a rebuild reports the documents it loses unless they were restored`() throws {
        try change("UPDATE docs_1 SET body = '{}' WHERE documentID IN ('doc-5', 'doc-9')")
        let (directory, new) = (path, home.file("new.cblite2"))
        let salvage = try Store.rebuild(
            directory: directory,
            by: new,
            keepingOldAt: { home.file("old-\($0).cblite2") },
            options: StoreOptions(),
            completing: { _ in
                let fresh = try Store.open(directory: new)
                _ = try fresh.save("doc-9", in: .default, body: Array("{}".utf8))
                try fresh.close()
            }
        )
        #expect(salvage.documentCount == 38)
        #expect(salvage.losses.count == 2)
        #expect(salvage.losses.first?.hasPrefix("document doc-5 of _default") == true)
        // Another revision was current here.
        #expect(salvage.losses.last?.contains("of document doc-9") == true)
    }
}
