import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// The example of README.md.
@Suite struct ExampleTests {
    @Test func `the example in the README works`() async throws {
        let directory = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = directory.path
        let database = try Database(name: "travel", config: config)
        let hotels = try database.createCollection(name: "hotels")
        let changes = hotels.changes()

        let hotel = MutableDocument(id: "grand").setString("Grand", forKey: "name")
        hotel["address"].value = ["city": "Ghent"]
        try hotels.save(document: hotel)

        let isSaved = try hotels.save(
            document: hotel,
            conflictHandler: { mine, theirs in
                mine.setString(theirs?.string(forKey: "name"), forKey: "formerName")
                return true
            }
        )
        for await change in changes {
            print(isSaved, change.documentIDs)
            #expect(isSaved)
            #expect(change.documentIDs == ["grand"])
            break
        }
        #expect(hotels["grand"]["address"]["city"].string == "Ghent")
    }
}
