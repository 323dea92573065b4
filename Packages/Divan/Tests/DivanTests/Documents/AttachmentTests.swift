import DivanStore
import Foundation
import Testing

@testable import Divan

/// Attachments in the form of CouchDB, which come with a pull and stay in the document.
@Suite struct AttachmentTests {
    private let home: TemporaryDatabase
    private let collection: Divan.Collection
    private let digest: BlobDigest
    private let body: String

    /// Their content is in the store, and a document that came from a peer names it.
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

    @Test func `a document that is edited keeps the content of its attachments`() throws {
        try expectContent()
        let document = try #require(try collection.document(id: "doc")).toMutable()
        try collection.save(document: document.setInt(2, forKey: "n"))
        try expectContent()
    }

    @Test func `a document that is saved as it was read keeps the content, too`() throws {
        try collection.save(document: try #require(try collection.document(id: "doc")).toMutable())
        try expectContent()
    }

    @Test(arguments: [true, false])
    func `the content stays between composing and saving`(isEdited: Bool) throws {
        let document = try #require(try collection.document(id: "doc")).toMutable()
        if isEdited { document.setInt(2, forKey: "n") }
        let composed = try document.encodedBody(for: collection)
        try collection.purge(id: "doc")
        try expectContent()
        #expect(composed.hasBlobs)
        withExtendedLifetime(composed.holds) {}
    }
}
