import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Databases whose file is damaged outside the documents' rows.
@Suite struct RebuildTests {
    private let directory: TemporaryDirectory
    private let peer: Database

    /// 400 documents in `here` and in `peer`, and one only in `here`; documents in `here` expire or have blobs.
    init() throws {
        directory = try TemporaryDirectory()
        let here = try Database(name: "here", config: .in(directory))
        let collection = try here.defaultCollection()
        for number in 0..<400 {
            let document = MutableDocument(id: "doc-\(number)")
            document.setString(String(repeating: "number \(number) ", count: 20), forKey: "text")
            if number == 7 {
                let content = Data("the content of a blob".utf8)
                document.setBlob(Blob(contentType: "text/plain", data: content), forKey: "blob")
            }
            try collection.save(document: document)
        }
        try collection.setDocumentExpiration(id: "doc-9", expiration: .distantFuture)
        let path = try #require(here.path)
        try here.close()
        try Database.copy(fromPath: path, toDatabase: "peer", withConfig: .in(directory))
        peer = try Database(name: "peer", config: .in(directory))
        let again = try Database(name: "here", config: .in(directory))
        try again.defaultCollection().save(
            document: MutableDocument(id: "ours").setString("never pushed", forKey: "text")
        )
        try again.performMaintenance(type: .compact)
        try again.close()
    }

    private var file: URL { URL(filePath: directory.file("here.cblite2/db.sqlite3")) }

    private func overwrite(_ offset: Int, count: Int) throws {
        var bytes = try Data(contentsOf: file)
        for place in offset..<offset + count { bytes[place] = 0x5A }
        try bytes.write(to: file)
    }

    private func rebuild() throws -> DatabaseRebuild {
        try Database.rebuild(withName: "here", withConfig: .in(directory)) { here in
            ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: try here.defaultCollection())],
                target: DatabaseEndpoint(database: peer)
            )
        }
    }

    private func checkContent() throws {
        let here = try Database(name: "here", config: .in(directory))
        defer { try? here.close() }
        try here.performMaintenance(type: .integrityCheck)
        let (ours, theirs) = (try here.defaultCollection(), try peer.defaultCollection())
        for number in 0..<400 {
            let found = try ours.document(id: "doc-\(number)")
            let expected = try #require(try theirs.document(id: "doc-\(number)"))
            #expect(found?.toJSON() == expected.toJSON())
            #expect(found?.revisionID == expected.revisionID)
        }
        let blob = try ours.document(id: "doc-7")?.blob(forKey: "blob")
        #expect(blob?.content == Data("the content of a blob".utf8))
    }

    @Test func `an unreadable page loses nothing that the peer has`() throws {
        // A page of documents: most of the others can still be read.
        try overwrite(8_192 * 15, count: 64)
        let rebuild = try rebuild()
        #expect((300..<401).contains(rebuild.keptCount), "\(rebuild)")
        #expect(rebuild.fetchedCount > 0)
        try checkContent()
        let here = try Database(name: "here", config: .in(directory))
        #expect(try here.defaultCollection().document(id: "ours") != nil)
        #expect(try here.defaultCollection().getDocumentExpiration(id: "doc-9") != nil)
        #expect(FileManager.default.fileExists(atPath: rebuild.damagedPath + "db.sqlite3"))
    }

    @Test func `indexes are recreated and include documents from the peer`() throws {
        let before = try Database(name: "here", config: .in(directory))
        let collection = try before.defaultCollection()
        let words = FullTextIndexConfiguration(["text"], language: "en")
        try collection.createIndex(withName: "words", config: words)
        let some = ValueIndexConfiguration(["blob", "text"], where: "text != 'WHERE'")
        try collection.createIndex(withName: "some", config: some)
        try before.close()
        try overwrite(8_192 * 15, count: 64)
        let rebuild = try rebuild()
        #expect(rebuild.fetchedCount > 0 && rebuild.losses == [], "\(rebuild)")
        try checkContent()
        let here = try Database(name: "here", config: .in(directory))
        #expect(try here.defaultCollection().indexes() == ["some", "words"])
        let found = try here.createQuery("SELECT COUNT(*) FROM _ WHERE MATCH(words, 'numbers')")
        #expect(try found.execute().allResults().first?.int(at: 0) == 400)
    }

    /// The header, the head of the schema, all of the first page.
    @Test(arguments: [(0, 100), (100, 200), (0, 8_192)])
    func `documents are recovered from a file that cannot be opened`(place: Int, count: Int) throws
    {
        try overwrite(place, count: count)
        #expect(throws: (any Error).self) {
            try Database(name: "here", config: .in(directory)).defaultCollection()
        }
        let rebuild = try rebuild()
        #expect(rebuild.keptCount == 401, "\(rebuild)")
        #expect(rebuild.fetchedCount == 0)
        #expect(rebuild.losses == [])
        try checkContent()
        let here = try Database(name: "here", config: .in(directory))
        #expect(try here.defaultCollection().document(id: "ours") != nil)
        #expect(try here.defaultCollection().getDocumentExpiration(id: "doc-9") != nil)
    }

    @Test func `an unreadable file is restored from the peer`() throws {
        let byteCount = try Data(contentsOf: file).count
        try overwrite(0, count: byteCount)
        let rebuild = try rebuild()
        #expect(rebuild.keptCount == 0)
        #expect(rebuild.fetchedCount == 400)
        #expect(rebuild.losses.count == 1, "\(rebuild.losses)")
        try checkContent()
    }

    @Test func `a damaged collection name is recovered from its index`() throws {
        let bytes = try Data(contentsOf: file)
        // The first occurrence is in the row or in the index; the other one is left.
        let place = try #require(bytes.range(of: Data("_default_default".utf8)))
        try overwrite(place.lowerBound + 9, count: 1)
        let rebuild = try rebuild()
        #expect(rebuild.keptCount == 401, "\(rebuild)")
        try checkContent()
    }

    @Test func `a modified blob is fetched from the peer`() throws {
        let folder = directory.file("here.cblite2/Attachments")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        try overwrite(8_192 * 15, count: 64)
        #expect(try rebuild().losses.isEmpty)
        try checkContent()
    }

    @Test func `rebuilding throws busy while the database is open and changes nothing`() throws {
        let here = try Database(name: "here", config: .in(directory))
        expect(CBLError.busy) { _ = try rebuild() }
        try here.close()
        try checkContent()
    }

    @Test func `a failed pull changes nothing`() throws {
        try overwrite(8_192 * 15, count: 64)
        let before = try Data(contentsOf: file)
        struct Refusal: Error {}
        #expect(throws: (any Error).self) {
            try Database.rebuild(withName: "here", withConfig: .in(directory)) { _ in
                throw Refusal()
            }
        }
        #expect(try Data(contentsOf: file) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(Set(names) == ["here.cblite2", "peer.cblite2"])
    }

    @Test func `a rebuild after a crash deletes unfinished files and keeps complete ones`() throws {
        let files = FileManager.default
        let unfinished = directory.file("here.rebuilding.cblite2")
        try files.createDirectory(atPath: unfinished, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: unfinished + "/unfinished"))
        #expect(try rebuild().damagedPath.hasSuffix("/here.damaged.cblite2/"))
        // A crash between the last two steps leaves the old database under the new one's name.
        try files.moveItem(atPath: directory.file("here.damaged.cblite2"), toPath: unfinished)
        #expect(try rebuild().damagedPath.hasSuffix("/here.damaged-2.cblite2/"))
        let old = try Database(name: "here.damaged", config: .in(directory))
        #expect(try old.defaultCollection().document(id: "ours") != nil)
        try checkContent()
    }

    @Test func `an encrypted database stays encrypted`() throws {
        var config = DatabaseConfiguration.in(directory)
        config.encryptionKey = .password("plover")
        let path = directory.file("here.cblite2")
        try Database.copy(fromPath: path, toDatabase: "safe", withConfig: .in(directory))
        let safe = try Database(name: "safe", config: .in(directory))
        try safe.changeEncryptionKey(.password("plover"))
        try safe.close()
        let rebuild = try Database.rebuild(withName: "safe", withConfig: config) { safe in
            ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: try safe.defaultCollection())],
                target: DatabaseEndpoint(database: peer)
            )
        }
        #expect(rebuild.keptCount == 401)
        expect(CBLError.unreadableDatabase) {
            _ = try Database(name: "safe", config: .in(directory))
        }
        let again = try Database(name: "safe", config: config)
        #expect(try again.defaultCollection().count == 401)
    }

    @Test func `a repair that cannot fix the file throws corruptData`() async throws {
        try overwrite(8_192 * 15, count: 64)
        let here = try Database(name: "here", config: .in(directory))
        defer { try? here.close() }
        let configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try here.defaultCollection())],
            target: DatabaseEndpoint(database: peer)
        )
        let error = await #expect(throws: NSError.self) {
            _ = try await here.repair(from: configuration)
        }
        #expect(error?.code == CBLError.corruptData)
    }

    @Test func `a collection that the peer does not have does not stop the others`() throws {
        let here = try Database(name: "here", config: .in(directory))
        let renamed = try here.createCollection(name: "qeople")
        try renamed.save(document: MutableDocument(id: "only"))
        try here.close()
        try overwrite(8_192 * 15, count: 64)
        let rebuild = try Database.rebuild(withName: "here", withConfig: .in(directory)) { here in
            ReplicatorConfiguration(
                collections: [
                    CollectionConfiguration(collection: try here.defaultCollection()),
                    CollectionConfiguration(
                        collection: try #require(try here.collection(name: "qeople"))
                    ),
                ],
                target: DatabaseEndpoint(database: peer)
            )
        }
        #expect(rebuild.fetchedCount > 0)
        #expect(rebuild.losses.count == 1, "\(rebuild.losses)")
        #expect(rebuild.losses.first?.contains("qeople: not found on the peer") == true)
        try checkContent()
        let again = try Database(name: "here", config: .in(directory))
        #expect(try again.collection(name: "qeople")?.document(id: "only") != nil)
    }

    @Test func `each lost document is reported`() throws {
        try overwrite(8_192 * 15, count: 64)
        let nobody = try Database(name: "nobody", config: .in(directory))
        let rebuild = try Database.rebuild(withName: "here", withConfig: .in(directory)) { here in
            ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: try here.defaultCollection())],
                target: DatabaseEndpoint(database: nobody)
            )
        }
        #expect(rebuild.losses.count == 401 - rebuild.keptCount, "\(rebuild)")
        #expect(rebuild.losses.allSatisfy { $0.contains("document doc-") })
    }
}
