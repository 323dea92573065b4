import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// Sends a token that may change from one attempt to the next.
private final class BearerAuthenticator: CustomAuthenticator {
    private let token: Mutex<String>

    init(_ token: String) { self.token = Mutex(token) }

    func renew(_ token: String) { self.token.withLock { $0 = token } }

    func headers() -> [String: String] {
        ["Authorization": "Bearer \(token.withLock { $0 })"]
    }
}

/// Accepts clients that present an unexpired token.
private final class BearerListenerAuthenticator: CustomListenerAuthenticator {
    private let users: Mutex<[String: String]>

    var credentialFields: [String] { ["Authorization"] }

    init(_ users: [String: String]) { self.users = Mutex(users) }

    func expire(_ token: String) { users.withLock { $0[token] = nil } }

    func authenticate(_ request: ListenerRequest) -> ListenerLogin {
        let parts = request.header("authorization")?.split(separator: " ") ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer",
            let user = users.withLock({ $0[String(parts[1])] })
        else { return .refused(challenge: #"Bearer realm="kitchen""#) }
        return .accepted(user: user)
    }
}

/// An application uses its own authentication on both sides.
@Suite(.timeLimit(.minutes(5))) struct CustomAuthenticatorTests {
    @Test func `a bearer token is accepted until it expires`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        let authenticator = BearerListenerAuthenticator(["token-1": "ada", "token-2": "ada"])
        let users = Heard<String?>()
        let listener = try peers.listen {
            $0.authenticator = authenticator
            $0.access = { client in
                users.append(client.user)
                return .full
            }
        }
        defer { listener.stop() }
        let key = BearerAuthenticator("token-1")
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.authenticator = key
        let replicator = Replicator(config: configuration)
        #expect(await replicator.finalCode() == 0)
        #expect(users.elements == ["ada"])
        #expect(try peers.there.defaultCollection().value("a") == 1)

        authenticator.expire("token-1")
        #expect(await replicator.finalCode() == CBLError.httpAuthRequired)
        key.renew("token-2")
        #expect(await replicator.finalCode() == 0)
        #expect(listener.statistics.refusalCountByStatus == [401: 1])
    }

    @Test(arguments: ["", "token 1", "Basic dG9rZW4tMTo=", "token-1\u{301}"])
    func `any other token is 10401`(token: String) async throws {
        let peers = try Peers()
        let listener = try peers.listen {
            $0.authenticator = BearerListenerAuthenticator(["token-1": "ada"])
        }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.authenticator = BearerAuthenticator(token)
        #expect(
            await Replicator(config: configuration).finalCode() == CBLError.httpAuthRequired
        )
    }

    @Test func `a token that could inject a header is never sent`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.maxAttempts = 1
        configuration.authenticator = BearerAuthenticator("x\r\nX-Evil: 1")
        #expect(await Replicator(config: configuration).finalCode() != 0)
        #expect(listener.statistics.connectionCount == 0)
    }
}
