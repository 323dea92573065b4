import DivanAuth
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        let client = try BasicClientAuthenticator(username: "ada", password: "engine")
        let listener = PasswordListenerAuthenticator { username, password in
            username == "ada" && password == "engine"
        }
        let header = client.headers()[0]
        let request = AuthenticationRequest(authorization: header.value)
        let outcome = listener.authenticate(request)  // .accepted(user: "ada")

        let gateway = CookieJar.Location(host: "sync.example.org", path: "/db", isSecure: true)
        var jar = CookieJar()
        jar.receive("SyncGatewaySession=81361e; Max-Age=3600", from: gateway, at: 1_795_158_000)
        let cookies = jar.header(for: gateway, at: 1_795_158_001)  // SyncGatewaySession=81361e

        #expect(outcome == .accepted(user: "ada"))
        #expect(cookies == "SyncGatewaySession=81361e")
    }
}
