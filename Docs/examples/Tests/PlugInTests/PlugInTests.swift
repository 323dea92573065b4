import DivanAuth
import DivanCompression
import DivanConflicts
import DivanDiscovery
import DivanLog
import DivanStore
import DivanTLS
import DivanTransport
import PlugIns
import Testing

/// A third implementation of each seam, outside the packages, and its contract.
@Suite(.timeLimit(.minutes(5))) struct PlugInTests {
    @Test func `a codec`() {
        #expect(CodecContract.violations(of: RunLengthCodec()) == [])
    }

    @Test func `a codec with dictionaries`() {
        #expect(DictionaryCodecContract.violations(of: PhraseCodec()) == [])
    }

    @Test func `a storage engine`() throws {
        let violations = try StorageEngineContract.violations { CountingEngine(MemoryEngine()) }
        #expect(violations == [])
    }

    @Test func `an event loop`() async {
        #expect(await EventLoopContract.violations(of: QueueLoop()) == [])
    }

    @Test func `a transport, on loops of another kind`() async throws {
        let violations = try await MessageTransportContract.violations { first, second in
            let ends = MailboxTransport.pair(QueueLoop(), QueueLoop())
            ends.0.start(first)
            ends.1.start(second)
            return ends
        }
        #expect(violations == [])
    }

    @Test func `a resolver`() {
        #expect(ResolverContract.violations(of: PriorityResolver()) == [])
    }

    @Test func `a client's authenticator`() throws {
        let bearer = try #require(BearerAuthenticator(token: "abc.def-123"))
        #expect(ClientAuthenticatorContract.violations(of: bearer) == [])
        #expect(BearerAuthenticator(token: "a\nb") == nil)
    }

    @Test func `a listener's authenticator`() throws {
        let users = ListedUsersAuthenticator([("ada", "secret"), ("bob", "")])
        let ada = try BasicCredentials(username: "ada", password: "secret")
        #expect(ListenerAuthenticatorContract.violations(of: users, accepting: ada) == [])
    }

    @Test func `an identity store`() throws {
        let store = CachedIdentityStore(InMemoryIdentityStore())
        #expect(try IdentityStoreContract.violations(of: store) == [])
    }

    @Test func `a discovery`() async throws {
        let board = NoticeBoard()
        let mine = try PeerAdvertisement(name: "bar", port: 4_985)
        let activity = try board.advertise(mine) { _ in }
        let violations = try await PeerDiscoveryContract.violations(
            of: board,
            finding: "bar",
            patience: .seconds(5)
        )
        #expect(violations == [])
        activity.stop()
    }

    @Test func `a log sink`() async {
        let sink = RingSink(level: .debug)
        let violations = await LogSinkContract.violations(of: sink) {
            sink.lines.joined(separator: "\n")
        }
        #expect(violations == [])
    }
}
