import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Tokens that the application fetches, with servers that record what they received.
@Suite(.timeLimit(.minutes(5))) struct TokenAuthenticatorTests {
    /// Returns numbered tokens, and records why it was called.
    private final class Provider: Sendable {
        private let reasons = Mutex<[TokenAuthenticator.Reason]>([])
        private let life: TimeInterval?
        private let failures: Mutex<[any Error]>

        init(life: TimeInterval? = nil, failures: [any Error] = []) {
            self.life = life
            self.failures = Mutex(failures)
        }

        var asked: [TokenAuthenticator.Reason] { reasons.withLock { $0 } }

        var authenticator: TokenAuthenticator {
            TokenAuthenticator { reason in
                let number = self.reasons.withLock { reasons in
                    reasons.append(reason)
                    return reasons.count
                }
                if let failure = self.failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                    throw failure
                }
                let expiry = self.life.map { Date(timeIntervalSinceNow: $0) }
                return AccessToken("token-\(number)", expirationDate: expiry)
            }
        }
    }

    private struct NoNetwork: Error {}

    private static let unauthorized = HandshakeServer.answer(
        "401 Unauthorized",
        "WWW-Authenticate: Bearer"
    )
    private static let forbidden = HandshakeServer.answer("403 Forbidden")

    private func statuses(
        _ answers: [String],
        _ authenticator: TokenAuthenticator,
        attempts: UInt = 1
    ) async throws -> (HandshakeServer, [Replicator.Status]) {
        let server = try HandshakeServer(answers: answers)
        let peers = try Peers()
        let target = try URLEndpoint(validating: "ws://127.0.0.1:\(server.port)/db")
        var configuration = try peers.configuration(target: target)
        configuration.maxAttempts = attempts
        configuration.maxAttemptWaitTime = 0.01
        configuration.authenticator = authenticator
        return (server, await Replicator(config: configuration).statuses())
    }

    @Test func `the token is sent with the first request`() async throws {
        let provider = Provider()
        let (server, statuses) = try await statuses([Self.forbidden], provider.authenticator)
        #expect(server.field("Authorization") == "Bearer token-1")
        #expect(provider.asked == [.first])
        #expect(statuses.first?.activity == .connecting)
        #expect(statuses.contains { $0.needsCredentials })
        #expect(statuses.last?.needsCredentials == false)
    }

    @Test func `401 requests a new token at once without counting as an attempt`() async throws {
        let provider = Provider()
        let (server, statuses) = try await statuses(
            [Self.unauthorized, Self.forbidden],
            provider.authenticator
        )
        #expect(server.field("Authorization", of: 1) == "Bearer token-2")
        #expect(provider.asked == [.first, .refused])
        #expect((statuses.last?.error as NSError?)?.code == CBLError.httpForbidden)
        #expect(!statuses.contains { $0.activity == .offline })
    }

    @Test func `a second 401 in a row ends the run with 10401`() async throws {
        let provider = Provider()
        let (server, statuses) = try await statuses(
            [Self.unauthorized, Self.unauthorized, Self.forbidden],
            provider.authenticator,
            attempts: 9
        )
        #expect(server.requests.count == 2)
        #expect(statuses.last?.activity == .stopped)
        #expect(statuses.last?.needsCredentials == true)
        #expect((statuses.last?.error as NSError?)?.code == CBLError.httpAuthRequired)
    }

    @Test func `a token that cannot be fetched is requested again`() async throws {
        let provider = Provider(failures: [NoNetwork()])
        let (server, statuses) = try await statuses(
            [Self.forbidden],
            provider.authenticator,
            attempts: 5
        )
        let offline = try #require(statuses.first { $0.activity == .offline })
        #expect(offline.needsCredentials)
        #expect((offline.error as NSError?)?.code == CBLError.httpAuthRequired)
        #expect(offline.error?.localizedDescription.contains("NoNetwork") == true)
        #expect(server.field("Authorization") == "Bearer token-2")
    }

    @Test func `a cancelled token request ends the run without connecting`() async throws {
        let provider = Provider(failures: [CancellationError()])
        let (server, statuses) = try await statuses(
            [Self.forbidden],
            provider.authenticator,
            attempts: 5
        )
        #expect(server.requests.isEmpty)
        #expect(statuses.last?.activity == .stopped)
        #expect((statuses.last?.error as NSError?)?.code == CBLError.httpAuthRequired)
    }

    @Test(arguments: ["", "a b", "x\r\nX-Evil: 1", "é", String(repeating: "a", count: 16_385)])
    func `a token that is not valid in a header is never sent`(text: String) async throws {
        let authenticator = TokenAuthenticator { _ in AccessToken(text) }
        let (server, statuses) = try await statuses([Self.forbidden], authenticator, attempts: 5)
        #expect(server.requests.isEmpty)
        #expect((statuses.last?.error as NSError?)?.code == CBLError.httpAuthRequired)
    }

    @Test func `runs share a token until it expires`() async throws {
        let lasting = Provider(life: 3_600)
        let key = lasting.authenticator
        _ = try await statuses([Self.forbidden], key)
        _ = try await statuses([Self.forbidden], key)
        #expect(lasting.asked == [.first])

        let brief = Provider(life: 0)
        let short = brief.authenticator
        _ = try await statuses([Self.forbidden], short)
        _ = try await statuses([Self.forbidden], short)
        #expect(brief.asked == [.first, .expiring])
    }

    @Test func `a token is never printed`() {
        let token = AccessToken("secret-1")
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!"\(token) \(String(reflecting: token)) \(dumped)".contains("secret"))
    }
}
