import CouchbaseLiteSwift
import Foundation
import Synchronization

/// A well-behaved client that works continuously while others attack.
final class GoodClient: @unchecked Sendable {
    // Unchecked: `database` is thread-safe; the rest is locked.

    private struct Tally {
        var runCount = 0
        var failures: [String] = []
        var longest = 0.0
        var isStopping = false
    }

    private let database: Database
    private let configuration: ReplicatorConfiguration
    private let tally = Mutex(Tally())
    private let queue = DispatchQueue(label: "attack.good-client")
    private let ended = DispatchSemaphore(value: 0)

    init(_ directory: String, _ place: Place) throws {
        var options = DatabaseConfiguration()
        options.directory = directory
        database = try Database(name: "client", config: options)
        let text = "wss://127.0.0.1:\(place.port)/\(place.database)"
        let target = try URLEndpoint(validating: text)
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try database.defaultCollection())],
            target: target
        )
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.authenticator = BasicAuthenticator(
            username: "ada",
            password: Secrets.password
        )
        configuration.maxAttempts = 3
        configuration.maxAttemptWaitTime = 0.2
        self.configuration = configuration
    }

    /// Saves a document and syncs once; returns what went wrong.
    func run() -> String? {
        let start = Date()
        let number = tally.withLock { tally in
            tally.runCount += 1
            return tally.runCount
        }
        var problem: String?
        do {
            let document = MutableDocument(id: "good-\(number)")
            document.setString(Secrets.body, forKey: "text")
            try database.defaultCollection().save(document: document)
            let replicator = Replicator(config: configuration)
            let stopped = DispatchSemaphore(value: 0)
            let token = replicator.addChangeListener(withQueue: queue) { change in
                if change.status.activity == .stopped { stopped.signal() }
            }
            replicator.start()
            let isDone = stopped.wait(timeout: .now() + 20) == .success
            token.remove()
            problem = isDone ? replicator.status.error.map { "\($0)" } : "no end after 20 s"
        } catch {
            problem = "\(error)"
        }
        tally.withLock { tally in
            tally.longest = max(tally.longest, Date().timeIntervalSince(start))
            if let problem { tally.failures.append(problem) }
        }
        return problem
    }

    /// Runs in the background until `stop`.
    func start() {
        Thread.detachNewThread {
            while !self.tally.withLock({ $0.isStopping }) {
                _ = self.run()
                Thread.sleep(forTimeInterval: 0.1)
            }
            self.ended.signal()
        }
    }

    /// How often it ran, the longest run, and what went wrong.
    func stop() -> (runCount: Int, longest: Double, failures: [String]) {
        tally.withLock { $0.isStopping = true }
        ended.wait()
        return tally.withLock { ($0.runCount, $0.longest, $0.failures) }
    }
}
