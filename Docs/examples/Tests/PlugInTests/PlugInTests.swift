import DivanAuth
import DivanCompression
import DivanConflicts
import DivanDatabase
import DivanDiscovery
import DivanLog
import DivanTLS
import DivanTransport
import PlugIns
import Testing

/// An implementation of each extension point outside the packages, and its contract.
@Suite(.timeLimit(.minutes(5))) struct PlugInTests {
    @Test func `a custom codec meets the contract`() {
        #expect(CodecContract.violations(of: RunLengthCodec()) == [])
    }

    @Test func `a custom dictionary codec meets the contract`() {
        #expect(DictionaryCodecContract.violations(of: PhraseCodec()) == [])
    }

    @Test func `a custom storage engine meets the contract`() throws {
        let violations = try StorageEngineContract.violations { CountingEngine(MemoryEngine()) }
        #expect(violations == [])
    }

    @Test func `a custom event loop meets the contract`() async {
        #expect(await EventLoopContract.violations(of: QueueLoop()) == [])
    }

    @Test func `a custom transport on custom event loops meets the contract`() async throws {
        let violations = try await MessageTransportContract.violations { first, second in
            let ends = MailboxTransport.pair(QueueLoop(), QueueLoop())
            ends.0.start(first)
            ends.1.start(second)
            return ends
        }
        #expect(violations == [])
    }

    @Test func `a custom resolver meets the contract`() {
        #expect(ResolverContract.violations(of: PriorityResolver()) == [])
    }

    @Test func `a custom client authenticator meets the contract`() throws {
        let bearer = try #require(BearerAuthenticator(token: "abc.def-123"))
        #expect(ClientAuthenticatorContract.violations(of: bearer) == [])
        #expect(BearerAuthenticator(token: "a\nb") == nil)
    }

    @Test func `a custom listener authenticator meets the contract`() throws {
        let users = ListedUsersAuthenticator([("ada", "secret"), ("bob", "")])
        let ada = try BasicCredentials(username: "ada", password: "secret")
        #expect(ListenerAuthenticatorContract.violations(of: users, accepting: ada) == [])
    }

    @Test func `a custom identity store meets the contract`() throws {
        let store = CachedIdentityStore(InMemoryIdentityStore())
        #expect(try IdentityStoreContract.violations(of: store) == [])
    }

    @Test func `a custom peer discovery meets the contract`() async throws {
        let discovery = InProcessDiscovery()
        let mine = try PeerAdvertisement(name: "bar", port: 4_985)
        let activity = try discovery.advertise(mine) { _ in }
        let violations = try await PeerDiscoveryContract.violations(
            of: discovery,
            finding: "bar",
            patience: .seconds(5)
        )
        #expect(violations == [])
        activity.stop()
    }

    @Test func `a custom log sink meets the contract`() async {
        let sink = RingSink(level: .debug)
        let violations = await LogSinkContract.violations(of: sink) {
            sink.lines.joined(separator: "\n")
        }
        #expect(violations == [])
    }
}
