import CouchbaseLiteSwift
import Dispatch
import DivanTestKit
import Foundation

/// One replication of one database, timed from its start until it has stopped.
struct SyncOnce {
    private let replicator: Replicator
    private let collection: CouchbaseLiteSwift.Collection
    private let isPush: Bool
    private let isReset: Bool
    private let samplePeriod: Double?
    private let patience: Double?

    init(_ order: PeerCommand.Order, _ database: Database) throws {
        replicator = Replicator(config: try Self.configuration(order, database))
        collection = try database.defaultCollection()
        isPush = order.isPush
        isReset = order.isReset
        samplePeriod = order.samplePeriod
        patience = order.patience
    }

    /// Replicates with a database of the same process.
    init(_ endpoint: DatabaseEndpoint, _ type: ReplicatorType, _ database: Database) throws {
        collection = try database.defaultCollection()
        let entry = CollectionConfiguration(collection: collection)
        var config = ReplicatorConfiguration(collections: [entry], target: endpoint)
        config.replicatorType = type
        replicator = Replicator(config: config)
        isPush = type == .push
        isReset = false
        samplePeriod = nil
        patience = nil
    }

    static func configuration(
        _ order: PeerCommand.Order,
        _ database: Database
    ) throws -> ReplicatorConfiguration {
        let entry = CollectionConfiguration(collection: try database.defaultCollection())
        var config = ReplicatorConfiguration(
            collections: [entry],
            target: try URLEndpoint(validating: order.url)
        )
        config.replicatorType = order.isPush ? .push : .pull
        config.compression = order.wire.compression.choice
        config.proxy = order.proxyPort.map { ProxySettings(hostname: "127.0.0.1", port: $0) }
        config.acceptOnlySelfSignedServerCertificate = order.wire.isSecure
        return config
    }

    /// Pulls a database of this process into a new one, which is then deleted.
    ///
    /// - Returns: Seconds.
    static func pullSeconds(from source: Database, into target: Database) throws -> Double {
        let outcome = try SyncOnce(DatabaseEndpoint(database: source), .pull, target).outcome()
        try target.delete()
        let expected = Int(try source.defaultCollection().count)
        guard outcome.documentCount == expected else {
            throw BenchFailure("\(outcome.documentCount) of \(expected) documents arrived")
        }
        return outcome.seconds
    }

    /// Runs it.
    ///
    /// - Throws: The replicator's error.
    func outcome() throws -> SyncOutcome {
        let stopped = DispatchSemaphore(value: 0)
        replicator.addChangeListener(withQueue: DispatchQueue(label: "sync")) { change in
            if change.status.activity == .stopped { stopped.signal() }
        }
        let start = monotonicSeconds()
        var samples: [SyncOutcome.Sample] = []
        replicator.start(reset: isReset)
        if let samplePeriod {
            while stopped.wait(timeout: .now() + samplePeriod) == .timedOut {
                samples.append(
                    SyncOutcome.Sample(
                        seconds: monotonicSeconds() - start,
                        documentCount: Int(collection.count),
                        residentByteCount: Double(OwnProcess.residentByteCount)
                    )
                )
            }
        } else if stopped.wait(timeout: patience.map { .now() + $0 } ?? .distantFuture) == .timedOut
        {
            replicator.stop()
            stopped.wait()
        }
        let seconds = monotonicSeconds() - start
        if let error = replicator.status.error { throw error }
        // The pushing side has all documents before and after.
        let pushedCount = Int(replicator.statistics.pushedDocumentCount)
        return SyncOutcome(
            seconds: seconds,
            documentCount: isPush ? pushedCount : Int(collection.count),
            byteCount: Int(replicator.statistics.byteCount),
            samples: samples
        )
    }
}
