import Divan
import Foundation
import Testing

/// Lists of documents.
@Suite struct ListingTests {
    @Test func `documents are listed by prefix, page after page`() async throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try home.database.inBatch {
            for number in 0..<2_500 {
                try collection.save(document: MutableDocument(id: "a:\(number)"))
            }
            for id in ["a", "a:", "b", "Z"] {
                try collection.save(document: MutableDocument(id: id))
            }
        }
        #expect(try collection.documentIDs(prefix: "a:").count == 2_501)
        #expect(try collection.documentIDs(prefix: "a:24").count == 111)
        #expect(try collection.documentIDs().first == "Z")
        #expect(try collection.documentIDs(prefix: "x").isEmpty)
        var ids: [String] = []
        for try await document in collection.documents(prefix: "a:") { ids.append(document.id) }
        #expect(try ids == collection.documentIDs(prefix: "a:"))
    }
}
