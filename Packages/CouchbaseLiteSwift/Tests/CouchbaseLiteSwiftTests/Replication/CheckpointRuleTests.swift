import CouchbaseLiteSwift
import Foundation
import Testing

/// What a replicator remembers between runs, and for which configuration: `behaviour.md` §11; and
/// what endpoints promise: §12.
@Suite(.timeLimit(.minutes(5))) struct CheckpointRuleTests {
    /// How many documents a run transferred or failed to transfer.
    private func eventCount(_ configuration: ReplicatorConfiguration) async -> Int {
        let replicator = Replicator(config: configuration)
        let events = replicator.documentReplicationStream
        replicator.start()
        var count = 0
        for await event in events { count += event.documents.count }
        return count
    }

    /// Synced, with the pulled documents then purged here: only a run that starts from zero brings them back.
    private func syncedAndPurged() async throws -> Peers {
        let peers = try Peers()
        for number in 0..<5 { try peers.there.defaultCollection().put("\(number)", number) }
        try await Replicator(config: peers.configuration()).run()
        let here = try peers.here.defaultCollection()
        for number in 0..<5 { try here.purge(id: "\(number)") }
        return peers
    }

    @Test func `a second run continues where the first one ended`() async throws {
        let peers = try await syncedAndPurged()
        #expect(await eventCount(try peers.configuration()) == 0)
    }

    @Test func `start with reset ignores the checkpoint`() async throws {
        let peers = try await syncedAndPurged()
        let replicator = Replicator(config: try peers.configuration())
        let changes = replicator.statusStream
        replicator.start(reset: true)
        for await _ in changes {}
        #expect(try peers.here.defaultCollection().count == 5)
    }

    @Test func `documents that both sides have are not transferred again`() async throws {
        let peers = try Peers()
        for number in 0..<5 { try peers.there.defaultCollection().put("\(number)", number) }
        try await Replicator(config: peers.configuration()).run()
        let replicator = Replicator(config: try peers.configuration())
        let events = replicator.documentReplicationStream
        replicator.start(reset: true)
        var count = 0
        for await event in events { count += event.documents.count }
        #expect(count == 0)
    }

    @Test func `changing document IDs or channels starts from the beginning`() async throws {
        let peers = try await syncedAndPurged()
        let some = try peers.configuration { $0.documentIDs = ["1", "2"] }
        #expect(await eventCount(some) == 2)
        #expect(await eventCount(some) == 0)
        let channels = try peers.configuration { $0.channels = ["a"] }
        #expect(await eventCount(channels) == 3)
    }

    @Test func `changing a filter closure does not start from the beginning`() async throws {
        let peers = try await syncedAndPurged()
        let filtered = try peers.configuration {
            $0.pullFilter = { _, _ in true }
            $0.pushFilter = { _, _ in true }
        }
        #expect(await eventCount(filtered) == 0)
    }

    @Test func `changing the direction of a named collection transfers nothing again`() async throws
    {
        let peers = try Peers()
        let here = try peers.here.createCollection(name: "named")
        let there = try peers.there.createCollection(name: "named")
        for number in 0..<3 { try there.put("\(number)", number) }
        try await Replicator(config: peers.configuration(collections: [here])).run()
        for number in 0..<3 { try here.purge(id: "\(number)") }
        #expect(await eventCount(try peers.configuration(collections: [here])) == 0)
        #expect(await eventCount(try peers.configuration(.pull, collections: [here])) == 0)
    }

    @Test func `a peer without checkpoints is compared completely, and nothing is sent twice`()
        async throws
    {
        let peers = try Peers()
        for number in 0..<5 { try peers.here.defaultCollection().put("\(number)", number) }
        try await Replicator(config: peers.configuration()).run()
        // Another database with the same documents that has never synced with this one.
        let third = try Peers()
        let onward = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try third.here.defaultCollection())],
            target: DatabaseEndpoint(database: peers.there)
        )
        try await Replicator(config: onward).run()
        let other = try peers.configuration(target: DatabaseEndpoint(database: third.here))
        #expect(await eventCount(other) == 0)
    }

    // MARK: §12

    @Test func `a database endpoint is not retried because there is no network`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.maxAttempts = 5
        let replicator = Replicator(config: configuration)
        try peers.there.close()
        let statuses = await replicator.statuses()
        #expect(!statuses.map(\.activity).contains(.offline))
        #expect(statuses.last?.error != nil)
    }

    @Test(
        arguments: [
            "ws://host/db", "wss://host/db", "ws://host:1/a/b/db", "wss://[::1]:4984/db/",
        ]
    )
    func `URLEndpoint accepts ws and wss`(text: String) throws {
        _ = try URLEndpoint(validating: text)
        _ = URLEndpoint(url: try #require(URL(string: text)))
    }

    @Test func `credentials in the URL are a fatal error`() async {
        await #expect(processExitsWith: .failure) {
            _ = URLEndpoint(url: try #require(URL(string: "ws://user:secret@localhost/db")))
        }
    }

    @Test func `serverCertificate is nil for ws, set for wss, and cleared at the next start`()
        async throws
    {
        let peers = try Peers()
        let plain = try peers.listen { $0.disableTLS = true }
        defer { plain.stop() }
        let first = Replicator(config: try peers.configuration(target: plain.endpoint()))
        try await first.run()
        #expect(first.serverCertificate == nil)

        let secure = try peers.listen()
        var configuration = try peers.configuration(target: secure.endpoint())
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.maxAttempts = 1
        let second = Replicator(config: configuration)
        try await second.run()
        #expect(second.serverCertificate != nil)
        secure.stop()
        #expect(await second.finalCode() != 0)
        #expect(second.serverCertificate == nil)
    }

    @Test func `a copied database does not push again what its original has pushed`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("pushed", 1)
        try await Replicator(config: peers.configuration()).run()
        try peers.here.defaultCollection().put("pending", 2)
        let path = try #require(peers.here.path)
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: peers.here.config)
        let copy = try Database(name: "copy", config: peers.here.config)
        defer { try? copy.close() }
        let collection = try copy.defaultCollection()
        try collection.put("new", 3)

        let replicator = Replicator(config: try peers.configuration(collections: [collection]))
        #expect(try replicator.pendingDocumentIds(collection: collection) == ["pending", "new"])
        let moved = replicator.documentReplicationStream
        replicator.start()
        var count = 0
        for await event in moved { count += event.documents.count }
        #expect(count == 2)
        #expect(try replicator.pendingDocumentIds(collection: collection) == [])
    }
}
