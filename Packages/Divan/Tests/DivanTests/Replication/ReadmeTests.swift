import Divan
import Foundation
import Testing

/// The programs of the README's section about syncing, as they stand there.
@Suite(.timeLimit(.minutes(5))) struct ReplicationReadmeTests {
    @Test func `the README's listener and replicator meet`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("grand", 1)
        let listener = try listen(to: peers.there.defaultCollection())
        defer { listener.stop() }
        let url = "wss://localhost:\(listener.port ?? 0)/there"
        try await connect(peers.here.defaultCollection(), to: url)
        #expect(try peers.there.defaultCollection().value("grand") == 1)
    }

    @Test func `the README's access refuses a guest and lets others read what is theirs`()
        async throws
    {
        let peers = try Peers()
        let document = MutableDocument(id: "mine")
        document.setString("bob", forKey: "owner")
        try peers.there.defaultCollection().save(document: document)
        try peers.there.defaultCollection().put("nobody's", 1)
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.authenticator = ListenerPasswordAuthenticator { _, _ in true }
            share(&$0)
        }
        defer { listener.stop() }
        var codes: [Int] = []
        for name in ["guest", "bob"] {
            var configuration = try peers.configuration(.pull, target: listener.endpoint())
            configuration.authenticator = BasicAuthenticator(username: name, password: "")
            codes.append(await Replicator(config: configuration).finalCode())
        }
        #expect(codes == [CBLError.httpForbidden, 0])
        #expect(try peers.here.defaultCollection().count == 1)
    }

    private func share(_ configuration: inout URLEndpointListenerConfiguration) {
        configuration.access = { client in
            guard client.user != "guest" else { return .refused("members only") }
            var access = ListenerAccess()
            access.readOnly = client.user != "ada"
            access.readFilter = { document, _ in document.string(forKey: "owner") == client.user }
            return access
        }
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
