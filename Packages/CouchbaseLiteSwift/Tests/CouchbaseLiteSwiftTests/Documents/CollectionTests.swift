import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// `behaviour.md` §2: scopes and collections.
@Suite struct CollectionTests {
    let home: TemporaryDatabase
    var database: Database { home.database }

    init() throws {
        home = try TemporaryDatabase()
    }

    @Test func `a new database has the default collection in the default scope`() throws {
        let collection = try database.defaultCollection()
        #expect(collection.name == "_default")
        #expect(collection.fullName == "_default._default")
        #expect(collection.scope.name == "_default")
        #expect(try database.scopes().map(\.name) == ["_default"])
        #expect(try database.collections().map(\.name) == ["_default"])
        #expect(try database.collection(name: "_default") == collection)
    }

    @Test func `a scope exists while it has a collection`() throws {
        #expect(try database.scope(name: "inventory") == nil)
        let hotels = try database.createCollection(name: "hotels", scope: "inventory")
        #expect(hotels.fullName == "inventory.hotels")
        #expect(try database.scopes().map(\.name).sorted() == ["_default", "inventory"])

        let scope = try #require(try database.scope(name: "inventory"))
        #expect(try scope.collections() == [hotels])
        #expect(try scope.collection(name: "hotels") == hotels)
        #expect(try scope.collection(name: "airlines") == nil)

        try database.deleteCollection(name: "hotels", scope: "inventory")
        #expect(try database.scope(name: "inventory") == nil)
    }

    @Test func `the default scope exists without other collections`() throws {
        _ = try database.createCollection(name: "a")
        try database.deleteCollection(name: "a")
        #expect(try database.defaultScope().collections().count == 1)
    }

    @Test func `creating an existing collection returns it`() throws {
        let first = try database.createCollection(name: "c")
        try first.save(document: MutableDocument(id: "doc"))
        let second = try database.createCollection(name: "c", scope: nil)
        #expect(first == second)
        #expect(second.count == 1)
    }

    @Test func `each collection has its own documents`() throws {
        let one = try database.createCollection(name: "one")
        let two = try database.createCollection(name: "One")
        try one.save(document: MutableDocument(id: "doc", data: ["in": "one"]))
        #expect(try two.document(id: "doc") == nil)
        #expect(try database.defaultCollection().count == 0)
    }

    @Test(arguments: [
        "", "_lead", "%lead", "a.b", "sp ace", "é", String(repeating: "x", count: 252),
    ])
    func `an invalid collection name is rejected`(_ name: String) throws {
        expect(CBLError.invalidParameter) { _ = try database.createCollection(name: name) }
        expect(CBLError.invalidParameter) {
            _ = try database.createCollection(name: "fine", scope: name)
        }
        let scope = try database.defaultScope()
        expect(CBLError.invalidParameter) { _ = try database.collection(name: name) }
        expect(CBLError.invalidParameter) { _ = try scope.collection(name: name) }
        expect(CBLError.invalidParameter) { _ = try database.collection(name: "c", scope: name) }
        expect(CBLError.invalidParameter) { try database.deleteCollection(name: name) }
        expect(CBLError.invalidParameter) { try database.deleteCollection(name: "c", scope: name) }
        #expect(try database.scope(name: name) == nil)
        #expect(try database.collections(scope: name).isEmpty)
    }

    @Test(arguments: ["a", "9", "-", "A_b-c%20", String(repeating: "x", count: 251)])
    func `a valid collection name is accepted`(_ name: String) throws {
        let collection = try database.createCollection(name: name, scope: name)
        #expect(try database.collection(name: name, scope: name) == collection)
    }

    @Test func `the default collection cannot be deleted`() throws {
        expect(CBLError.invalidParameter) { try database.deleteCollection(name: "_default") }
    }

    @Test func `deleting an unknown collection does nothing`() throws {
        try database.deleteCollection(name: "nothing")
        try database.deleteCollection(name: "nothing", scope: "nowhere")
    }

    @Test func `all objects of a deleted collection are invalid`() throws {
        let collection = try database.createCollection(name: "c")
        try collection.save(document: MutableDocument(id: "doc"))
        let sameElsewhere = try #require(try home.reopened().collection(name: "c"))
        try database.deleteCollection(name: "c")

        for dead in [collection, sameElsewhere] {
            #expect(dead.count == 0)
            expect(CBLError.notOpen) { _ = try dead.document(id: "doc") }
            expect(CBLError.notOpen) { try dead.save(document: MutableDocument()) }
            expect(CBLError.notOpen) { try dead.purge(id: "doc") }
            #expect(!dead["doc"].exists)
        }
    }

    @Test func `a recreated collection is empty, and the old object stays invalid`() throws {
        let old = try database.createCollection(name: "c")
        try old.save(document: MutableDocument(id: "doc"))
        try database.deleteCollection(name: "c")
        let new = try database.createCollection(name: "c")
        #expect(new.count == 0)
        #expect(new != old)
        expect(CBLError.notOpen) { _ = try old.document(id: "doc") }
        try new.save(document: MutableDocument(id: "doc"))
    }

    /// The first save is inside the batch, the second on a thread that waits for the batch to end.
    @Test func `an old collection object cannot write to the collection that a batch recreated`()
        throws
    {
        let old = try database.createCollection(name: "c")
        let code = Mutex(0)
        let (hasBegun, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try database.inBatch {
            try database.deleteCollection(name: "c")
            _ = try database.createCollection(name: "c")
            expect(CBLError.notOpen) { try old.save(document: MutableDocument(id: "mine")) }
            expect(CBLError.notOpen) { _ = try old.document(id: "mine") }
            expect(CBLError.notOpen) { try old.purge(id: "mine") }
            Thread.detachNewThread {
                hasBegun.signal()
                do {
                    try old.save(document: MutableDocument(id: "late"))
                } catch {
                    code.withLock { $0 = (error as NSError).code }
                }
                isDone.signal()
            }
            hasBegun.wait()
        }
        isDone.wait()
        #expect(code.withLock { $0 } == CBLError.notOpen)
        #expect(try database.collection(name: "c")?.count == 0)
    }

    @Test func `collections and documents are equal across objects of the same database`() throws {
        let collection = try database.createCollection(name: "c")
        try collection.save(document: MutableDocument(id: "doc", data: ["n": 1]))
        let elsewhere = try #require(try home.reopened().collection(name: "c"))
        #expect(collection == elsewhere && collection.hashValue == elsewhere.hashValue)
        let (one, other) = (
            try #require(try collection.document(id: "doc")),
            try #require(try elsewhere.document(id: "doc"))
        )
        #expect(one == other && Set([one, other]).count == 1)
        let another = try TemporaryDatabase()
        let twin = try another.database.createCollection(name: "c")
        #expect(collection != twin, "another file")
        expect(CBLError.invalidParameter, "whose documents they are stays strict") {
            try elsewhere.save(document: one.toMutable())
        }
    }

    @Test func `a deleted or closed collection is equal only to itself`() throws {
        let twins = try (0..<2).map { _ in try database.createCollection(name: "c") }
        try twins[0].save(document: MutableDocument(id: "doc"))
        let documents = try twins.map { try #require(try $0.document(id: "doc")) }
        #expect(twins[0] == twins[1] && documents[0] == documents[1])
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: twins[0])],
            target: DatabaseEndpoint(database: try TemporaryDatabase().database)
        )
        try database.deleteCollection(name: "c")
        #expect(twins[0] != twins[1] && documents[0] != documents[1])
        #expect(twins[0] == twins[0] && documents[0] == documents[0])
        // A collection in a configuration can still be found and removed.
        #expect(configuration.collectionConfig(twins[1]) != nil)
        configuration.removeCollection(twins[1])
        #expect(configuration.collections.isEmpty)

        let defaults = try (0..<2).map { _ in try database.defaultCollection() }
        #expect(defaults[0] == defaults[1])
        try database.close()
        #expect(defaults[0] != defaults[1])
    }

    @Test func `every call throws after the database is closed`() throws {
        let collection = try database.defaultCollection()
        let document = MutableDocument(id: "doc")
        try collection.save(document: document)
        try database.close()
        expect(CBLError.notOpen) { _ = try collection.document(id: "doc") }
        expect(CBLError.notOpen) { try collection.save(document: document) }
        expect(CBLError.notOpen) { try collection.delete(document: document) }
        expect(CBLError.notOpen) { try collection.purge(document: document) }
        expect(CBLError.notOpen) { _ = try collection.getDocumentExpiration(id: "doc") }
        expect(CBLError.notOpen) { _ = try database.defaultCollection() }
        expect(CBLError.notOpen) { _ = try database.scopes() }
        expect(CBLError.notOpen) { _ = try database.createCollection(name: "c") }
        for name in ["_default", "other"] {
            expect(CBLError.notOpen, "\(name)") { _ = try database.scope(name: name) }
            expect(CBLError.notOpen, "\(name)") { _ = try database.collection(name: name) }
            expect(CBLError.notOpen, "\(name)") { try database.deleteCollection(name: name) }
        }
        expect(CBLError.notOpen) { _ = try database.collections() }
        expect(CBLError.notOpen) { _ = try collection.scope.collections() }
        expect(CBLError.notOpen) { _ = try collection.scope.collection(name: "c") }
        expect(CBLError.notOpen) { try database.inBatch {} }
        expect(CBLError.notOpen) { _ = try database.createQuery("SELECT 1 FROM _") }
        expect(CBLError.notOpen) {
            try database.saveBlob(blob: Blob(contentType: "a/b", data: Data()))
        }
        for type in [MaintenanceType.compact, .reindex, .integrityCheck, .optimize, .fullOptimize] {
            expect(CBLError.notOpen, "\(type)") { try database.performMaintenance(type: type) }
        }
        #expect(collection.count == 0)
    }
}
