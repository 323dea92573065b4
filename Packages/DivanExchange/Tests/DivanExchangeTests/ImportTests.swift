import CouchbaseLiteSwift
import DivanDatabase
import DivanExchange
import DivanTestKit
import Foundation
import Testing

@Suite struct ImportTests {
    private let shop: SampleDatabase

    init() throws { shop = try SampleDatabase() }

    @Test func `exported lines with blobs are imported as equal documents`() throws {
        try shop.save("tea", ["price": 3, "tags": ["hot"]])
        try shop.save("cup", blob: "a cup")
        let lines = try SampleDatabase.lines(of: shop.database)
        let other = try SampleDatabase()
        let imported = try other.importing(lines)
        #expect(imported.savedCount == 2)
        #expect(imported.blobCount == 1)
        #expect(try SampleDatabase.lines(of: other.database) == lines)
        #expect(try other.importing(lines).unchangedCount == 2)
    }

    @Test func `documents of an array are imported, and the collection is created`() throws {
        let path = try #require(CollectionPath("food.drinks"))
        try shop.importing("[{\"_id\":\"a\"},\n{\"_id\":\"b\"}]", rules: .init(collection: path))
        #expect(try shop.database.collection(name: "drinks", scope: "food")?.count == 2)
    }

    @Test func `an error names file and line, and documents before it are saved`() throws {
        let error = #expect(throws: ExchangeError.self) {
            try shop.importing("{\"_id\":\"a\"}\n{\"_id\":\"b\",}\n")
        }
        #expect(error?.code == .invalid)
        #expect(error?.place == "input:2, column 12")
        #expect(error?.isOfInput == true)
        #expect(try shop.items.count == 1)
    }

    @Test func `invalid documents are skipped and reported if requested`() throws {
        var codes: [ExchangeError.Code] = []
        let imported = try shop.importing(
            "{\"_id\":\"a\"}\n[\n{\"_id\":\"\"}\n{\"_id\":\"b\"}\n",
            rules: .init(skipsInvalid: true)
        ) {
            if case .skipped(let error) = $0 { codes.append(error.code) }
        }
        #expect(codes == [.invalid, .invalidDocument])
        #expect(imported.refusedCount == 2)
        #expect(imported.savedCount == 2)
    }

    @Test func `a dry run counts documents without saving them`() throws {
        let imported = try shop.importing("{\"_id\":\"a\"}", rules: .init(isDry: true))
        #expect(imported.savedCount == 1)
        #expect(try shop.items.count == 0)
    }

    @Test func `a required key that no document has is an error`() throws {
        let rules = DocumentImport.Rules(ids: ImportIDs(key: "sku", isRequired: true))
        let error = #expect(throws: ExchangeError.self) {
            try shop.importing("{\"name\":\"tea\"}", rules: rules)
        }
        #expect(error?.code == .noIDKey)
        #expect(error?.remedy == "the first document has 'name'")
    }

    @Test func `an error of the progress handler stops an import, which can be repeated`() throws {
        let text = (1...9).map { "{\"_id\":\"\($0)\"}\n" }.joined()
        let source = ByteSource(name: "input", bytes: Array(text.utf8))
        #expect(throws: CancellationError.self) {
            try shop.database.importDocuments(
                from: source,
                progress: { if $0.documentCount == 4 { throw CancellationError() } }
            )
        }
        #expect(try shop.items.count == 4)
        let imported = try shop.importing(text)
        #expect(imported.unchangedCount == 4)
        #expect(imported.savedCount == 5)
    }

    @Test func `progress is also called while an input contains no documents`() throws {
        var rest = 20
        let source = ByteSource(name: "input") {
            rest -= 1
            return rest < 0 ? [] : [UInt8](repeating: UInt8(ascii: "\n"), count: 100_000)
        }
        #expect(throws: CancellationError.self) {
            try shop.database.importDocuments(
                from: source,
                progress: { _ in throw CancellationError() }
            )
        }
        #expect(rest == 17)
    }

    @Test func `a long first object is imported from a response of CouchDB, in pieces of any size`()
        throws
    {
        let filler = String(repeating: "x", count: 100 << 10)
        let bytes = Array("{\"note\":\"\(filler)\",\"_id\":\"a\"}\n".utf8)
        for size in [bytes.count, 1 << 10] {
            let other = try SampleDatabase()
            var rest = bytes[...]
            let source = ByteSource(name: "input") {
                defer { rest = rest.dropFirst(size) }
                return Array(rest.prefix(size))
            }
            try other.database.importDocuments(from: source, as: .couch(keepingRevisions: false))
            #expect(try other.items.document(id: "a")?.string(forKey: "note") == filler)
        }
    }

    @Test func `all complete documents of CouchDB before an error are saved`() throws {
        let revision = "1-" + String(repeating: "a", count: 32)
        let documents = ["a", "b"].map { "{\"_id\":\"\($0)\",\"_rev\":\"\(revision)\"}," }.joined()
        let error = #expect(throws: ExchangeError.self) {
            try shop.importing(
                "{\"docs\":[\(documents){\"_id\":",
                as: .couch(keepingRevisions: false)
            )
        }
        #expect(error?.problem == "the array is not closed")
        #expect(try shop.items.count == 2)
    }

    @Test func `fields of comma-separated values become JSON values, except in text columns`()
        throws
    {
        let text = "_id,n,zip\r\na,1.5,01234\r\nb,true,567\r\n"
        try shop.importing(text, as: .csv(CSVRules(textColumns: ["zip"])))
        #expect(
            try SampleDatabase.lines(of: shop.database) == """
                {"_id":"a","n":1.5,"zip":"01234"}
                {"_id":"b","n":true,"zip":"567"}

                """
        )
    }

    @Test func `a response of CouchDB is imported with its revision IDs`() throws {
        let row = """
            {"id":"a","doc":{"_id":"a","n":1,"_revisions":{"start":2,"ids":["bb","aa"]}}}
            """
        let revision = String(repeating: "b", count: 32)
        let parent = String(repeating: "a", count: 32)
        let response = "{\"rows\":[\(row)]}"
            .replacing("\"bb\"", with: "\"\(revision)\"")
            .replacing("\"aa\"", with: "\"\(parent)\"")
        try shop.importing(
            response,
            as: .couch(keepingRevisions: true),
            rules: .init(keepsRevisions: true)
        )
        #expect(try shop.items.document(id: "a")?.revisionID == "2-\(revision)")
    }

    @Test func `a database is created from lines that name their collections`() throws {
        var documents = try DocumentImport(creating: shop.folder.path + "/copy.cblite2")
        let lines = "{\"_id\":\"a\",\"_collection\":\"food.drinks\"}\n{\"_id\":\"b\"}\n"
        let source = ByteSource(name: "lines", bytes: Array(lines.utf8))
        try DocumentFormat.json.read(source) { try documents.add(&$0) }
        try documents.finish()
        #expect(!FileManager.default.fileExists(atPath: shop.folder.path + "/copy.cblite2"))
        try documents.place()
        let copy = try Database(name: "copy", config: shop.config)
        defer { try? copy.close() }
        #expect(try copy.collection(name: "drinks", scope: "food")?.count == 1)
        #expect(try copy.defaultCollection().count == 1)
    }
}
