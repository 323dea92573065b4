import CouchbaseLiteSwift
import Foundation
import Testing

/// `behaviour.md` §2: what saving, deleting and purging do.
@Suite struct SavingTests {
    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    private func saved(
        _ id: String = "doc",
        _ data: [String: Any] = ["n": 1]
    ) throws
        -> MutableDocument
    {
        let document = MutableDocument(id: id, data: data)
        try collection.save(document: document)
        return document
    }

    @Test func `saving updates the document object`() throws {
        let document = MutableDocument(id: "doc")
        #expect(document.revisionID == nil)
        #expect(document.sequence == 0)
        #expect(document.collection == nil)

        try collection.save(document: document)
        #expect(document.revisionID?.hasPrefix("1-") == true)
        #expect(document.sequence == 1)
        #expect(document.collection == collection)

        document.setInt(2, forKey: "n")
        try collection.save(document: document)
        #expect(document.revisionID?.hasPrefix("2-") == true)
        #expect(document.sequence == 2)
        #expect(try collection.document(id: "doc")?.int(forKey: "n") == 2)
    }

    @Test func `every save creates a revision, even without changes`() throws {
        let document = try saved()
        let first = document.revisionID
        try collection.save(document: document)
        #expect(document.revisionID != first)
        #expect(document.sequence == 2)
    }

    @Test func `an empty body can be saved`() throws {
        _ = try saved("empty", [:])
        #expect(try collection.document(id: "empty")?.count == 0)
    }

    /// Recorded from Couchbase Lite (`revisions.md` §1).
    @Test func `revision IDs are the same as in Couchbase Lite`() throws {
        let document = MutableDocument(id: "doc", data: ["ans*wer": 42])
        try collection.save(document: document)
        #expect(document.revisionID == "1-feb9f18cfe84f614f750040e3eed3eb84a6b5332")
        try collection.save(document: document.setData(["ok": "go"]))
        #expect(document.revisionID == "2-134f93aab57c91b159373e97764ef82a5eb058a0")

        let other = MutableDocument(data: ["property": "value"])
        try collection.save(document: other)
        try collection.save(document: other.setString("newvalue", forKey: "property"))
        try collection.delete(document: other)
        #expect(other.revisionID == "3-b5286031b23cedfe784a86c021dc15817da8ff6d")
    }

    @Test func `reading a document that does not exist returns nil`() throws {
        #expect(try collection.document(id: "nothing") == nil)
    }

    @Test(arguments: ["", "_leading", "line\nend", String(repeating: "x", count: 241)])
    func `an invalid document ID is rejected`(_ id: String) throws {
        expect(CBLError.badDocID) { try collection.save(document: MutableDocument(id: id)) }
    }

    @Test func `document IDs have up to 240 bytes and are case-sensitive`() throws {
        let long = String(repeating: "é", count: 120)
        _ = try saved(long)
        _ = try saved("a")
        #expect(try collection.document(id: long) != nil)
        #expect(try collection.document(id: "A") == nil)
    }

    @Test func `generated IDs are unique and valid`() throws {
        let ids = Set((0..<100).map { _ in MutableDocument().id })
        #expect(ids.count == 100)
        try collection.save(document: MutableDocument())
        #expect(collection.count == 1)
    }

    @Test(arguments: ["_id", "_rev", "_deleted", ""])
    func `a reserved or empty key is refused`(_ key: String) throws {
        expect(CBLError.corruptRevisionData) {
            try collection.save(document: MutableDocument(data: [key: "x"]))
        }
        #expect(collection.count == 0)
    }

    @Test func `a reserved key is allowed in nested objects`() throws {
        try collection.save(document: MutableDocument(data: ["a": ["_id": "x", "": 1]]))
        try collection.save(document: MutableDocument(data: ["_identity": 1, "__id": 2, "_ID": 3]))
    }

    @Test(arguments: [Double.nan, .infinity])
    func `a number that JSON cannot represent is refused`(_ number: Double) throws {
        expect(CBLError.invalidParameter) {
            try collection.save(document: MutableDocument(data: ["a": [["b": number]]]))
        }
    }

    @Test func `a container that contains itself is refused`() throws {
        let loop = MutableDictionaryObject()
        loop.setDictionary(loop, forKey: "self")
        let document = MutableDocument().setDictionary(loop, forKey: "loop")
        expect(CBLError.invalidParameter) { try collection.save(document: document) }
    }

    @Test func `deleting writes a tombstone and hides the document`() throws {
        let document = try saved()
        try collection.delete(document: document)
        #expect(document.revisionID?.hasPrefix("2-") == true)
        #expect(document.sequence == 2)
        #expect(try collection.document(id: "doc") == nil)
        #expect(collection.count == 0)
    }

    @Test func `deleting a document that was never saved throws`() throws {
        expect(CBLError.notFound) { try collection.delete(document: MutableDocument()) }
        try home.database.close()
        expect(CBLError.notFound) { try collection.delete(document: MutableDocument()) }
        expect(CBLError.notOpen) { try collection.purge(document: MutableDocument()) }
    }

    @Test func `deleting the same object twice writes a second tombstone`() throws {
        let document = try saved()
        try collection.delete(document: document)
        try collection.delete(document: document)
        #expect(document.revisionID?.hasPrefix("3-") == true)
    }

    @Test func `deleting a document that was already deleted succeeds`() throws {
        let document = try saved()
        let other = try #require(try collection.document(id: "doc"))
        try collection.delete(document: document)
        #expect(try collection.delete(document: other, concurrencyControl: .lastWriteWins))
        #expect(document.sequence == 2)
    }

    @Test func `failOnConflict does not delete a document that was changed or deleted elsewhere`()
        throws
    {
        let document = try saved()
        let others = try (0..<2).map { _ in try #require(try collection.document(id: "doc")) }
        let first = try #require(document.revisionID)
        try collection.save(document: document)
        #expect(try !collection.delete(document: others[0], concurrencyControl: .failOnConflict))
        try collection.delete(document: document)
        #expect(try !collection.delete(document: others[1], concurrencyControl: .failOnConflict))
        for other in others { #expect(other.revisionID == first && other.sequence == 1) }
        #expect(try collection.lastSequence == 3)
        // The object that deleted it is up to date, and writes another tombstone.
        #expect(try collection.delete(document: document, concurrencyControl: .failOnConflict))
    }

    @Test func `deleting an already deleted document updates the object to the tombstone`() throws {
        let document = try saved()
        let others = try (0..<2).map { _ in try #require(try collection.document(id: "doc")) }
        try collection.delete(document: document)
        try collection.delete(document: others[0])
        #expect(try collection.delete(document: others[1], concurrencyControl: .lastWriteWins))
        for other in others {
            #expect(other.revisionID == document.revisionID)
            #expect(other.sequence == document.sequence)
        }
        let revived = others[0].toMutable().setInt(6, forKey: "n")
        #expect(try collection.save(document: revived, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "doc")?.revisionID?.hasPrefix("3-") == true)
    }

    @Test func `saving a deleted document restores it as a child of the tombstone`() throws {
        let document = try saved()
        try collection.delete(document: document)
        document.setInt(5, forKey: "n")
        try collection.save(document: document)
        #expect(document.revisionID?.hasPrefix("3-") == true)
        #expect(try collection.document(id: "doc")?.int(forKey: "n") == 5)
    }

    @Test func `purging removes the document, and the object counts as never saved`() throws {
        let document = try saved()
        try collection.purge(document: document)
        #expect(document.revisionID == nil)
        #expect(document.sequence == 0)
        #expect(try collection.document(id: "doc") == nil)

        try collection.save(document: document)
        #expect(document.revisionID?.hasPrefix("1-") == true)
    }

    @Test func `purging a document that does not exist throws`() throws {
        let document = try saved()
        expect(CBLError.notFound) { try collection.purge(document: MutableDocument()) }
        expect(CBLError.notFound) { try collection.purge(id: "nothing") }
        try collection.purge(document: document)
        expect(CBLError.notFound) { try collection.purge(document: document) }
    }

    @Test func `a deleted document can be purged`() throws {
        let document = try saved()
        try collection.delete(document: document)
        try collection.purge(id: "doc")
        _ = try saved()
        #expect(try collection.document(id: "doc")?.revisionID?.hasPrefix("1-") == true)
    }

    @Test func `a document of another collection or database object is refused`() throws {
        let document = try saved()
        let sister = try home.database.createCollection(name: "sister")
        let other = try home.reopened().defaultCollection()
        for stranger in [sister, other] {
            expect(CBLError.invalidParameter) { try stranger.save(document: document) }
            expect(CBLError.invalidParameter) { try stranger.delete(document: document) }
            expect(CBLError.invalidParameter) { try stranger.purge(document: document) }
        }
    }

    @Test func `a document saved by one database object can be read by another`() throws {
        _ = try saved()
        let other = try home.reopened().defaultCollection()
        #expect(try other.document(id: "doc")?.int(forKey: "n") == 1)
        #expect(other.count == 1)
    }

    @Test func `the body is stored as canonical JSON`() throws {
        _ = try saved("doc", ["b": [1, 2.0, true, NSNull()], "a": "é\n"])
        #expect(
            try collection.document(id: "doc")?.toJSON()
                == #"{"a":"é\n","b":[1,2.0,true,null]}"#
        )
    }
}
