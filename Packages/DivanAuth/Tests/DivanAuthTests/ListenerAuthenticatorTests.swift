import DivanAuth
import DivanCrypto
import Synchronization
import Testing

/// Whom listeners let in.
@Suite struct ListenerAuthenticatorTests {
    let ada: BasicCredentials

    init() throws {
        ada = try BasicCredentials(username: "ada", password: "engine:1843")
    }

    @Test func `an open listener accepts everyone`() {
        let authenticator = OpenListenerAuthenticator()
        for authorization in [nil, "rubbish", ada.header] {
            let request = AuthenticationRequest(authorization: authorization)
            #expect(authenticator.authenticate(request) == .accepted(user: nil))
        }
    }

    @Test func `a callback gets the decoded credentials`() {
        let seen = Mutex<[String]>([])
        let authenticator = PasswordListenerAuthenticator { username, password in
            seen.withLock { $0 += [username, password] }
            return true
        }
        let outcome = authenticator.authenticate(AuthenticationRequest(authorization: ada.header))
        #expect(outcome == .accepted(user: "ada"))
        #expect(seen.withLock { $0 } == ["ada", "engine:1843"])
    }

    @Test func `a callback is not called without valid credentials`() {
        let authenticator = PasswordListenerAuthenticator { _, _ in
            Issue.record("asked")
            return true
        }
        for authorization in [nil, "", "Basic !", "Bearer \(ada.header.dropFirst(6))"] {
            let request = AuthenticationRequest(authorization: authorization)
            #expect(authenticator.authenticate(request) == .basicChallenge)
        }
    }

    @Test func `the challenge has the expected form`() {
        #expect(
            AuthenticationOutcome.basicChallenge == .refused(challenge: #"Basic charset="UTF-8""#)
        )
    }

    @Test func `callback and list fulfill the contract`() throws {
        let ada = ada
        let callback = PasswordListenerAuthenticator { $0 == ada.username && $1 == ada.password }
        let eve = try BasicCredentials(username: "eve", password: "apple")
        let list = PasswordListAuthenticator([eve, ada])
        let violations =
            ListenerAuthenticatorContract.violations(of: callback, accepting: ada)
            + ListenerAuthenticatorContract.violations(of: list, accepting: ada)
            + ListenerAuthenticatorContract.violations(of: list, accepting: eve)
        #expect(violations == [])
    }

    @Test func `the contract detects an authenticator that accepts unknown users`() {
        let open = OpenListenerAuthenticator()
        let violations = ListenerAuthenticatorContract.violations(of: open, accepting: ada)
        #expect(violations.contains("A client without credentials must be refused."))
        #expect(violations.contains("A wrong user name or password must be refused."))
    }

    @Test func `a list does not accept the password of another user`() throws {
        let eve = try BasicCredentials(username: "eve", password: "apple")
        let mixed = try BasicCredentials(username: "eve", password: ada.password)
        let list = PasswordListAuthenticator([ada, eve])
        let request = AuthenticationRequest(authorization: mixed.header)
        #expect(list.authenticate(request) == .basicChallenge)
    }

    @Test func `an empty list accepts no one`() {
        let request = AuthenticationRequest(authorization: ada.header)
        #expect(PasswordListAuthenticator([]).authenticate(request) == .basicChallenge)
    }

    @Test func `a list stores salted digests, not passwords`() {
        struct FixedSource: RandomSource {
            func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
        }
        var dumped = ""
        dump(PasswordListAuthenticator([ada]), to: &dumped)
        #expect(!dumped.contains("engine"))
        var (first, second) = ("", "")
        dump(PasswordListAuthenticator([ada], random: FixedSource()), to: &first)
        dump(PasswordListAuthenticator([ada]), to: &second)
        #expect(first != second)
    }
}
