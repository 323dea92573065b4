import DivanDatabase
public import DivanJSON
import DivanStatus
import Foundation
import Synchronization

/// A replicator's state for other processes on this machine, gathered repeatedly.
///
/// Each reading requests the replicator's waits and reports them with the next one: the replicator's own thread
/// answers, and nothing blocks on that.
@_spi(Status) public final class ReplicatorReport: Sendable {
    private struct State {
        var window = RateWindow()
        var waiting: Waiting?
        /// The time, in seconds since the start, before which the database is not queried again.
        var nextCount = 0.0
        var diagnosis: Replicator.Diagnosis?
        var isAsking = false
    }

    /// The pending documents in the database.
    private struct Waiting {
        var pending: Int?
        var conflictCount: Int?
    }

    /// How many waits are reported, and from how many seconds on.
    private static let waitCount = 10
    private static let leastSeconds = 1.0

    private let replicator: Replicator
    private let begin = Date()
    private let clock = ContinuousClock.now
    private let state = Mutex(State())

    /// Starts reporting on a replicator.
    public init(_ replicator: Replicator) {
        self.replicator = replicator
    }

    /// The current state, as the members of `divan status --json`; for one thread at a time.
    public func members(_ status: Replicator.Status) -> JSONObject {
        let figures = replicator.statistics
        let seconds = (ContinuousClock.now - clock) / .seconds(1)
        let isOver = status.activity == .stopped
        if !isOver {
            countWaiting(at: seconds)
            askForWaits()
        }
        let (window, waiting, diagnosis) = state.withLock { state in
            let done = figures.pulledDocumentCount + figures.pushedDocumentCount
            state.window.note([done, figures.byteCount], at: seconds)
            return (state.window, state.waiting, isOver ? nil : state.diagnosis)
        }
        var object: JSONObject = [
            "verb": .string(replicator.verb), "url": .string(replicator.label.target),
            "database": .string(replicator.label.database),
            "continuous": .bool(replicator.config.continuous),
            "started": .string(begin.statusText), "activity": .string("\(status.activity)"),
            "expected": JSON(figures.expectedDocumentCount),
        ]
        object["documents"] = [
            "pulled": JSON(figures.pulledDocumentCount),
            "pushed": JSON(figures.pushedDocumentCount),
        ]
        object["bytes"] = [
            "received": JSON(figures.receivedByteCount), "sent": JSON(figures.sentByteCount),
        ]
        object["rates"] = [
            "documents": .double(window.rate(0).rounded()),
            "bytes": .double(window.rate(1).rounded()),
        ]
        object["progress"] = [
            "completed": JSON(status.progress.completed), "total": JSON(status.progress.total),
        ]
        let (pending, conflictCount) = (waiting?.pending, waiting?.conflictCount)
        object["pending"] = pending.map { JSON($0) } ?? JSON.null
        object["conflicts"] = ["open": conflictCount.map { JSON($0) } ?? JSON.null]
        object["compression"] = figures.compression.map { JSON.string($0) } ?? JSON.null
        if let error = status.obstacle {
            object["error"] = .string((error as NSError).localizedDescription)
            object["code"] = JSON((error as NSError).code)
        }
        if let date = status.retryDate { object["retryAt"] = .string(date.statusText) }
        if let stall = status.stall { object["stall"] = .string(stall) }
        if let id = replicator.correlationID { object["connection"] = .string(id) }
        if status.needsCredentials { object["needsCredentials"] = true }
        if let diagnosis { Self.append(diagnosis, to: &object) }
        return object
    }

    private static func append(_ diagnosis: Replicator.Diagnosis, to object: inout JSONObject) {
        if !diagnosis.isResponding { object["responding"] = false }
        let waits = diagnosis.waits.filter { $0.seconds >= leastSeconds }
        guard !waits.isEmpty else { return }
        object["waits"] = .array(waits.prefix(waitCount).map { .object($0.members) })
        object["waitCount"] = JSON(diagnosis.waitCount)
    }

    private func askForWaits() {
        let isFree = state.withLock { state in
            defer { state.isAsking = true }
            return !state.isAsking
        }
        guard isFree else { return }
        Task { [self] in
            let diagnosis = await replicator.diagnosis
            state.withLock { state in
                state.diagnosis = diagnosis
                state.isAsking = false
            }
        }
    }

    /// Counts the pending documents, for at most a hundredth of the time: it takes a second if there are millions.
    private func countWaiting(at seconds: Double) {
        guard seconds >= state.withLock({ $0.nextCount }) else { return }
        var waiting = Waiting()
        let collections = replicator.config.collections
        if replicator.config.replicatorType != .pull {
            waiting.pending = try? collections.reduce(0) { sum, collection in
                try sum + replicator.pendingDocumentCount(collection: collection)
            }
        }
        waiting.conflictCount = try? replicator.config.requiredDatabase.openStore().read { reader in
            try collections.reduce(0) { try $0 + reader.conflicts(in: $1.path).count }
        }
        let cost = (ContinuousClock.now - clock) / .seconds(1) - seconds
        state.withLock { state in
            state.waiting = waiting
            state.nextCount = seconds + cost * 100
        }
    }
}

extension Replicator {
    /// The word that a person would type for it.
    fileprivate var verb: String {
        if errand != nil { return "fetch" }
        return switch config.replicatorType {
        case .push: "push"
        case .pull: "pull"
        case .pushAndPull: "sync"
        }
    }
}

extension Replicator.Diagnosis.Wait {
    /// The machine-readable form.
    var members: JSONObject {
        var object: JSONObject = [
            "for": .string(subject), "seconds": JSON(Int(min(seconds, 1e9))),
        ]
        if let collection { object["collection"] = .string(collection) }
        if let documentID { object["document"] = .string(documentID) }
        return object
    }
}

extension Date {
    /// `2026-11-20T08:00:00.000Z`.
    var statusText: String { ISO8601.format(secondsSince1970: timeIntervalSince1970) }
}

extension Replicator {
    /// What the status directory shows of the replicator.
    var report: (@Sendable () -> JSONObject)? {
        let report = ReplicatorReport(self)
        return { report.members(self.status) }
    }
}
