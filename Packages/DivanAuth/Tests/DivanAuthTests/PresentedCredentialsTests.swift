import DivanAuth
import Testing

/// What counts as a login that may fail.
@Suite struct PresentedCredentialsTests {
    /// An application's authenticator: it may examine anything.
    private struct OwnAuthenticator: ListenerAuthenticator {
        var credentialFields: [String] {
            ["authorization", "Cookie", "X-API-Key", "Sec-WebSocket-Protocol"]
        }

        func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
            .basicChallenge
        }
    }

    private let own = OwnAuthenticator()
    private let password = PasswordListenerAuthenticator { _, _ in false }

    private func request(
        _ fields: [(String, String)],
        certificates: [[UInt8]] = []
    ) -> AuthenticationRequest {
        let usual = [
            ("Host", "h"), ("Upgrade", "websocket"), ("X-Forwarded-For", "192.0.2.1"),
            ("Sec-WebSocket-Protocol", "BLIP_3+CBMobile_4, BLIP_3+CBMobile_3"),
        ]
        return AuthenticationRequest(
            authorization: fields.first { $0.0 == "Authorization" }?.1,
            headers: (usual + fields).map { (name: $0.0, value: $0.1) },
            certificates: certificates
        )
    }

    private func header(_ name: String, _ password: String) throws -> String {
        try BasicCredentials(username: name, password: password).header
    }

    @Test func `a request without credential fields shows no credentials`() {
        #expect(PresentedCredentials(request([]), to: own) == nil)
        #expect(PresentedCredentials(request([]), to: password) == nil)
    }

    @Test(arguments: [
        ("Cookie", "session=1"), ("X-API-Key", "1"), ("Authorization", "Bearer 1"),
        ("Sec-WebSocket-Protocol", "BLIP_3+CBMobile_3, token.1"),
    ])
    func `a custom authenticator counts any credential field`(name: String, value: String) throws {
        let shown = try #require(PresentedCredentials(request([(name, value)]), to: own))
        let other = try #require(PresentedCredentials(request([(name, value + "2")]), to: own))
        #expect(shown.name == nil && shown.token?.count == 32)
        #expect(shown.token != other.token)
        #expect(shown == PresentedCredentials(request([(name, value)]), to: own))
    }

    @Test func `a password authenticator ignores cookies`() throws {
        let cookie = ("Cookie", "session=1")
        #expect(PresentedCredentials(request([cookie]), to: password) == nil)
        let basic = ("Authorization", try header("ada", "byron"))
        let shown = PresentedCredentials(request([cookie, basic]), to: password)
        #expect(shown?.name == "ada" && shown?.token == nil)
    }

    @Test func `headers added by proxies and browsers are not credentials`() {
        let added = [
            ("X-Cloud-Trace-Context", "1/2"), ("X-Amz-Cf-Id", "3"), ("X-B3-TraceId", "4"),
            ("Accept-Language", "eo"),
        ]
        #expect(PresentedCredentials(request(added), to: own) == nil)
    }

    @Test func `an authenticator can declare the fields that it reads`() throws {
        struct Choosy: ListenerAuthenticator {
            var credentialFields: [String] { ["x-ticket", "Authorization"] }
            func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
                .basicChallenge
            }
        }
        let sticky = ("Cookie", "AWSALB=\(UInt64.random(in: 0...(.max)))")
        #expect(PresentedCredentials(request([sticky]), to: Choosy()) == nil)
        let ticket = ("X-Ticket", "1")
        let shown = try #require(PresentedCredentials(request([ticket, sticky]), to: Choosy()))
        #expect(shown == PresentedCredentials(request([ticket]), to: Choosy()))
        #expect(PresentedCredentials(request([ticket]), to: own) == nil, "others do not look at it")
    }

    /// Otherwise each made-up name would have its own guesses.
    @Test func `a name sent with another credential does not count alone`() throws {
        let basic = ("Authorization", try header("made-up", "x"))
        let shown = try #require(
            PresentedCredentials(request([basic, ("Cookie", "session=1")]), to: own)
        )
        #expect(shown.name == "made-up" && shown.token != nil)
        let alone = PresentedCredentials(request([basic]), to: own)
        #expect(alone?.name == "made-up" && alone?.token == nil)
    }

    @Test func `a client certificate is a credential, and can have a name`() throws {
        let certificates = [[UInt8]("der".utf8)]
        let bare = try #require(
            PresentedCredentials(request([], certificates: certificates), to: own)
        )
        #expect(bare.name == nil && bare.token != nil)
        let basic = ("Authorization", try header("ada", "byron"))
        let shown = PresentedCredentials(request([basic], certificates: certificates), to: password)
        #expect(shown?.name == "ada")
    }

    @Test func `an open listener has no credentials to guess`() throws {
        let basic = ("Authorization", try header("ada", "byron"))
        #expect(PresentedCredentials(request([basic]), to: OpenListenerAuthenticator()) == nil)
    }
}
