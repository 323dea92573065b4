@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import DivanExchange
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

@Suite struct ExportTests {
    private let shop: SampleDatabase

    init() throws { shop = try SampleDatabase() }

    @Test func `changes since a sequence include deletions, in their order`() throws {
        try shop.save("tea", ["price": 3])
        try shop.save("cup", ["price": 5])
        let sequence = try shop.items.lastSequence
        try shop.items.delete(document: try #require(try shop.items.document(id: "tea")))
        try shop.save("pot", ["price": 9])
        var bytes: [UInt8] = []
        var export = DocumentExport(to: { bytes += $0 })
        try shop.database.withSnapshot {
            try export.add(shop.items, in: $0, since: sequence)
        }
        try export.finish()
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {"_deleted":true,"_id":"tea","_sequence":3}
                {"_id":"pot","_sequence":4,"price":9}

                """
        )
    }

    @Test func `file names are safe and different, whatever the IDs are`() throws {
        let ids = ["a", "A", "../x", "-o", "ä", String(repeating: "l", count: 200), "a b"]
        for id in ids { try shop.save(id, [:]) }
        var names: [String] = []
        var export = DocumentExport(eachTo: { name, _ in names.append(name) })
        try shop.database.withSnapshot { try export.add(shop.items, in: $0) }
        try export.finish()
        #expect(Set(names.map { $0.lowercased() }).count == ids.count)
        #expect(names.allSatisfy { !$0.contains("/") && !$0.hasPrefix("-") && !$0.hasPrefix(".") })
    }

    @Test func `documents that have expired are left out`() throws {
        try shop.save("old", [:])
        try shop.save("new", [:])
        // Not by the collection, which would purge the document at once.
        try shop.database.openStore().write { writer in
            let id = DivanRevisions.DocumentID(unchecked: "old")
            try writer.setExpiration(1, of: id, in: .default)
        }
        try shop.items.setDocumentExpiration(id: "new", expiration: Date.distantFuture)
        var (lines, table): ([UInt8], [UInt8]) = ([], [])
        try shop.database.exportDocuments { lines += $0 }
        try shop.database.exportCSV(of: shop.items) { table += $0 }
        #expect(String(decoding: lines, as: UTF8.self) == "{\"_id\":\"new\"}\n")
        #expect(String(decoding: table, as: UTF8.self) == "_id\r\nnew\r\n")
    }

    @Test func `a document that is purged during an export is left out if it had expired`() throws {
        try shop.save("old", [:])
        let store = try shop.database.openStore()
        let id = DivanRevisions.DocumentID(unchecked: "old")
        try store.write { try $0.setExpiration(1, of: id, in: .default) }
        var lines: [UInt8] = []
        var export = DocumentExport(to: { lines += $0 })
        try shop.database.withSnapshot { snapshot in
            try shop.items.purge(id: "old")
            try export.add(shop.items, in: snapshot)
        }
        try export.finish()
        #expect(lines.isEmpty)
    }

    @Test func `comma-separated values are imported as equal documents`() throws {
        let seed = TestSeed.choose()
        var random = SeededGenerator(seed: seed)
        let values: [Any] = [1, 2.5, true, "1", "true", "", "a,b", "\"q\"", "line\nbreak", "007"]
        for number in 1...50 {
            var properties: [String: Any] = [:]
            for key in ["a", "b", "c,d"] where Bool.random(using: &random) {
                properties[key] = values.randomElement(using: &random)
            }
            try shop.save("id \(number)", properties)
        }
        var table: [UInt8] = []
        let export = try shop.database.exportCSV(of: shop.items) { table += $0 }
        #expect(export.count == 50)
        let other = try SampleDatabase()
        try other.importing(String(decoding: table, as: UTF8.self), as: .csv(CSVRules()))
        let (left, right) = try (
            SampleDatabase.lines(of: other.database), SampleDatabase.lines(of: shop.database)
        )
        #expect(left == right, "seed \(seed)")
    }

    @Test func `a table export is an SQLite file with the blobs`() throws {
        try shop.save("cup", blob: "a cup")
        var bytes: [UInt8] = []
        let export = try shop.database.exportTables(embeddingBlobs: true) { bytes += $0 }
        #expect(export.count == 1)
        #expect(export.missingBlobs.isEmpty)
        #expect(bytes.starts(with: Array("SQLite format 3\0".utf8)))
        #expect(String(decoding: bytes, as: UTF8.self).contains("a cup"))
    }

    /// Chooses documents in an order that is not that of IDs; `nowhere` does not exist.
    private static var choice: DocumentChoice {
        { _, _, visit in
            for id in ["tea", "nowhere", "cup"] {
                try visit(DivanRevisions.DocumentID(unchecked: id))
            }
        }
    }

    @Test func `an export writes the documents of a choice in its order`() throws {
        for (id, price) in [("cup", 5), ("pot", 9), ("tea", 3)] {
            try shop.save(id, ["price": price])
        }
        let (database, items) = (shop.database, try shop.items)
        var (lines, table, tables): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        let texts = try database.exportDocuments(choosing: Self.choice) { lines += $0 }
        try database.exportCSV(of: items, choosing: Self.choice) { table += $0 }
        let file = try database.exportTables(of: [items], choosing: Self.choice) { tables += $0 }
        #expect((texts.count, file.count) == (2, 2))
        let text = String(decoding: lines, as: UTF8.self)
        #expect(text == "{\"_id\":\"tea\",\"price\":3}\n{\"_id\":\"cup\",\"price\":5}\n")
        #expect(String(decoding: table, as: UTF8.self) == "_id,price\r\ntea,3\r\ncup,5\r\n")
        let bytes = String(decoding: tables, as: UTF8.self)
        #expect(bytes.contains("tea") && !bytes.contains("pot"))
    }

    @Test func `a choice leaves out documents that have expired, and its error ends the export`()
        throws
    {
        struct Lost: Error {}
        try shop.save("tea", [:])
        try shop.save("cup", [:])
        let store = try shop.database.openStore()
        let id = DivanRevisions.DocumentID(unchecked: "tea")
        try store.write { try $0.setExpiration(1, of: id, in: .default) }
        var lines: [UInt8] = []
        try shop.database.exportDocuments(choosing: Self.choice) { lines += $0 }
        #expect(String(decoding: lines, as: UTF8.self) == "{\"_id\":\"cup\"}\n")
        #expect(throws: Lost.self) {
            try shop.database.exportDocuments(choosing: { _, _, _ in throw Lost() }, to: { _ in })
        }
    }

    @Test func `an error of the sink ends an export`() throws {
        struct Full: Error {}
        try shop.save("tea", [:])
        #expect(throws: Full.self) { try shop.database.exportDocuments { _ in throw Full() } }
        #expect(throws: Full.self) { try shop.database.dump { _ in throw Full() } }
        #expect(throws: Full.self) { try shop.database.exportTables { _ in throw Full() } }
    }

    @Test func `exporting a document that is too long to be imported fails`() throws {
        let large = String(repeating: "x", count: 49 << 20)
        try shop.save("large", blob: large)
        let error = #expect(throws: ExchangeError.self) {
            try shop.database.exportDocuments(embeddingBlobs: true) { _ in }
        }
        #expect(error?.code == .documentTooLong)
        #expect(error?.place == "large")
    }
}
