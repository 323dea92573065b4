import Dispatch
import DivanAuth
import DivanListener
import DivanReplicator
import DivanSession
import DivanStore
import DivanTestKit
import Synchronization
import Testing

/// The line before the check of passwords.
@Suite(.timeLimit(.minutes(5))) struct AuthenticationQueueTests {
    /// A slow authenticator: each check waits until `open` was called.
    private final class SlowAuthenticator: Sendable {
        let checkCount = Atomic(0)
        private let gate = DispatchGroup()

        init() { gate.enter() }

        func open() { gate.leave() }

        func accepts(_ password: String) -> Bool {
            gate.wait()
            checkCount.add(1, ordering: .relaxed)
            return password == "lovelace"
        }
    }

    private func serving(
        _ slow: SlowAuthenticator,
        _ change: (inout ListenerLimits) -> Void
    ) throws -> Serving {
        try Serving {
            $0.limits.decisionTimeout = .milliseconds(400)
            change(&$0.limits)
            $0.authenticator = PasswordListenerAuthenticator { slow.accepts($1) }
        }
    }

    /// Clients that have requested access, with a wrong password.
    private func crowd(_ count: Int, at port: UInt16) throws -> [HTTPTestClient] {
        let wrong = try BasicCredentials(username: "ada", password: "byron").header
        return try (0..<count).map { _ in
            let client = try HTTPTestClient(port: port)
            client.askToReplicate("Authorization: \(wrong)")
            return client
        }
    }

    @Test func `passwords of disconnected clients are not checked`() async throws {
        let slow = SlowAuthenticator()
        let serving = try serving(slow) { $0.checkingCount = 1 }
        let clients = try crowd(30, at: serving.port)
        // All are dropped, as nothing is decided in time.
        while serving.server.statistics.failedHandshakeCount < 30 { await Task.yield() }
        slow.open()
        let right = try BasicCredentials(username: "ada", password: "lovelace")
        #expect(try await serving.sync(.inMemory(), credentials: right)?.error == nil)
        #expect(slow.checkCount.load(ordering: .relaxed) == 2, "the one at hand, and the last")
        withExtendedLifetime(clients) {}
    }

    @Test func `concurrent logins allow no more guesses than sequential ones`() async throws {
        let slow = SlowAuthenticator()
        let serving = try serving(slow) {
            $0.checkingCount = 2
            $0.logins.freeLoginFailureCount = 3
            $0.decisionTimeout = .seconds(2)
        }
        let clients = try crowd(40, at: serving.port)
        slow.open()
        while serving.server.statistics.failedHandshakeCount < 40 { await Task.yield() }
        // One more was ready with the third; a few of those that wait have their turn before they disconnect.
        #expect(slow.checkCount.load(ordering: .relaxed) < 3 + 1 + 10)
        withExtendedLifetime(clients) {}
    }

    @Test(arguments: [
        ("Host: 127.0.0.1", "Origin: https://evil.example", 403),
        ("Host: localhost", "Origin: null", 403),
        ("Host: evil.example:80", "Origin: http://evil.example:80", 403),
        ("Host: evil.local:80", "Origin: http://evil.local:80", 403),
        ("Host: jukebox", "Origin: http://jukebox", 403), ("Host: ", "Origin: http://", 403),
        ("Host: 203.0.113.7", "Origin: http://203.0.113.7", 403),
        ("Host: 127.0.0.1:80", "Origin: http://127.0.0.1:80", 101),
    ])
    func `a cross-origin WebSocket request is rejected`(
        host: String,
        origin: String,
        status: Int
    ) throws {
        let serving = try Serving()
        let client = try HTTPTestClient(port: serving.port)
        client.askToReplicate(naming: host, origin)
        let answer = try client.readAnswer()
        #expect(answer.status == status)
        if status == 403 { #expect(serving.server.statistics.connectionCount == 0) }
    }
}
