import DivanDatabase
import Foundation
import Testing

@_spi(Stores) @testable import CouchbaseLiteSwift

/// CouchDB-style attachments, which come with a pull and stay in the document.
@Suite struct AttachmentTests {
    private let home: TemporaryDatabase
    private let collection: CouchbaseLiteSwift.Collection
    private let digest: BlobDigest
    private let body: String

    /// Their content is in the store, and a document from a peer names it.
    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
        let content = Array("an attachment".utf8)
        digest = BlobDigest(hashing: content.span)
        body = #"{"_attachments":{"a.txt":{"digest":"\#(digest)","length":13,"stub":true}},"n":1}"#
        let store = try home.database.openStore()
        let hold = try store.blobs.writeHeld(content)
        try collection.save(document: MutableDocument(id: "doc", json: body))
        withExtendedLifetime(hold) {}
    }

    private func expectContent() throws {
        try home.database.performMaintenance(type: .compact)
        #expect(try home.database.openStore().blobs.contains(digest))
        #expect(try home.database.openStore().garbage().removedCount == 0)
    }

    @Test func `editing a document keeps the content of its attachments`() throws {
        try expectContent()
        let document = try #require(try collection.document(id: "doc")).toMutable()
        try collection.save(document: document.setInt(2, forKey: "n"))
        try expectContent()
    }

    @Test func `saving an unchanged document keeps the content of its attachments`() throws {
        try collection.save(document: try #require(try collection.document(id: "doc")).toMutable())
        try expectContent()
    }

    @Test func `a CouchDB attachment is read as a blob and stored unchanged`() throws {
        let entry: [String: Any] = [
            "content_type": "text/plain", "digest": digest.description, "length": 13, "revpos": 1,
            "stub": true,
        ]
        let data: [String: Any] = ["_attachments": ["b.txt": entry], "n": 1]
        try collection.save(document: MutableDocument(id: "doc", data: data))
        let document = try #require(try collection.document(id: "doc"))
        let editable = document.toMutable()
        for read in [document, editable] {
            let list = try #require(read.dictionary(forKey: "_attachments"))
            let blob = try #require(list.blob(forKey: "b.txt"))
            #expect(blob.content == Data("an attachment".utf8))
            #expect(blob.contentType == "text/plain" && blob.length == 13)
            #expect(blob.properties["revpos"] == nil && list.dictionary(forKey: "b.txt") == nil)
            #expect(read["_attachments"]["b.txt"].blob == blob)
        }
        try collection.save(document: editable)
        #expect(try collection.document(id: "doc")?.toJSON() == document.toJSON())
        try expectContent()
    }

    @Test(arguments: [true, false])
    func `a blob is not deleted between encoding and saving its document`(isEdited: Bool) throws {
        let document = try #require(try collection.document(id: "doc")).toMutable()
        if isEdited { document.setInt(2, forKey: "n") }
        let composed = try document.encodedBody(for: collection)
        try collection.purge(id: "doc")
        try expectContent()
        #expect(composed.hasBlobs)
        withExtendedLifetime(composed.holds) {}
    }
}
