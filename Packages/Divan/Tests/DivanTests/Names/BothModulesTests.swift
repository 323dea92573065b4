import CouchbaseLiteSwift
import Divan
import Foundation
import Testing

/// One file can import both modules: names that both have are written with their module.
@Suite struct BothModulesTests {
    @Test("The compatible API reads what the modern one wrote, and the other way round")
    func together() throws {
        let disk = try DiskDatabase("both")
        let modern: Divan.Database = disk.database
        let notes = try modern.collection("notes")
        var note = Divan.Document(
            id: "1",
            ["title": "Milk", "made": .init(Date(timeIntervalSince1970: 0))]
        )
        note.photo = Divan.Blob(Data([1, 2]), type: "image/png")
        try notes.save(note)

        var config = DatabaseConfiguration()
        config.directory = disk.url.path(percentEncoded: false)
        let official = try CouchbaseLiteSwift.Database(name: "both", config: config)
        let collection = try #require(try official.collection(name: "notes"))
        let read = try #require(try collection.document(id: "1")?.toMutable())
        #expect(read.string(forKey: "title") == "Milk")
        #expect(read.date(forKey: "made") == Date(timeIntervalSince1970: 0))
        #expect(read.blob(forKey: "photo")?.content == Data([1, 2]))
        read.setString("Bread", forKey: "title")
        read.setBlob(.init(contentType: "image/gif", data: Data([3])), forKey: "other")
        try collection.save(document: read)

        let again = try #require(try notes.get("1"))
        #expect(again.title == "Bread")
        #expect(again.revision?.id == read.revisionID)
        #expect(try again.other?.blob?.data() == Data([3]))
        #expect(again.other?.blob?.type == "image/gif")
    }

    @Test("A transaction includes the calls of both modules on its thread")
    func transactions() throws {
        let disk = try DiskDatabase("both")
        var config = DatabaseConfiguration()
        config.directory = disk.url.path(percentEncoded: false)
        let official = try CouchbaseLiteSwift.Database(name: "both", config: config)
        struct Own: Error {}
        #expect(throws: Own.self) {
            try disk.database.write { _ in
                try official.defaultCollection().save(document: MutableDocument(id: "1"))
                throw Own()
            }
        }
        #expect(try disk.database.documents.count() == 0)
    }
}
