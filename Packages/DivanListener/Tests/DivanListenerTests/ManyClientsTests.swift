import DivanAuth
import DivanListener
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanTestKit
import Synchronization
import Testing

/// One address that wants too much, over sockets.
@Suite(.timeLimit(.minutes(5))) struct ManyClientsTests {
    private let wrong: BasicCredentials
    private let right: BasicCredentials

    init() throws {
        wrong = try BasicCredentials(username: "ada", password: "byron")
        right = try BasicCredentials(username: "ada", password: "lovelace")
    }

    private func serving(_ change: @escaping (inout ListenerLimits) -> Void) throws -> Serving {
        try Serving {
            change(&$0.limits)
            $0.authenticator = PasswordListenerAuthenticator { name, password in
                name == "ada" && password == "lovelace"
            }
        }
    }

    @Test func `repeated wrong passwords are delayed and then rejected`() async throws {
        let serving = try serving {
            $0.logins.freeLoginFailureCount = 3
            // Three guesses within this time overlap, even on a busy machine.
            $0.logins.longestLoginDelay = .seconds(2)
        }
        // The listener's delay starts at the latest failure, which comes after this reading.
        var start = ContinuousClock.now
        for _ in 0..<3 {
            start = .now
            #expect(try await serving.sync(.inMemory(), credentials: wrong)?.error?.code == 401)
        }
        #expect(try await serving.sync(.inMemory(), credentials: right)?.error == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(150), "the right one waits too")

        let codes = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    try await serving.sync(.inMemory(), credentials: wrong)?.error?.code
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.contains(429))
        #expect(codes.allSatisfy { $0 == 429 || $0 == 401 })
    }

    @Test(arguments: [true, false])
    func `wrong passwords of one client do not lock out others`(isProxy: Bool) async throws {
        let serving = try serving {
            $0.logins.sparesLoopback = isProxy
            $0.logins.freeLoginFailureCount = 1
            $0.logins.longestLoginDelay = .seconds(2)
        }
        if !isProxy {
            #expect(try await serving.sync(.inMemory(), credentials: right)?.error == nil)
        }
        let guess = try BasicCredentials(username: "mallory", password: "1234")
        #expect(try await serving.sync(.inMemory(), credentials: guess)?.error?.code == 401)
        let codes = try await withThrowingTaskGroup(of: (isGuess: Bool, code: Int?).self) { group in
            for number in 0..<16 {
                let isGuess = number % 4 != 3
                group.addTask {
                    let end = try await serving.sync(
                        .inMemory(),
                        credentials: isGuess ? guess : right
                    )
                    return (isGuess, end?.error?.code)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.contains { $0.isGuess && $0.code == 429 })
        #expect(codes.allSatisfy { $0.isGuess || $0.code == nil }, "\(codes)")
    }

    @Test func `a request without credentials does not count as a failed login`() async throws {
        let serving = try serving {
            $0.logins.freeLoginFailureCount = 1
            $0.logins.longestLoginDelay = .zero
        }
        for _ in 0..<5 {
            #expect(try await serving.sync(.inMemory())?.error?.code == 401)
        }
        #expect(try await serving.sync(.inMemory(), credentials: right)?.error == nil)
    }

    @Test func `connections per address are limited, and freed when they close`() async throws {
        let serving = try Serving {
            $0.limits.logins.addressConnectionCount = 2
            $0.limits.logins.sparesLoopback = false
        }
        let runs = try (0..<2).map { _ in try serving.start(.inMemory(), isContinuous: true) }
        var streams = runs.map { $0.statuses.makeAsyncIterator() }
        for index in streams.indices {
            while let status = await streams[index].next(), status.activity != .idle {}
        }
        #expect(try await serving.sync(.inMemory())?.error?.code == 429)
        runs[0].session.stop()
        while await streams[0].next() != nil {}
        // Seats are freed when the server's own end of the connection ends.
        var last = try await serving.sync(.inMemory())
        while last?.error?.code == 429 { last = try await serving.sync(.inMemory()) }
        #expect(last?.error == nil)
        runs[1].session.stop()
    }

    @Test func `loopback is exempt from the connection limit by default`() async throws {
        let serving = try Serving { $0.limits.logins.addressConnectionCount = 0 }
        #expect(try await serving.sync(.inMemory())?.error == nil)
    }

    /// A client that has upgraded its connection and says nothing.
    private func silent(_ serving: Serving) throws -> HTTPTestClient {
        let client = try HTTPTestClient(port: serving.port)
        client.askToReplicate("X: y")
        #expect(try client.readAnswer(hasBody: false).status == 101)
        return client
    }

    @Test func `silent clients of one address do not block new clients`() async throws {
        let serving = try Serving { $0.limits.connectionCount = 4 }
        let crowd = try (0..<6).map { _ in try silent(serving) }
        for number in 0..<4 {
            let client = Store.inMemory()
            try client.put(DocumentID(unchecked: "\(number)"), number)
            #expect(try await serving.sync(client)?.error == nil)
        }
        #expect(try serving.store.documentCount == 4)
        #expect(serving.server.statistics.displacedConnectionCount >= 3)
        #expect(serving.server.status.connectionCount <= 4)
        withExtendedLifetime(crowd) {}
    }

    @Test func `a new client is rejected with 503 if every client has one connection`() async throws
    {
        let serving = try Serving {
            $0.limits.connectionCount = 2
            $0.authenticator = PasswordListenerAuthenticator { _, _ in true }
        }
        func credentials(_ name: String) throws -> BasicCredentials {
            try BasicCredentials(username: name, password: "x")
        }
        let runs = try ["a", "b"].map {
            try serving.start(.inMemory(), credentials: credentials($0), isContinuous: true)
        }
        for run in runs {
            for await status in run.statuses where status.activity == .idle { break }
        }
        #expect(
            try await serving.sync(.inMemory(), credentials: credentials("c"))?.error?.code == 503
        )
        #expect(serving.server.statistics.refusalCountByStatus[503] ?? 0 > 0)
        // A second one of the same user takes the place of the first.
        #expect(try await serving.sync(.inMemory(), credentials: credentials("a"))?.error == nil)
        #expect(serving.server.statistics.displacedConnectionCount >= 1)
        for run in runs { run.session.stop() }
    }

    @Test(arguments: [false, true])
    func `a connection closes soon after its rights change, even if its client is silent`(
        answers: Bool
    ) async throws {
        let edition = Atomic(1)
        let serving = try Serving { configuration in
            for name in configuration.databases.keys {
                configuration.databases[name]?.access = { _ in
                    let current = edition.load(ordering: .relaxed)
                    return .granted(
                        PeerConfiguration.PassiveOptions(collections: [.default]),
                        isCurrent: { edition.load(ordering: .relaxed) == current }
                    )
                }
            }
        }
        let run = try serving.start(.inMemory(), isContinuous: true)
        let client = try answers ? nil : silent(serving)
        var last: SyncStatus?
        for await status in run.statuses {
            last = status
            guard status.activity == .idle, edition.load(ordering: .relaxed) == 1 else { continue }
            serving.server.dropOutdated()
            #expect(serving.server.status.connectionCount == (answers ? 1 : 2))
            edition.store(2, ordering: .relaxed)
            serving.server.dropOutdated()
            if let client {
                let frame = try client.read(through: "reconnect")
                #expect(frame.count > 4)
                let begin = ContinuousClock.now
                #expect(client.isAtEnd())
                #expect(ContinuousClock.now - begin < .seconds(4), "it is not waited for")
            }
        }
        // One that runs once does not come back by itself after it had begun.
        #expect(last?.error?.code == 4001)
        run.session.stop()
    }
}
