import CouchbaseLiteSwift
import Foundation
import Testing

/// `behaviour.md` §4 and §5, where a file or a peer is needed.
@Suite(.timeLimit(.minutes(5))) struct BlobRuleTests {
    private func removeFiles(of database: Database) throws {
        let path = try #require(database.path) + "Attachments"
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where name.hasSuffix(".blob") {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    @Test func `blobs up to 8 KiB are cached, and larger ones are read from disk each time`()
        throws
    {
        let home = try TemporaryDatabase()
        let (small, large) = (Data(repeating: 1, count: 8_192), Data(repeating: 2, count: 8_193))
        let data: [String: Any] = [
            "small": Blob(contentType: "a/b", data: small),
            "large": Blob(contentType: "a/b", data: large),
        ]
        try home.collection.save(document: MutableDocument(id: "doc", data: data))
        let document = try #require(try home.collection.document(id: "doc"))
        let blobs = [document.blob(forKey: "small"), document.blob(forKey: "large")]
        #expect(blobs.map { $0?.content } == [small, large])
        try removeFiles(of: home.database)
        #expect(blobs.map { $0?.content } == [small, nil])
        #expect(blobs.map { $0?.length } == [8_192, 8_193])
        #expect(blobs[1]?.contentStream == nil)
    }

    @Test func `a modified or truncated blob file has no content`() throws {
        let home = try TemporaryDatabase()
        let blob = Blob(contentType: "a/b", data: Data(repeating: 3, count: 20_000))
        try home.collection.save(document: MutableDocument(id: "doc").setBlob(blob, forKey: "b"))
        let path = try #require(home.database.path) + "Attachments/"
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: path).first {
                $0.hasSuffix(".blob")
            }
        )
        let document = try #require(try home.collection.document(id: "doc"))
        for damaged in [Data(repeating: 3, count: 10_000), Data(repeating: 4, count: 20_000)] {
            try damaged.write(to: URL(fileURLWithPath: path + name))
            #expect(document.blob(forKey: "b")?.content == nil)
        }
        #expect(document.blob(forKey: "b")?.digest == blob.digest)
    }

    @Test func `a stream that fails midway fails the save, and nothing is stored`() throws {
        final class Broken: InputStream {
            private var left = 3
            override func open() {}
            override func close() {}
            override var streamError: (any Error)? { NSError(domain: "app", code: 7) }
            override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
                left -= 1
                guard left > 0 else { return -1 }
                // The caller owns `maxLength` bytes there.
                buffer.update(repeating: 0, count: maxLength)
                return maxLength
            }
        }
        let home = try TemporaryDatabase()
        let blob = Blob(contentType: "a/b", contentStream: Broken(data: Data()))
        expect(CBLError.ioError) {
            try home.collection.save(document: MutableDocument().setBlob(blob, forKey: "b"))
        }
        #expect(try home.collection.count == 0)
    }

    @Test func `compaction deletes blobs stored by saveBlob that no document references`() throws {
        let home = try TemporaryDatabase()
        let blob = Blob(contentType: "a/b", data: Data(repeating: 5, count: 9_000))
        try home.database.saveBlob(blob: blob)
        var properties = blob.properties
        properties["@type"] = "blob"
        let stored = try #require(try home.database.getBlob(properties: properties))
        try home.database.performMaintenance(type: .compact)
        #expect(try home.database.getBlob(properties: properties) == nil)
        #expect(stored.content == nil)
        #expect(blob.content?.count == 9_000)
    }

    @Test func `a blob is replicated with its content type and without _attachments`() async throws
    {
        let peers = try Peers()
        let blob = Blob(contentType: "image/png", data: Data(repeating: 6, count: 50_000))
        let document = MutableDocument(id: "doc").setBlob(blob, forKey: "photo")
        try peers.here.defaultCollection().save(document: document)
        try await Replicator(config: try peers.configuration(.push)).run()
        let read = try #require(try peers.there.defaultCollection().document(id: "doc"))
        #expect(read.keys == ["photo"])
        #expect(read.blob(forKey: "photo")?.contentType == "image/png")
        #expect(read.blob(forKey: "photo")?.content == blob.content)
    }

    /// `behaviour.md` §5.
    @Test func `expiration is local, so the peer keeps the document`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try here.put("doc", 1)
        let replicator = Replicator(config: try peers.configuration(.push))
        try await replicator.run()
        let changes = here.documentChanges(id: "doc")
        try here.setDocumentExpiration(id: "doc", expiration: Date())
        #expect(await changes.first { _ in true } != nil)
        try await replicator.run()
        #expect(try here.document(id: "doc") == nil)
        #expect(try there.value("doc") == 1)
        #expect(try there.getDocumentExpiration(id: "doc") == nil)
    }

    /// `behaviour.md` §5.
    @Test func `setting an expiration does not change the sequence or notify listeners`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try collection.put("doc", 1)
        let queue = DispatchQueue(label: "listener")
        let heard = Heard<[String]>()
        collection.addChangeListener(queue: queue) { heard.append($0.documentIDs) }
        let sequence = try collection.document(id: "doc")?.sequence
        try collection.setDocumentExpiration(id: "doc", expiration: Date() + 3_600)
        try collection.setDocumentExpiration(id: "doc", expiration: nil)
        queue.sync {}
        #expect(heard.elements.isEmpty)
        #expect(try collection.document(id: "doc")?.sequence == sequence)
    }

    /// `behaviour.md` §5.
    @Test func `saving or deleting a document keeps its expiration`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try collection.put("doc", 1)
        try collection.setDocumentExpiration(id: "doc", expiration: Date() + 3_600)
        try collection.put("doc", 2)
        #expect(try collection.getDocumentExpiration(id: "doc") != nil)
        try collection.delete(document: try #require(try collection.document(id: "doc")))
        #expect(try collection.getDocumentExpiration(id: "doc") != nil)
    }
}
