import Dispatch
import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanTransport
public import Foundation
import Synchronization

extension Replicator {
    /// What a replicator is doing, and what it is waiting for.
    ///
    /// Its description is readable text: `busy, 12 of 40 units; waiting for: reply to rev of soup, 12 s`.
    public struct Diagnosis: Sendable {
        /// Something that the replicator is waiting for.
        public struct Wait: Hashable, Sendable {
            /// A short description: `reply to rev of soup`.
            public let subject: String
            /// The full name of the collection, if any.
            public let collection: String?
            /// The document, if any; if the wait concerns several documents, one of them.
            public let documentID: String?
            /// Seconds since the wait began, or since the last data arrived.
            public let seconds: TimeInterval
        }

        /// The status at the time of the call.
        public let status: Status
        /// The traffic so far.
        public let statistics: Statistics
        /// The waits, longest first, at most 100; empty if the replicator is stopped or only waits for new changes.
        public let waits: [Wait]
        /// The number of waits.
        public let waitCount: Int
        /// Whether the replicator's thread responded within two seconds.
        ///
        /// If not, it is blocked by application code (a filter, a listener without a queue) or the disk.
        public let isResponding: Bool
    }

    /// What the replicator is doing, and what it is waiting for; returns within two seconds.
    ///
    /// For logs, support and monitoring. If a replicator waits for longer than ten seconds, this is also reported in
    /// the log and in `Status.stall`. An addition to the official API.
    ///
    /// ```swift
    /// print(await replicator.diagnosis)  // busy, 12 of 40 units; waits for: reply to rev of soup, 12 s
    /// ```
    public var diagnosis: Diagnosis {
        get async {
            let (status, session) = state.withLock { ($0.status, $0.session) }
            let waits: [SyncWait]?
            if let session {
                waits = await FirstAnswer.of(within: .seconds(2)) { session.waits($0) }
            } else {
                waits = []
            }
            return Diagnosis(status, statistics, waits)
        }
    }
}

extension Replicator.Diagnosis {
    private static let limit = 100

    fileprivate init(
        _ status: Replicator.Status,
        _ statistics: Replicator.Statistics,
        _ waits: [SyncWait]?
    ) {
        self.status = status
        self.statistics = statistics
        self.waits = (waits ?? []).prefix(Self.limit).map { Wait($0) }
        waitCount = waits?.count ?? 0
        isResponding = waits != nil
    }
}

extension Replicator.Diagnosis.Wait: CustomStringConvertible {
    init(_ wait: SyncWait) {
        subject = "\(wait.subject)"
        collection = wait.collection?.description
        documentID = wait.documentID?.text
        seconds = wait.duration / .seconds(1)
    }

    /// The subject and the number of seconds.
    public var description: String { "\(subject), \(Int(seconds)) s" }
}

extension Replicator.Diagnosis: CustomStringConvertible {
    /// A line with the activity, the progress, the error and the longest waits.
    public var description: String {
        let progress = status.progress
        var parts = ["\(status.activity), \(progress.completed) of \(progress.total) units"]
        if let error = status.obstacle { parts.append("error: \(error.localizedDescription)") }
        if !isResponding {
            parts.append("its thread is blocked, probably by a filter or the disk")
        }
        if !waits.isEmpty {
            let named = waits.prefix(3).map(\.description).joined(separator: ", and ")
            let more = waitCount > 3 ? ", and \(waitCount - 3) more" : ""
            parts.append("waiting for: \(named)\(more)")
        }
        return parts.joined(separator: "; ")
    }
}

/// The first answer to a question, or none if it takes too long.
private final class FirstAnswer<Answer: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Answer?, Never>?>

    private init(_ continuation: CheckedContinuation<Answer?, Never>) {
        self.continuation = Mutex(continuation)
    }

    static func of(
        within time: Duration,
        _ ask: @escaping (@escaping @Sendable (Answer) -> Void) -> Void
    ) async -> Answer? {
        await withCheckedContinuation { continuation in
            let answer = FirstAnswer(continuation)
            ask { answer.give($0) }
            Later.run(after: time, on: .global()) { answer.give(nil) }
        }
    }

    private func give(_ answer: Answer?) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: answer)
    }
}
