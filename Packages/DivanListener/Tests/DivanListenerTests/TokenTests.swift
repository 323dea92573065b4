import DivanAuth
import DivanListener
import DivanTestKit
import Testing

/// Applications that authenticate by something other than a name and a password.
@Suite(.timeLimit(.minutes(5))) struct TokenTests {
    /// Accepts clients that have the session cookie of this test.
    private struct CookieAuthenticator: ListenerAuthenticator {
        var credentialFields: [String] { ["Cookie"] }

        func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
            let cookie = request.headers.first { $0.name.lowercased() == "cookie" }?.value
            return cookie == "session=right" ? .accepted(user: nil) : .refused(challenge: "Cookie")
        }
    }

    private func serving() throws -> Serving {
        try Serving {
            $0.authenticator = CookieAuthenticator()
            $0.limits.logins.freeLoginFailureCount = 3
            $0.limits.logins.longestLoginDelay = .milliseconds(100)
        }
    }

    private func statuses(_ serving: Serving, _ fields: [String]) throws -> [Int] {
        let clients = try fields.map { _ in try HTTPTestClient(port: serving.port) }
        for (client, field) in zip(clients, fields) {
            client.askToReplicate(field)
        }
        return try clients.map { try $0.readAnswer().status }
    }

    private func status(_ serving: Serving, _ field: String) throws -> Int {
        try statuses(serving, [field])[0]
    }

    @Test func `repeated wrong cookies are rejected like wrong passwords`() throws {
        let serving = try serving()
        for number in 0..<3 { #expect(try status(serving, "Cookie: session=\(number)") == 401) }
        let codes = try statuses(serving, (3..<15).map { "Cookie: session=\($0)" })
        #expect(codes.contains(429) && Set(codes).isSubset(of: [401, 429]), "\(codes)")
    }

    @Test func `a valid cookie is accepted while others guess`() throws {
        let serving = try serving()
        #expect(try status(serving, "Cookie: session=right") == 101)
        _ = try statuses(serving, (0..<12).map { "Cookie: session=\($0)" })
        #expect(try status(serving, "Cookie: session=right") == 101)
    }

    @Test func `a request without credentials does not count as a failed login`() throws {
        let serving = try serving()
        for _ in 0..<8 { #expect(try status(serving, "User-Agent: a") == 401) }
        #expect(try status(serving, "Cookie: session=right") == 101)
    }
}
