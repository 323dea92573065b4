import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// `behaviour.md` §2, the rules that need a peer, the inside of a batch, or odd names.
@Suite(.timeLimit(.minutes(5))) struct DocumentRuleTests {
    @Test func `a pull restores a purged document if the peer has a newer revision`()
        async throws
    {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try there.put("doc", 1)
        let replicator = Replicator(config: try peers.configuration(.pull))
        try await replicator.run()
        try here.purge(id: "doc")
        try await replicator.run()
        #expect(try here.document(id: "doc") == nil, "nothing newer than the checkpoint knows")
        try there.put("doc", 2)
        try await replicator.run()
        #expect(try here.value("doc") == 2)
    }

    @Test func `_attachments and _removed can be saved, but _removed is not sent to a peer`()
        async throws
    {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        let data: [String: Any] = ["_attachments": ["x": ["stub": true]], "_removed": true, "n": 1]
        try here.save(document: MutableDocument(id: "doc", data: data))
        #expect(try here.document(id: "doc")?.int(forKey: "n") == 1)
        try await Replicator(config: try peers.configuration(.push)).run()
        let there = try #require(try peers.there.defaultCollection().document(id: "doc"))
        #expect(there.int(forKey: "n") == 1 && !there.contains(key: "_removed"))
    }

    @Test func `a batch fires its change events once, after the commit`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let queue = DispatchQueue(label: "listener")
        let heard = Heard<[String]>()
        collection.addChangeListener(queue: queue) { heard.append($0.documentIDs) }
        try home.database.inBatch {
            try collection.put("a", 1)
            try collection.put("b", 1)
            try collection.put("a", 2)
            queue.sync {}
            #expect(heard.elements.isEmpty)
        }
        queue.sync {}
        #expect(heard.elements.map { $0.sorted() } == [["a", "b"]])
    }

    @Test func `a failed batch throws unexpectedError with the original message and error`() throws
    {
        struct Original: Error, CustomStringConvertible {
            let description = "the original text"
        }
        struct Shown: LocalizedError {
            let errorDescription: String? = "Shown to people."
        }
        let home = try TemporaryDatabase()
        do {
            try home.database.inBatch { throw Original() }
            Issue.record("nothing was thrown")
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain)
            #expect(error.code == CBLError.unexpectedError)
            #expect(error.localizedDescription == Original().localizedDescription)
            let reason = try #require(error.localizedFailureReason)
            #expect(reason.hasSuffix("was rolled back: the original text"))
            #expect("\(error)".contains("the original text"))
            #expect(error.userInfo[NSUnderlyingErrorKey] is Original)
        }
        let error = #expect(throws: NSError.self) { try home.database.inBatch { throw Shown() } }
        #expect(error?.localizedDescription == "Shown to people.")
    }

    @Test func `the name _default is reserved for the default collection`()
        throws
    {
        let home = try TemporaryDatabase()
        let database = home.database
        #expect(try database.createCollection(name: "_default") == database.defaultCollection())
        expect(CBLError.invalidParameter) {
            _ = try database.createCollection(name: "_default", scope: "other")
        }
        expect(CBLError.invalidParameter) {
            _ = try database.collection(name: "_default", scope: "other")
        }
    }

    @Test func `deleting a collection deletes its documents, and its scope if it was the last`()
        throws
    {
        let home = try TemporaryDatabase()
        let database = home.database
        let collection = try database.createCollection(name: "c", scope: "s")
        let other = try database.createCollection(name: "d", scope: "s")
        try collection.put("doc", 1)
        try other.put("doc", 2)
        try database.deleteCollection(name: "c", scope: "s")
        #expect(try database.scope(name: "s")?.collections() == [other])
        #expect(try other.value("doc") == 2)
        try database.deleteCollection(name: "d", scope: "s")
        #expect(try database.scope(name: "s") == nil)
        #expect(try database.collections(scope: "s").isEmpty)
        #expect(try database.createCollection(name: "c", scope: "s").count == 0)
    }

    @Test func `a purged document counts as never saved and stays in its collection`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let document = MutableDocument(id: "doc", data: ["n": 1])
        try collection.save(document: document)
        try collection.purge(document: document)
        #expect(document.revisionID == nil)
        #expect(document.sequence == 0)
        #expect(document.collection == collection)
        let other = try home.database.createCollection(name: "other")
        expect(CBLError.invalidParameter) { try other.save(document: document) }
        try collection.save(document: document)
        #expect(document.revisionID?.hasPrefix("1-") == true)
    }

    @Test
    func `the conflict handler gets the new and the stored document from the same collection`()
        throws
    {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try collection.put("doc", 1)
        let mine = MutableDocument(id: "doc", data: ["value": 2])
        var calls = 0
        let isSaved = try collection.save(document: mine) { document, existing in
            calls += 1
            #expect(document === mine)
            #expect(existing?.collection == collection)
            #expect(existing?.revisionID?.hasPrefix("1-") == true)
            return true
        }
        #expect(isSaved && calls == 1)
        #expect(mine.revisionID?.hasPrefix("2-") == true)
    }

    @Test(arguments: ["a b", "ü", "a/b", "a:b", "_a".dropFirst() + "_", "%", "0", "日本"])
    func `an ID of 1 to 240 bytes without control characters or leading underscore is valid`(
        _ id: String
    ) throws {
        let home = try TemporaryDatabase()
        try home.collection.put(id, 1)
        #expect(try home.collection.document(id: id)?.id == id)
        #expect(try home.collection.count == 1)
    }

    @Test func `reading a document with an invalid ID returns nil`() throws {
        let home = try TemporaryDatabase()
        for id in ["", "_a", String(repeating: "x", count: 241)] {
            #expect(try home.collection.document(id: id) == nil)
            #expect(try home.collection.getDocumentExpiration(id: id) == nil)
            #expect(try !home.collection[id].exists)
        }
    }
}
