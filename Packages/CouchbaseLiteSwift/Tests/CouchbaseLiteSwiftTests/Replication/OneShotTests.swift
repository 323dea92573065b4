import CouchbaseLiteSwift
import Foundation
import Testing

/// One-shot replication between two databases of this process, without a network.
@Suite(.timeLimit(.minutes(5))) struct OneShotTests {
    @Test func `a push sends every document`() async throws {
        let peers = try Peers()
        let source = try peers.here.defaultCollection()
        for number in 0..<250 { try source.put("document-\(number)", number) }

        try await Replicator(config: peers.configuration(.push)).run()

        let target = try peers.there.defaultCollection()
        #expect(target.count == 250)
        #expect(try target.value("document-249") == 249)
    }

    @Test func `a pull receives every document`() async throws {
        let peers = try Peers()
        let source = try peers.there.defaultCollection()
        for number in 0..<250 { try source.put("document-\(number)", number) }

        try await Replicator(config: peers.configuration(.pull)).run()

        #expect(try peers.here.defaultCollection().count == 250)
    }

    @Test func `revision IDs stay the same`() async throws {
        let peers = try Peers()
        let source = try peers.here.defaultCollection()
        for number in 0..<3 { try source.put("a", number) }

        try await Replicator(config: peers.configuration(.push)).run()

        let target = try peers.there.defaultCollection()
        #expect(try target.document(id: "a")?.revisionID == source.document(id: "a")?.revisionID)
    }

    @Test func `a push does not pull, and a pull does not push`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try here.put("here", 1)
        try there.put("there", 1)

        try await Replicator(config: peers.configuration(.push)).run()
        #expect(try here.value("there") == nil)
        #expect(try there.value("here") == 1)

        try there.delete(document: #require(try there.document(id: "here")))
        try await Replicator(config: peers.configuration(.pull)).run()
        #expect(try here.value("there") == 1)
        #expect(try here.value("here") == nil)
    }

    @Test func `a run goes from connecting through busy to stopped`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)

        let statuses = await Replicator(config: try peers.configuration()).statuses()

        var activities: [Replicator.ActivityLevel] = []
        for status in statuses where status.activity != activities.last {
            activities.append(status.activity)
        }
        #expect(activities == [.connecting, .busy, .stopped])
        #expect(statuses.allSatisfy { $0.error == nil })
        let last = try #require(statuses.last)
        #expect(last.progress.completed == last.progress.total)
    }

    @Test func `a stopped replicator can be started again`() async throws {
        let peers = try Peers()
        let source = try peers.here.defaultCollection()
        let replicator = Replicator(config: try peers.configuration(.push))
        try source.put("a", 1)
        try await replicator.run()
        try source.put("a", 2)
        try await replicator.run()
        #expect(try peers.there.defaultCollection().value("a") == 2)
    }

    @Test func `a second run sends nothing that the peer already has`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        let replicator = Replicator(config: try peers.configuration(.push))
        let heard = Heard<ReplicatedDocument>()
        let queue = DispatchQueue(label: "test")
        replicator.addDocumentReplicationListener(withQueue: queue) {
            for document in $0.documents { heard.append(document) }
        }
        try await replicator.run()
        try await replicator.run()
        queue.sync {}
        #expect(
            try replicator.pendingDocumentIds(collection: peers.here.defaultCollection()).isEmpty
        )
        #expect(heard.elements.count == 1)
    }

    @Test func `a run with reset compares everything and changes nothing`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try here.put("a", 1)
        try here.put("b", 1)
        try there.put("c", 1)
        let replicator = Replicator(config: try peers.configuration())
        try await replicator.run()
        try there.purge(id: "a")
        try here.purge(id: "c")

        try await replicator.run()
        #expect(try here.value("c") == nil)

        let changes = replicator.statusStream
        replicator.start(reset: true)
        for await _ in changes {}
        // What the peer has comes back; what it purged is not pushed to it again.
        #expect(try here.value("c") == 1)
        #expect(try there.value("a") == nil)
        #expect(try there.value("b") == 1)
        #expect(try here.document(id: "a")?.sequence == 1)
    }

    @Test func `deletions are replicated and purges are not`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try here.put("deleted", 1)
        try here.put("purged", 1)
        let replicator = Replicator(config: try peers.configuration())
        try await replicator.run()

        try here.delete(document: #require(try here.document(id: "deleted")))
        try here.purge(id: "purged")
        try await replicator.run()

        #expect(try there.value("deleted") == nil)
        #expect(try there.value("purged") == 1)
    }

    @Test func `blobs are replicated with their documents in both directions`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for (collection, content) in [(here, large), (there, Data("small".utf8))] {
            let document = MutableDocument(id: "from-\(collection.database.name)")
            document.setBlob(Blob(contentType: "image/png", data: content), forKey: "picture")
            try collection.save(document: document)
        }

        try await Replicator(config: peers.configuration()).run()

        let pushed = try there.document(id: "from-here")?.blob(forKey: "picture")
        #expect(pushed?.content == large)
        #expect(pushed?.contentType == "image/png")
        let pulled = try here.document(id: "from-there")?.blob(forKey: "picture")
        #expect(pulled?.content == Data("small".utf8))
    }

    @Test func `documents stay in their named collections`() async throws {
        let peers = try Peers()
        for database in [peers.here, peers.there] {
            _ = try database.createCollection(name: "rooms", scope: "hotel")
            _ = try database.createCollection(name: "guests", scope: "hotel")
        }
        let rooms = try #require(try peers.here.collection(name: "rooms", scope: "hotel"))
        let guests = try #require(try peers.here.collection(name: "guests", scope: "hotel"))
        try rooms.put("1", 101)
        try guests.put("1", 7)

        let configuration = try peers.configuration(collections: [rooms, guests])
        try await Replicator(config: configuration).run()

        let rooms2 = try #require(try peers.there.collection(name: "rooms", scope: "hotel"))
        let guests2 = try #require(try peers.there.collection(name: "guests", scope: "hotel"))
        #expect(try rooms2.value("1") == 101)
        #expect(try guests2.value("1") == 7)
        #expect(try peers.there.defaultCollection().count == 0)
    }

    @Test func `a collection that the peer does not have ends the run with 10404`() async throws {
        let peers = try Peers()
        let rooms = try peers.here.createCollection(name: "rooms")
        let replicator = Replicator(config: try peers.configuration(collections: [rooms]))
        #expect(await replicator.finalCode() == CBLError.httpNotFound)
    }

    @Test func `a database cannot replicate with itself`() async throws {
        let peers = try Peers()
        let target = DatabaseEndpoint(database: peers.here)
        let replicator = Replicator(config: try peers.configuration(target: target))
        #expect(await replicator.finalCode() == CBLError.invalidParameter)
    }

    @Test func `run throws the error that ended it`() async throws {
        let peers = try Peers()
        let rooms = try peers.here.createCollection(name: "rooms")
        let replicator = Replicator(config: try peers.configuration(collections: [rooms]))
        do {
            try await replicator.run()
            Issue.record("run() returned without an error")
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain)
            #expect(error.code == CBLError.httpNotFound)
            #expect(!error.localizedDescription.isEmpty)
        }
    }
}
