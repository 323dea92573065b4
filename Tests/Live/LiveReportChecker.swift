import Dispatch
import Synchronization

/// Compares what a live query reports with its expected answers, one after the other.
///
/// Commits are coalesced, so answers may be skipped; but each reported one must be one that the
/// query had, no earlier than the previously reported one. The answer of a commit is recorded before the
/// listener can receive it, or soon after: reports are judged in the next pause.
final class LiveReportChecker: Sendable {
    private struct State {
        /// The answers since the last pause, each different from the previous one.
        var answers: [[String]]
        var told: [[String]] = []
        var failure: String?
        /// Indices in `told` at which the same rows may be repeated: after a purge, and new parameters.
        var owed: Set<Int> = []
    }

    private let state: Mutex<State>
    private let bell = DispatchSemaphore(value: 0)

    init(_ rows: [String]) {
        state = Mutex(State(answers: [rows]))
    }

    /// From now on, the query's answer is this.
    func expect(_ rows: [String]) {
        state.withLock { if $0.answers.last != rows { $0.answers.append(rows) } }
    }

    /// One more notification is due, whatever the rows; all others have arrived.
    func owe() {
        state.withLock { _ = $0.owed.insert($0.told.count) }
    }

    func hear(_ rows: [String]) {
        state.withLock { $0.told.append(rows) }
        bell.signal()
    }

    func fail(_ problem: String) {
        state.withLock { $0.failure = problem }
        bell.signal()
    }

    /// Waits until everything due was reported; `false` if it is not in time.
    func waitUntilSettled(by deadline: DispatchTime) -> Bool {
        while !isSettled {
            guard bell.wait(timeout: deadline) == .success else { return isSettled }
        }
        return true
    }

    private var isSettled: Bool {
        state.withLock { state in
            state.failure != nil
                || state.told.last == state.answers.last
                    && state.told.count > state.owed.max() ?? 0
        }
    }

    /// Judges what was reported since the last pause, and keeps only the last rows.
    ///
    /// - Parameter isFolding: Whether something between the query and the listener drops rows, like a
    ///   stream; equal rows one after the other prove nothing then.
    /// - Returns: The verdict.
    func judge(isFolding: Bool) -> Verdict {
        state.withLock { state in
            var verdict = Verdict()
            verdict.failure = state.failure
            var place = 0
            for (index, rows) in state.told.enumerated() {
                if index > 0 {
                    verdict.notifications += 1
                    if rows == state.told[index - 1], !isFolding, !state.owed.contains(index) {
                        verdict.needless += 1
                    }
                }
                if let next = state.answers[place...].firstIndex(of: rows) {
                    place = next
                } else {
                    verdict.wrong += 1
                }
            }
            if state.told.last != state.answers.last { verdict.missed += 1 }
            state.answers = Array(state.answers.suffix(1))
            state.told = Array(state.told.suffix(1))
            state.owed = []
            return verdict
        }
    }
}

/// A referee's findings; also used for the sums of all.
struct Verdict: Sendable {
    /// Calls of listeners.
    var notifications = 0
    /// Queries whose last answer was not reported.
    var missed = 0
    /// Calls with the same rows as before, if neither a purge nor new parameters required
    /// one.
    var needless = 0
    /// Calls with rows that the query did not have then.
    var wrong = 0
    var failure: String?

    mutating func add(_ other: Verdict) {
        notifications += other.notifications
        missed += other.missed
        needless += other.needless
        wrong += other.wrong
        failure = failure ?? other.failure
    }
}
