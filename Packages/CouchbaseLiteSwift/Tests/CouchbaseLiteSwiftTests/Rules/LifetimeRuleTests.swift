import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// Objects without references are released: `behaviour.md` §15, `api-map.md` §10.
///
/// Every closure that an application passes in captures one object; its release shows that all of them are released. A
/// leak shows as a test that takes too long.
@Suite(.timeLimit(.minutes(5))) struct LifetimeRuleTests {
    /// Ends a stream when its last reference is released.
    private final class Captured: Sendable {
        private let end: AsyncStream<Void>.Continuation

        init(_ end: AsyncStream<Void>.Continuation) { self.end = end }

        deinit { end.finish() }

        func touch() -> Bool { true }
    }

    private let queue = DispatchQueue(label: "test")

    @Test func `change streams end when the last reference to the database is released`()
        async throws
    {
        func streams() throws -> (AsyncStream<CollectionChange>, AsyncStream<DocumentChange>) {
            let collection = try TemporaryDatabase().collection
            return (collection.changes(), collection.documentChanges(id: "a"))
        }
        let (changes, documents) = try streams()
        for await _ in changes {}
        for await _ in documents {}
    }

    @Test func `replicator streams end when the last reference to the replicator is released`()
        async throws
    {
        let peers = try Peers()
        func streams() throws -> (
            AsyncStream<Replicator.Status>, AsyncStream<DocumentReplication>
        ) {
            let replicator = Replicator(config: try peers.configuration())
            return (replicator.statusStream, replicator.documentReplicationStream)
        }
        let (statuses, documents) = try streams()
        for await _ in statuses {}
        for await _ in documents {}
    }

    /// Closes its database when it is released.
    private final class Owner: Sendable {
        let database: Database

        init(_ database: Database) { self.database = database }

        deinit { try? database.close() }

        func wants() -> Bool { true }
    }

    @Test(arguments: [false, true])
    func `releasing a filter can release an object that closes its database`(
        publishesStatus: Bool
    ) async throws {
        let peers = try Peers()
        func replicate() throws -> AsyncStream<CollectionChange> {
            var config = peers.here.config
            config.publishesStatus = publishesStatus
            let owner = Owner(try Database(name: "owned", config: config))
            let collection = try owner.database.defaultCollection()
            try collection.put("doc", 1)
            // The first one ends, and the others continue, one of them on the same thread.
            for number in 0..<9 {
                var configuration = try peers.configuration(collections: [collection]) { entry in
                    if number == 0 { entry.pushFilter = { _, _ in owner.wants() } }
                }
                configuration.continuous = number > 0
                Replicator(config: configuration).start()
            }
            return collection.changes()
        }
        for await _ in try replicate() {}
        try Database.delete(withName: "owned", inDirectory: peers.here.config.directory)
    }

    private func replicate(
        _ captured: Captured,
        _ peers: Peers,
        to target: any Endpoint
    ) async throws {
        let collection = try peers.here.defaultCollection()
        try collection.put("doc", 1)
        collection.addChangeListener(queue: queue) { _ in _ = captured.touch() }
        var configuration = try peers.configuration(target: target) { entry in
            entry.pushFilter = { _, _ in captured.touch() }
            entry.pullFilter = { _, _ in captured.touch() }
        }
        configuration.authenticator = BasicAuthenticator(username: "ada", password: "secret")
        let replicator = Replicator(config: configuration)
        replicator.addChangeListener(withQueue: queue) { _ in _ = captured.touch() }
        replicator.addDocumentReplicationListener(withQueue: queue) { _ in _ = captured.touch() }
        try await replicator.run()
    }

    @Test func `a stopped replicator releases everything`() async throws {
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        try await {
            let peers = try Peers()
            let target = DatabaseEndpoint(database: peers.there)
            try await replicate(Captured(continuation), peers, to: target)
        }()
        for await _ in ended {}
    }

    @Test(arguments: 0..<10)
    func `a stopped replicator that was connected to a listener releases everything`(
        run: Int
    ) async throws {
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        try await {
            let peers = try Peers()
            let captured = Captured(continuation)
            let listener = try peers.listen { configuration in
                configuration.disableTLS = true
                configuration.authenticator = ListenerPasswordAuthenticator { _, _ in
                    captured.touch()
                }
            }
            try await replicate(captured, peers, to: listener.endpoint())
            listener.stop()
        }()
        for await _ in ended {}
    }
}
