import Divan
import DivanAuth
import Foundation
import Synchronization
import Testing

/// How a sync authenticates, and whom a listener accepts.
@Suite(.timeLimit(.minutes(5))) struct SyncCredentialTests {
    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
    }

    @Test func `an asynchronous check accepts the right password only`() async throws {
        let listener = try await peers.listen(
            users: .passwords { user, password in
                await Task.yield()
                return user == "anna" && password == "secret"
            }
        )
        try await peers.sync(listener, credentials: .password("anna", "secret")).run()
        for credentials in [Sync.Credentials.password("anna", "other"), .none] {
            let error = await failure(of: try peers.sync(listener, credentials: credentials))
            #expect(error?.code == .unauthorized)
            #expect(error?.remedy != nil)
        }
        await listener.stop()
    }

    @Test func `a table of passwords accepts its users only`() async throws {
        let listener = try await peers.listen(users: .passwords(["anna": "secret", "bob": ""]))
        try await peers.sync(listener, credentials: .password("anna", "secret")).run()
        try await peers.sync(listener, credentials: .password("bob", "")).run()
        for (user, password) in [("anna", ""), ("carl", ""), ("bob", "secret")] {
            let sync = try peers.sync(listener, credentials: .password(user, password))
            #expect(await failure(of: sync)?.code == .unauthorized)
        }
        await listener.stop()
    }

    @Test func `a token is fetched asynchronously, and again when it is rejected`() async throws {
        let listener = try await peers.listen(users: .tokens { $0 == "new" ? "anna" : nil })
        let reasons = Collected<Sync.Token.Reason>()
        let credentials = Sync.Credentials.token { reason in
            await Task.yield()
            reasons.append(reason)
            return Sync.Token(reason == .rejected ? "new" : "old")
        }
        let users = Collected<String?>()
        let sync = try peers.sync(listener, credentials: credentials) { $0.maxAttempts = nil }
        let run = sync.start()
        for await status in run where status.isIdle {
            users.append(listener.connections.first?.client.user)
            break
        }
        #expect(reasons.elements == [.first, .rejected])
        #expect(users.elements == ["anna"])
        await sync.stop()
        await listener.stop()
    }

    @Test func `a wrong token stops the sync`() async throws {
        let listener = try await peers.listen(users: .tokens { _ in nil })
        let sync = try peers.sync(listener, credentials: .token { _ in Sync.Token("wrong") })
        #expect(await failure(of: sync)?.code == .unauthorized)
        await listener.stop()
    }

    @Test func `a client certificate of the authority is accepted, and no other`() async throws {
        let authority = try TestIdentities.authority.get().certificate
        let listener = try await peers.listen(
            users: .certificates(signedBy: authority),
            identity: TestIdentities.selfSigned.get()
        )
        let mine = try TestIdentities.signed.get()
        try await peers.sync(
            listener,
            credentials: .certificate(mine),
            trust: .anySelfSigned
        ).run()
        for credentials in [
            Sync.Credentials.certificate(try TestIdentities.stranger.get()), .none,
        ] {
            let sync = try peers.sync(listener, credentials: credentials, trust: .anySelfSigned)
            #expect(await failure(of: sync)?.code == .unauthorized)
        }
        await listener.stop()
    }

    @Test func `an asynchronous check decides about client certificates`() async throws {
        let mine = try TestIdentities.signed.get()
        let listener = try await peers.listen(
            users: .certificates { chain in
                await Task.yield()
                return chain.first?.fingerprint == mine.certificate.fingerprint
            },
            identity: TestIdentities.selfSigned.get()
        )
        try await peers.sync(
            listener,
            credentials: .certificate(mine),
            trust: .anySelfSigned
        ).run()
        let stranger = try peers.sync(
            listener,
            credentials: .certificate(TestIdentities.stranger.get()),
            trust: .anySelfSigned
        )
        #expect(await failure(of: stranger)?.code == .forbidden)
        await listener.stop()
    }

    @Test func `a stored certificate is read at each start`() async throws {
        let authority = try TestIdentities.authority.get().certificate
        let listener = try await peers.listen(
            users: .certificates(signedBy: authority),
            identity: TestIdentities.selfSigned.get()
        )
        let storage = Identity.Storage.memory()
        let sync = try peers.sync(
            listener,
            credentials: .storedCertificate("robot", in: storage),
            trust: .anySelfSigned
        )
        let error = await failure(of: sync)
        #expect(error?.code == .invalidIdentity)
        #expect(error?.remedy != nil)
        try TestIdentities.signed.get().store(as: "robot", in: storage)
        try await sync.run()
        await listener.stop()
    }

    @Test func `a session is sent as a cookie, and a custom authenticator checks it`()
        async throws
    {
        let listener = try await peers.listen(users: .custom(SessionCheck()))
        try await peers.sync(listener, credentials: .session("123", cookie: "shop")).run()
        let own = Sync.Credentials.custom(Session("123"))
        try await peers.sync(listener, credentials: own).run()
        let wrong = try peers.sync(listener, credentials: .session("124", cookie: "shop"))
        #expect(await failure(of: wrong)?.code == .unauthorized)
        await listener.stop()
    }

    @Test func `a certificate check without TLS is an invalid setting`() async throws {
        let authority = try TestIdentities.authority.get().certificate
        let error = await #expect(throws: DivanError.self) {
            _ = try await peers.listen(users: .certificates(signedBy: authority))
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.remedy != nil)
    }
}

/// Accepts one session.
private struct SessionCheck: DivanAuth.ListenerAuthenticator {
    let credentialFields = ["Cookie"]

    func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        let cookies = request.headers.filter { $0.name.lowercased() == "cookie" }.map(\.value)
        return cookies.contains("shop=123")
            ? .accepted(user: "anna") : .refused(challenge: "Session")
    }
}

/// Sends a session.
private struct Session: ClientAuthenticator {
    let id: String

    init(_ id: String) { self.id = id }

    func headers() -> [(name: String, value: String)] { [("Cookie", "shop=\(id)")] }
}
