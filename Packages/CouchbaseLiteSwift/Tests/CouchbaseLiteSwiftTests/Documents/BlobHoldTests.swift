import DivanDatabase
import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// How a document's blobs are protected between composing and saving it; internal, because only a compaction at that
/// moment would show it.
@Suite struct BlobHoldTests {
    private let home: TemporaryDatabase
    private let collection: CouchbaseLiteSwift.Collection
    private let blob = Blob(contentType: "a/b", data: Data(repeating: 7, count: 9_000))

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    /// Composes `document`, removes every revision that names its blob, compacts, and saves.
    private func saveBehindACompaction(_ document: MutableDocument) throws {
        let composed = try document.encodedBody(for: collection)
        try collection.purge(id: document.id)
        try home.database.performMaintenance(type: .compact)
        #expect(composed.hasBlobs)
        withExtendedLifetime(composed.holds) {}
        let copy = MutableDocument(id: document.id)
        try copy.setJSON(String(decoding: composed.body, as: UTF8.self))
        try collection.save(document: copy)
    }

    @Test func `compaction keeps a blob in an unedited part of a document being saved`() throws {
        let nested = MutableDictionaryObject().setBlob(blob, forKey: "blob")
        let first = MutableDocument(id: "doc").setDictionary(nested, forKey: "in")
        try collection.save(document: first)
        let read = try #require(try collection.document(id: "doc")).toMutable()
        try saveBehindACompaction(read.setInt(1, forKey: "edited"))
        let saved = try #require(try collection.document(id: "doc"))
        #expect(saved.dictionary(forKey: "in")?.blob(forKey: "blob")?.content == blob.content)
    }

    @Test func `compaction keeps the blob of an unchanged document being saved`() throws {
        try collection.save(document: MutableDocument(id: "doc").setBlob(blob, forKey: "blob"))
        try saveBehindACompaction(try #require(try collection.document(id: "doc")).toMutable())
        let saved = try #require(try collection.document(id: "doc"))
        #expect(saved.blob(forKey: "blob")?.content == blob.content)
    }

    @Test func `compaction keeps the blob of a document that is set from JSON`() throws {
        try collection.save(document: MutableDocument(id: "doc").setBlob(blob, forKey: "blob"))
        let text = try #require(try collection.document(id: "doc")).toJSON()
        let document = try MutableDocument(id: "doc").setJSON(text)
        try saveBehindACompaction(document)
        let saved = try #require(try collection.document(id: "doc"))
        #expect(saved.blob(forKey: "blob")?.content == blob.content)
    }

    @Test func `fetching a blob from a damaged database reports the damage`() async throws {
        let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="
        let data = ["blob": ["@type": "blob", "digest": digest]]
        try collection.save(document: MutableDocument(id: "doc", data: data))
        // More than is cached in memory.
        try home.database.store.write { writer in
            for number in 0..<5_000 {
                try writer.setMetadata("\(number)", [UInt8](repeating: 1, count: 200))
            }
        }
        try home.database.performMaintenance(type: .compact)
        try home.database.close()
        let database = try home.reopened()
        let read = try #require(
            try database.defaultCollection().document(id: "doc")?.blob(forKey: "blob")
        )
        let file = URL(filePath: try #require(database.path) + "db.sqlite3")
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(16_384..., with: Data(count: bytes.count - 16_384))
        try bytes.write(to: file)
        let error = await #expect(throws: NSError.self) { try await read.fetch() }
        #expect(error?.domain == CBLError.domain && error?.code == CBLError.corruptData)
    }
}
