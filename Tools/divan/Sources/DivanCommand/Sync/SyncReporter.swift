import Divan
import DivanCommandLine
import DivanJSON
import DivanStore
import Foundation

/// Gathers how a replication is, for whoever looks on from another process.
///
/// Called from one queue.
final class SyncReporter: @unchecked Sendable {
    // Unchecked: after init everything is touched on the queue of the run only.
    private let replicator: Replicator
    private let path: DatabasePath
    private let conflicts: ConflictReport
    private let board: StatusBoard
    private let begin = Moment.now()
    private let clock = ContinuousClock.now
    private var window = RateWindow()
    private var pending: Int?
    /// Seconds since the beginning before which pending documents are not counted again.
    private var nextCount = 0.0
    private var last: JSONObject?

    init(_ replicator: Replicator, path: DatabasePath, conflicts: ConflictReport) {
        self.replicator = replicator
        self.path = path
        self.conflicts = conflicts
        board = StatusBoard(path)
    }

    /// Publishes the present state; returns it if it differs from the last one.
    func publish(_ status: Replicator.Status, _ tally: SyncTally) -> JSONObject? {
        let reading = reading(status, tally)
        guard JSON.object(reading) != last.map({ JSON.object($0) }) else { return nil }
        last = reading
        board.publish(reading)
        return reading
    }

    /// The replication is over.
    func end() {
        board.withdraw()
    }

    private func reading(_ status: Replicator.Status, _ tally: SyncTally) -> JSONObject {
        let figures = replicator.statistics
        let seconds = (ContinuousClock.now - clock).inSeconds
        window.note([tally.documentCount, figures.byteCount], at: seconds)
        countPending(at: seconds, isOver: status.activity == .stopped)
        var object: JSONObject = [
            "verb": .string(replicator.config.replicatorType.verb),
            "database": .string(path.name), "url": .string(url),
            "continuous": .bool(replicator.config.continuous),
            "started": .string(Moment.text(begin)), "activity": .string(status.activity.name),
            "documents": .object(tally.counts.json),
            "expected": JSON(figures.expectedDocumentCount),
            "bytes": [
                "received": JSON(figures.receivedByteCount), "sent": JSON(figures.sentByteCount),
            ],
            "rates": [
                "documents": .double(window.rate(0).rounded()),
                "bytes": .double(window.rate(1).rounded()),
            ],
            "collections": .object(collections(tally)),
            "pending": pending.map { JSON($0) } ?? .null,
            "conflicts": [
                "settled": JSON(conflicts.settledCount), "open": JSON(openConflictCount),
            ],
            "compression": figures.compression.map { .string($0) } ?? .null,
        ]
        if let error = status.error {
            object["error"] = .string((error as NSError).localizedDescription)
            object["code"] = JSON((error as NSError).code)
        }
        if let date = status.retryDate { object["retryAt"] = .string(Days.exactly(date)) }
        return object
    }

    private var url: String {
        (replicator.config.target as? URLEndpoint)?.url.absoluteString ?? ""
    }

    private func collections(_ tally: SyncTally) -> JSONObject {
        let members = replicator.config.collections.map { collection in
            let name = CollectionPath(of: collection).wireName
            let counts = tally.collections[name] ?? SyncTally.Counts()
            return (key: name, value: JSON.object(counts.json))
        }
        return JSONObject(members)
    }

    private var openConflictCount: Int {
        let paths = replicator.config.collections.map { CollectionPath(of: $0) }
        let count = try? conflicts.store.read { reader in
            try paths.reduce(0) { try $0 + reader.conflicts(in: $1).count }
        }
        return count ?? 0
    }

    /// Counts what waits to be pushed, for a hundredth of the time at most: it takes a second where
    /// there are millions.
    private func countPending(at seconds: Double, isOver: Bool) {
        guard replicator.config.replicatorType != .pull, seconds >= nextCount, !isOver else {
            return
        }
        pending = try? replicator.config.collections.reduce(0) { sum, collection in
            try sum + replicator.pendingDocumentCount(collection: collection)
        }
        let cost = (ContinuousClock.now - clock).inSeconds - seconds
        nextCount = seconds + cost * 100
    }
}

extension Days {
    /// Returns `2026-11-20T08:00:00.000Z`.
    static func exactly(_ date: Date) -> String {
        Moment.text(Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
}
