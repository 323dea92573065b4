import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// Closures of an application's main actor, which the library calls on its own threads.
///
/// In Swift 5 mode the compiler treats such a closure as main-actor code without a warning; running it elsewhere must
/// not stop the program. In Swift 6 mode the compiler warns.
@MainActor @Suite(.timeLimit(.minutes(5))) struct MainActorTests {
    private final class Resolver: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? { conflict.localDocument }
    }

    @Test func `filters, listeners and resolvers written on the main actor run`() async throws {
        let home = try DatabasePair()
        let (here, there) = (home.database, home.other)
        let collection = try here.defaultCollection()
        try collection.save(document: MutableDocument(id: "kept", data: ["n": 1]))
        try collection.save(document: MutableDocument(id: "refused"))
        try there.defaultCollection().save(document: MutableDocument(id: "pulled"))
        var configuration = CollectionConfiguration(collection: collection)
        configuration.pushFilter = { document, _ in document.id == "kept" }
        configuration.pullFilter = { document, _ in document.id == "pulled" }
        configuration.conflictResolver = Resolver()
        let replicator = Replicator(
            config: ReplicatorConfiguration(
                collections: [configuration],
                target: DatabaseEndpoint(database: there)
            )
        )
        let queue = DispatchQueue(label: "app")
        var heard = 0
        replicator.addChangeListener(withQueue: queue) { _ in heard += 1 }
        collection.addChangeListener(queue: queue) { _ in heard += 1 }
        try await replicator.run()
        queue.sync {}
        #expect(heard > 1)
        #expect(collection.count == 3)
        #expect(try there.defaultCollection().document(id: "refused") == nil)
        #expect(try there.defaultCollection().document(id: "kept") != nil)
    }

    @Test func `a listener's authenticator written on the main actor runs`() async throws {
        let home = try DatabasePair()
        let (here, there) = (home.database, home.other)
        var config = URLEndpointListenerConfiguration(collections: [try there.defaultCollection()])
        config.disableTLS = true
        config.networkInterface = "127.0.0.1"
        var names: [String] = []
        config.authenticator = ListenerPasswordAuthenticator { username, password in
            names.append(username)
            return password == "right"
        }
        let listener = URLEndpointListener(config: config)
        try listener.start()
        defer { listener.stop() }
        var client = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try here.defaultCollection())],
            target: URLEndpoint(url: try #require(listener.urls?.first))
        )
        client.authenticator = BasicAuthenticator(username: "u", password: "right")
        try await Replicator(config: client).run()
        #expect(names == ["u"])
    }
}
