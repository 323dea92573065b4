import CouchbaseLiteSwift
import DivanAuth
import DivanConflicts
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Sends a token in a header of its own.
private struct TokenSender: ClientAuthenticator {
    let token: String

    func headers() -> [(name: String, value: String)] { [("X-Token", token)] }
}

/// Accepts one token.
private struct TokenReader: DivanAuth.ListenerAuthenticator {
    let credentialFields = ["X-Token"]

    func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        let token = request.headers.first { $0.name.lowercased() == "x-token" }?.value
        return token == "sesame" ? .accepted(user: "ali") : .refused(challenge: "Token")
    }
}

/// Keeps the body with more bytes.
private struct LongerBody: DivanConflicts.ConflictResolver {
    let calls = Heard<String>()

    func resolve(_ conflict: DivanConflicts.Conflict) -> Resolution {
        calls.append(conflict.documentID.text)
        return conflict.local.body.count > conflict.remote.body.count ? .keepLocal : .keepRemote
    }
}

/// Implementations of lower packages' protocols in the public configurations.
@Suite(.timeLimit(.minutes(5))) struct AdaptedTests {
    @Test(arguments: [("sesame", 0), ("barley", CBLError.httpAuthRequired)])
    func `authenticators of DivanAuth are used on both sides`(
        token: String,
        code: Int
    ) async throws {
        let peers = try Peers()
        let users = Heard<String?>()
        let listener = try peers.listen {
            $0.authenticator = .custom(TokenReader())
            $0.access = { client in
                users.append(client.user)
                return .full
            }
        }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.authenticator = .custom(TokenSender(token: token))
        #expect(await Replicator(config: configuration).finalCode() == code)
        #expect(users.elements == (code == 0 ? ["ali"] : []))
    }

    @Test func `a resolver of DivanConflicts decides a conflict`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        try await Replicator(config: peers.configuration()).run()
        try peers.here.defaultCollection().put("a", 123_456)
        try peers.there.defaultCollection().put("a", 2)
        let resolver = LongerBody()
        let configuration = try peers.configuration { $0.conflictResolver = .custom(resolver) }
        try await Replicator(config: configuration).run()
        #expect(try peers.here.defaultCollection().value("a") == 123_456)
        #expect(resolver.calls.elements == ["a"])
    }

    @Test func `an adapted resolver follows the rules for resolvers`() throws {
        let database = try TemporaryDatabase()
        let violations = CouchbaseLiteSwift.ConflictResolver.violations(
            of: .custom(RemoteWinsResolver()),
            in: try database.collection
        )
        #expect(violations == [])
    }
}
