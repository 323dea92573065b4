import DivanAuth
import Testing

/// What clients add to the handshake request.
@Suite struct ClientAuthenticatorTests {
    func text(_ authenticator: some ClientAuthenticator) -> [String] {
        authenticator.headers().map { "\($0.name): \($0.value)" }
    }

    @Test func `Basic credentials are sent in the Authorization header`() throws {
        let authenticator = try BasicClientAuthenticator(username: "pupshaw", password: "frank")
        #expect(text(authenticator) == ["Authorization: Basic cHVwc2hhdzpmcmFuaw=="])
    }

    @Test func `a session is sent in Sync Gateway's cookie or a custom cookie`() throws {
        let usual = try SessionClientAuthenticator(sessionID: "ca87039d")
        #expect(text(usual) == ["Cookie: SyncGatewaySession=ca87039d"])
        let named = try SessionClientAuthenticator(sessionID: "ca87039d", cookieName: "Mine")
        #expect(text(named) == ["Cookie: Mine=ca87039d"])
    }

    @Test(arguments: ["", "a b", "a;b", "a,b", "a\"b", "a\\b", "a\r\nX: y", "ü"])
    func `a session ID with characters that are invalid in a cookie is refused`(sessionID: String) {
        #expect(throws: AuthenticationError.sessionID) {
            _ = try SessionClientAuthenticator(sessionID: sessionID)
        }
    }

    @Test(arguments: ["", "a=b", "a b", "a\n", "a;"])
    func `a cookie name that is not a token is refused`(name: String) {
        #expect(throws: AuthenticationError.cookieName(name)) {
            _ = try SessionClientAuthenticator(sessionID: "x", cookieName: name)
        }
    }

    @Test func `both authenticators fulfill the contract, which detects header injection`() throws {
        let basic = try BasicClientAuthenticator(username: "a", password: "b")
        let session = try SessionClientAuthenticator(sessionID: "x")
        #expect(ClientAuthenticatorContract.violations(of: basic) == [])
        #expect(ClientAuthenticatorContract.violations(of: session) == [])

        struct HeaderInjectingAuthenticator: ClientAuthenticator {
            func headers() -> [(name: String, value: String)] { [("X Y", "a\r\nHost: b")] }
        }
        #expect(
            ClientAuthenticatorContract.violations(of: HeaderInjectingAuthenticator()).count == 2
        )
    }

    @Test func `an error states the solution and contains no secret`() {
        let error = AuthenticationError.colonInUsername("a:b")
        let expected = #"Basic authentication: user name "a:b" contains a colon; rename the user"#
        #expect("\(error)" == expected)
    }
}
