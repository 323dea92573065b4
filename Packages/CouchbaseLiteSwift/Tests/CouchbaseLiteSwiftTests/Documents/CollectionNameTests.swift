import CouchbaseLiteSwift
import Foundation
import Testing

/// Names of collections as people write them.
@Suite struct CollectionNameTests {
    let home: TemporaryDatabase
    var database: Database { home.database }

    init() throws {
        home = try TemporaryDatabase()
    }

    @Test func `a collection name has one normalized form`() throws {
        let hotels = try #require(CollectionName("travel.hotels"))
        #expect((hotels.scope, hotels.name) == ("travel", "hotels"))
        #expect("\(hotels)" == "travel.hotels")
        #expect(CollectionName(scope: "travel", name: "hotels") == hotels)
        #expect(CollectionName("hotels") == CollectionName(name: "hotels"))
        #expect(CollectionName("_default.hotels").map { "\($0)" } == "hotels")
        #expect(CollectionName("_default") == .default)
    }

    @Test(arguments: ["", ".", "a.b.c", "_a", "a b", "travel._default", "%a"])
    func `an invalid collection name is rejected`(_ text: String) {
        #expect(CollectionName(text) == nil)
    }

    @Test func `a collection is created, found and deleted by its name`() throws {
        let name = try #require(CollectionName("travel.hotels"))
        #expect(try database.collection(name) == nil)
        let made = try database.createCollection(name)
        #expect(made.qualifiedName == name)
        #expect(try database.collection(name) == made)
        #expect(try database.createCollection(name) == made)
        try database.deleteCollection(name)
        #expect(try database.collection(name) == nil)
        expect(CBLError.invalidParameter) { try database.deleteCollection(.default) }
    }

    @Test func `collections of all scopes are listed`() throws {
        for text in ["travel.hotels", "travel.routes", "notes"] {
            _ = try database.createCollection(try #require(CollectionName(text)))
        }
        let names = try database.allCollections().map { "\($0.qualifiedName)" }
        #expect(Set(names) == ["_default", "travel.hotels", "travel.routes", "notes"])
        try database.close()
        expect(CBLError.notOpen) { _ = try database.allCollections() }
    }
}
