import DivanDatabase
import DivanJSON
import DivanREST
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// One damaged document hides no other, and no list shows it as something else.
@Suite(.timeLimit(.minutes(5))) struct DamageTests {
    @Test(arguments: [false, true])
    func `lists skip a document with a damaged header`(hasCondition: Bool) throws {
        let folder = try TemporaryDirectory()
        let store = try damaged(
            "SET revisionID = x'00' WHERE documentID IN ('d3', 'd9')",
            in: folder
        )
        defer { try? store.close() }
        let condition = try RESTCondition("n = 1")
        let served = try Served { configuration in
            configuration.databases = ["notes": store]
            configuration.limits.pageCount = 2
            configuration.limits.scanCount = 3
            if hasCondition {
                configuration.rights = { _, _ in RESTRights(condition: condition) }
            }
        }
        let visitor = try served.visitor()
        let whole = ["d0", "d1", "d2", "d4", "d5", "d6", "d7", "d8"]
        for target in ["_all_docs", "_all_docs?include_docs=true", "_changes?include_docs=true"] {
            let answer = try visitor.ask("GET", "/notes/_default/\(target)").json()
            let rows = answer["rows"]?.array ?? answer["results"]?.array
            #expect(rows?.compactMap { $0["id"]?.string } == whole, "\(target)")
            // A number of all documents would reveal those that the client does not see.
            #expect(answer["damaged"]?.int == (hasCondition ? nil : 2), "\(target)")
        }
        let rest = try visitor.ask(
            "GET",
            "/notes/_default/_changes?include_docs=true&feed=longpoll&since=3"
        )
        #expect(try rest.json()["damaged"]?.int == (hasCondition ? nil : 1))
        let some = try visitor.ask("GET", "/notes/_default/_all_docs?limit=4").json()
        #expect(some["next"]?.string == "d4")
    }

    @Test func `no feed reports a deletion that is caused by damage`() throws {
        let folder = try TemporaryDirectory()
        let store = try damaged("SET flags = flags | 1 WHERE documentID = 'd3'", in: folder)
        defer { try? store.close() }
        let deletion = LocalRevision(deleting: "d5")
        _ = try store.save(deletion, in: .default)
        let served = try Served { $0.databases = ["notes": store] }
        let visitor = try served.visitor()
        for target in ["_changes", "_changes?include_docs=true"] {
            let rows = try visitor.ask("GET", "/notes/_default/\(target)").json()["results"]?.array
            #expect(rows?.count == 9, "\(target)")
            let deleted = rows?.filter { $0["deleted"]?.bool == true }
            #expect(deleted?.compactMap { $0["id"]?.string } == ["d5"], "\(target)")
        }
        // Only the log says that the list is incomplete, as with a damaged document.
        let rows = try visitor.ask("GET", "/notes/_default/_all_docs").json()["rows"]?.array
        #expect(rows?.count == 8)
    }

    /// A database of ten documents, with a change to their table that does not match the checksum.
    private func damaged(_ edit: String, in folder: TemporaryDirectory) throws -> Store {
        let path = folder.file("a.cblite2")
        let written = try Store.open(directory: path, options: StoreOptions(create: true))
        for number in 0..<10 {
            let id = DocumentID(unchecked: "d\(number)")
            _ = try written.save(id, in: .default, body: Array(#"{"n":1}"#.utf8))
        }
        try written.close()
        try RowDamage.edit("\(path)/db.sqlite3", "UPDATE docs_1 \(edit)")
        return try Store.open(directory: path)
    }

    @Test func `the changes feed continues after documents with a damaged deletion flag`() throws {
        let folder = try TemporaryDirectory()
        let edit = "SET flags = flags | 1 WHERE documentID IN ('d3', 'd4', 'd9')"
        let store = try damaged(edit, in: folder)
        defer { try? store.close() }
        let served = try Served { configuration in
            configuration.databases = ["notes": store]
            configuration.limits.pageCount = 1
        }
        let feed = "/notes/_default/_changes"
        for (query, wanted) in [
            ("?limit=4", ["d0", "d1", "d2", "d5"]),
            ("", ["d0", "d1", "d2", "d5", "d6", "d7", "d8"]),
            ("?feed=longpoll&since=3", ["d5"]),
        ] {
            let answer = try served.visitor().ask("GET", feed + query).json()
            let told = answer["results"]?.array?.compactMap { $0["id"]?.string }
            #expect(told == wanted, "\(query)")
        }
    }

    @Test(arguments: ["hello blo", "hello blob content herE", ""])
    func `an altered blob is never served as intact`(found: String) throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("b.cblite2")
        let store = try Store.open(directory: path, options: StoreOptions(create: true))
        defer { try? store.close() }
        let content = Array("hello blob content here".utf8)
        let hold = try store.blobs.writeHeld(content)
        try store.blobs.settle()
        let blob = BlobReference.object(
            naming: hold.digest,
            byteCount: content.count,
            contentType: "text/plain"
        )
        let body = try JSON.object(["p": blob]).canonicalBytes()
        _ = try store.save(DocumentID(unchecked: "a"), in: .default, body: body)
        let file = URL(fileURLWithPath: "\(path)/Attachments/\(hold.digest.fileName)")
        try Data(found.utf8).write(to: file)
        let served = try Served { $0.databases = ["notes": store] }
        let answer = try? served.visitor().ask("GET", "/notes/_default/a/_blobs/p")
        #expect(answer.map { $0.status >= 400 } ?? true, "cut off, or refused")
    }
}
