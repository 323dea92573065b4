import CouchbaseLiteSwift
import Foundation

/// One of our replicators against malicious servers.
struct HubAttacks {
    let directory: String
    let report: Report

    func run() {
        report.heading("Servers against a replicator")
        report.attack("a server that lets in and hangs up", "ended after 3 attempts") {
            let hub = try MaliciousServer(answeringProposals: nil)
            defer { hub.close() }
            try sync(with: hub, attempts: 3)
            return "ended after \(hub.connectionCount) attempts"
        }
        for status in ["9223372036854775807", "-9223372036854775808", "18446744073709551615", "7"] {
            for answer in ["[\(status)]", "[{\"status\":\(status)}]"] {
                report.attack("a proposal answered with \(answer)", "the program continues") {
                    let hub = try MaliciousServer(answeringProposals: answer)
                    defer { hub.close() }
                    try sync(with: hub, attempts: 1)
                    return "the program continues"
                }
            }
        }
    }

    /// Pushes one document to a hub.
    private func sync(with hub: MaliciousServer, attempts: UInt) throws {
        var options = DatabaseConfiguration()
        options.directory = directory + "/\(UUID().uuidString)"
        let database = try Database(name: "client", config: options)
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        try collection.save(document: MutableDocument(id: "d"))
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: collection)],
            target: try URLEndpoint(validating: "ws://127.0.0.1:\(hub.port)/attacked")
        )
        configuration.replicatorType = .push
        configuration.maxAttempts = attempts
        configuration.maxAttemptWaitTime = 0.5
        let replicator = Replicator(config: configuration)
        let stopped = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "attack.hub")
        let token = replicator.addChangeListener(withQueue: queue) { change in
            if change.status.activity == .stopped { stopped.signal() }
        }
        defer { token.remove() }
        replicator.start()
        // Some replies leave it waiting for the rest of a conversation that the hub does not know.
        guard stopped.wait(timeout: .now() + 3) != .success else { return }
        replicator.stop()
        guard stopped.wait(timeout: .now() + 10) == .success else {
            throw AttackFailure("the replicator does not end")
        }
    }
}
