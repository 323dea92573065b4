import CouchbaseLiteSwift
import Foundation
import Testing

/// A database in memory behaves like one in a directory.
@Suite(.timeLimit(.minutes(5))) struct InMemoryTests {
    @Test func `an in-memory database supports documents, batches and changes`() throws {
        let database = try Database.inMemory()
        let recipes = try database.createCollection(name: "recipes")
        try database.inBatch {
            for number in 0..<100 {
                let document = MutableDocument(id: "soup-\(number)")
                try recipes.save(document: document.setInt(number, forKey: "salt"))
            }
        }
        #expect(recipes.count == 100)
        #expect(try recipes.document(id: "soup-7")?.int(forKey: "salt") == 7)
        struct Change: Error {}
        #expect(throws: (any Error).self) {
            try database.inBatch {
                try recipes.purge(id: "soup-7")
                throw Change()
            }
        }
        #expect(recipes.count == 100)
        #expect(database.path == nil)
        try database.close()
        #expect(recipes.count == 0)
    }

    @Test func `an in-memory database supports blobs`() throws {
        let database = try Database.inMemory()
        let collection = try database.defaultCollection()
        let content = Data((0..<100_000).map { UInt8($0 & 0xFF) })
        let document = MutableDocument(id: "photo")
        document.setBlob(Blob(contentType: "image/png", data: content), forKey: "picture")
        try collection.save(document: document)
        #expect(try collection.document(id: "photo")?.blob(forKey: "picture")?.content == content)
    }

    @Test func `an in-memory database supports queries and indexes`() throws {
        let database = try Database.inMemory()
        let collection = try database.defaultCollection()
        for (name, salt) in [("soup", 3), ("tea", 0), ("stew", 5)] {
            try collection.save(document: MutableDocument(id: name).setInt(salt, forKey: "salt"))
        }
        let items = [ValueIndexItem.property("salt")]
        try collection.createIndex(IndexBuilder.valueIndex(items: items), name: "salt")
        let query = try database.createQuery(
            "SELECT meta().id FROM _default WHERE salt > 1 ORDER BY salt"
        )
        #expect(try query.execute().allResults().map { $0.string(at: 0) } == ["soup", "stew"])
    }

    @Test func `in-memory databases are independent and can sync with each other`() async throws {
        let (here, there) = (try Database.inMemory(), try Database.inMemory())
        try here.defaultCollection().put("soup", 1)
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try here.defaultCollection())],
            target: DatabaseEndpoint(database: there)
        )
        configuration.replicatorType = .push
        try await Replicator(config: configuration).run()
        #expect(try there.defaultCollection().value("soup") == 1)
        try here.delete()
        #expect(try there.defaultCollection().count == 1)
    }

    @Test func `an in-memory database supports expiration and maintenance`() throws {
        let database = try Database.inMemory()
        let collection = try database.defaultCollection()
        try collection.put("soup", 1)
        try collection.setDocumentExpiration(id: "soup", expiration: Date(timeIntervalSinceNow: 60))
        #expect(try collection.getDocumentExpiration(id: "soup") != nil)
        try database.performMaintenance(type: .compact)
        #expect(try collection.value("soup") == 1)
    }

    @Test func `an empty name is refused`() {
        #expect(throws: NSError.self) { try Database.inMemory(name: "") }
    }

    @Test func `a starting replicator's status can be read while a batch is running`() throws {
        let database = try Database.inMemory()
        let url = try #require(URL(string: "ws://127.0.0.1:9/db"))
        let entry = CollectionConfiguration(collection: try database.defaultCollection())
        let replicator = Replicator(
            config: ReplicatorConfiguration(collections: [entry], target: URLEndpoint(url: url))
        )
        let told = DispatchSemaphore(value: 0)
        try database.inBatch {
            Thread.detachNewThread { replicator.start() }
            Thread.detachNewThread {
                // Nothing shows its progress, so poll it while it starts.
                let end = ContinuousClock.now + .milliseconds(300)
                while ContinuousClock.now < end { _ = replicator.status }
                told.signal()
            }
            #expect(told.wait(timeout: .now() + 60) == .success)
        }
        try database.close()
    }

    @Test func `a batch can start a replicator while another one is starting`() throws {
        let database = try Database.inMemory()
        let url = try #require(URL(string: "ws://127.0.0.1:9/db"))
        let entry = CollectionConfiguration(collection: try database.defaultCollection())
        let configuration = ReplicatorConfiguration(
            collections: [entry],
            target: URLEndpoint(url: url)
        )
        let first = Replicator(config: configuration)
        let second = Replicator(config: configuration)
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? database.inBatch {
                Thread.detachNewThread { first.start() }
                // Nothing shows its progress, so poll it while it starts.
                let end = ContinuousClock.now + .milliseconds(300)
                while ContinuousClock.now < end { _ = first.status }
                second.start()
            }
            isOver.signal()
        }
        try #require(isOver.wait(timeout: .now() + 60) == .success)
        try database.close()
    }
}
