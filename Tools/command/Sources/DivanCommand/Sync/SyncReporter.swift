@_spi(Status) import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanStatus
import Foundation

/// Collects the status of a replication for other processes.
///
/// Called from one queue.
final class SyncReporter: @unchecked Sendable {
    // Unchecked: after init everything is used only on the queue of the run.
    private let replicator: Replicator
    private let path: DatabasePath
    private let conflicts: ConflictReport
    private let report: ReplicatorReport
    private let statusDirectory: StatusDirectory
    private var last: JSONObject?
    private var lastPublished: JSONObject?

    init(_ replicator: Replicator, path: DatabasePath, conflicts: ConflictReport) {
        self.replicator = replicator
        self.path = path
        self.conflicts = conflicts
        report = ReplicatorReport(replicator)
        statusDirectory = StatusDirectory(bundle: path.bundle, namesDocuments: !path.isSealed)
    }

    /// Publishes the current state; returns it if it differs from the last one.
    ///
    /// A longer wait alone is not a difference.
    func publish(_ status: Replicator.Status, _ tally: SyncTally) -> JSONObject? {
        let reading = reading(status, tally)
        if JSON.object(reading) != lastPublished.map({ JSON.object($0) }) {
            lastPublished = statusDirectory.publish(reading) ? reading : nil
        }
        var news = reading
        news["waits"] = nil
        news["waitCount"] = nil
        guard JSON.object(news) != last.map({ JSON.object($0) }) else { return nil }
        last = news
        return reading
    }

    /// The replication is over.
    func end() {
        statusDirectory.withdraw()
    }

    private func reading(_ status: Replicator.Status, _ tally: SyncTally) -> JSONObject {
        var object = report.members(status)
        object["program"] = "divan"
        object["database"] = .string(path.name)
        object["url"] = .string(url)
        object["documents"] = .object(tally.counts.json)
        object["collections"] = .object(collections(tally))
        var conflictCounts = object["conflicts"]?.object ?? [:]
        conflictCounts["settled"] = JSON(conflicts.settledCount)
        object["conflicts"] = .object(conflictCounts)
        return object
    }

    private var url: String {
        (replicator.config.target as? URLEndpoint)?.url.absoluteString ?? ""
    }

    private func collections(_ tally: SyncTally) -> JSONObject {
        let members = replicator.config.collections.map { collection in
            let name = collection.qualifiedName.description
            let counts = tally.collections[name] ?? SyncTally.Counts()
            return (key: name, value: JSON.object(counts.json))
        }
        return JSONObject(members)
    }
}

extension Days {
    /// Returns `2026-11-20T08:00:00.000Z`.
    static func exactly(_ date: Date) -> String {
        Moment.text(Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
}
