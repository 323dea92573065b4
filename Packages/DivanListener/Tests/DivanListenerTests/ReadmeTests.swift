import DivanAuth
import DivanListener
import DivanReplicator
import DivanSession
import DivanStore
import DivanZlib
import Testing

/// The README's example, verbatim.
@Suite struct ListenerReadmeTests {
    @Test func `the README example starts a listener`() throws {
        let store = Store.inMemory()
        let options = PeerConfiguration.PassiveOptions(collections: [.default])
        let peer = PeerConfiguration(role: .passive(options), codec: DeflateCodec())
        var configuration = ListenerConfiguration(
            databases: ["kitchen": .init(store: store, peer: peer)]
        )
        configuration.authenticator = PasswordListenerAuthenticator { name, password in
            name == "ada" && password == "lovelace"
        }
        let server = ListenerServer(configuration)
        let port = try server.start()
        #expect(port > 0)
        server.stop()
    }
}
