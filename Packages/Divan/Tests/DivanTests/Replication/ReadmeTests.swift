import Divan
import Foundation
import Testing

/// The programs of the README's section about syncing, as they stand there.
@Suite(.timeLimit(.minutes(1))) struct ReplicationReadmeTests {
    @Test func `the README's listener and replicator meet`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("grand", 1)
        let listener = try listen(to: peers.there.defaultCollection())
        defer { listener.stop() }
        let url = "wss://localhost:\(listener.port ?? 0)/there"
        try await connect(peers.here.defaultCollection(), to: url)
        #expect(try peers.there.defaultCollection().value("grand") == 1)
    }

    private func listen(to hotels: Collection) throws -> URLEndpointListener {
        let listener = URLEndpointListener(config: .init(collections: [hotels]))
        try listener.start()
        print(listener.urls ?? [])
        return listener
    }

    private func connect(_ hotels: Collection, to url: String) async throws {
        let target = try URLEndpoint(validating: url)
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: hotels)],
            target: target
        )
        config.acceptOnlySelfSignedServerCertificate = true
        config.authenticator = BasicAuthenticator(username: "ada", password: "lovelace")
        try await Replicator(config: config).run()
    }
}
