import CouchbaseLiteSwift
import DivanTestKit
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    @Test func `the example in the README saves a hotel`() throws {
        let directory = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = directory.path
        let database = try Database(name: "travel", config: config)
        let collection = try database.createCollection(name: "hotels", scope: "inventory")
        let hotel = MutableDocument(id: "hotel-1").setString("Grand", forKey: "name")
        try collection.save(document: hotel)
        #expect(try collection.document(id: "hotel-1")?.string(forKey: "name") == "Grand")
    }
}
