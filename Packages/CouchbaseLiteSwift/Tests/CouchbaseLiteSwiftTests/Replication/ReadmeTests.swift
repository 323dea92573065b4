import CouchbaseLiteSwift
import Foundation
import Testing

/// The programs of the README's section about syncing, word for word.
@Suite(.timeLimit(.minutes(5))) struct ReplicationReadmeTests {
    @Test func `the listener and replicator in the README sync`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("grand", 1)
        let listener = try listen(to: peers.there.defaultCollection())
        defer { listener.stop() }
        let url = "wss://localhost:\(listener.port ?? 0)/there"
        try await connect(peers.here.defaultCollection(), to: url)
        #expect(try peers.there.defaultCollection().value("grand") == 1)
    }

    @Test
    func `the access example in the README refuses guests and limits users to their documents`()
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

    /// The source of an application's tokens.
    private struct SignIn: Sendable {
        struct Token: Sendable {
            let text: String
            let expiry: Date
        }

        func token(renewing: Bool) async throws -> Token {
            Token(text: renewing ? "second" : "first", expiry: .distantFuture)
        }
    }

    @Test func `the token example in the README works`() throws {
        let signIn = SignIn()
        let peers = try Peers()
        var config = ReplicatorConfiguration(
            collections: [
                CollectionConfiguration(collection: try peers.here.defaultCollection())
            ],
            target: try URLEndpoint(validating: "ws://localhost/there")
        )
        config.authenticator = TokenAuthenticator { reason in
            let token = try await signIn.token(renewing: reason != .first)
            return AccessToken(token.text, expirationDate: token.expiry)
        }
        #expect(config.authenticator is TokenAuthenticator)
    }

    @Test func `the blob example in the README works`() async throws {
        let home = try TemporaryDatabase()
        let made = MutableDocument(id: "trip")
        made.setBlob(Blob(contentType: "image/png", data: Data([1, 2])), forKey: "picture")
        try home.collection.save(document: made)
        let document = try #require(try home.collection.document(id: "trip"))
        try await document.blob(forKey: "picture")?.fetch {
            print($0.receivedByteCount, "of", $0.totalByteCount)
        }
        #expect(document.blob(forKey: "picture")?.content == Data([1, 2]))
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
