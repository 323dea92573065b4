import Dispatch
import Synchronization

/// Holds what a live query tells against the answers that it had, one after the other.
///
/// Commits are folded, so answers may be left out; but each one that is told must be one that the
/// query had, no earlier than the last one that was told. The answer of a commit is noted before the
/// listener can hear of it, or soon after: what is told is judged at the next rest.
final class Referee: Sendable {
    private struct State {
        /// The answers since the last rest, each other than the one before.
        var answers: [[String]]
        var told: [[String]] = []
        var failure: String?
        /// Where in `told` the same rows may stand once more: after a purge, and new parameters.
        var owed: Set<Int> = []
    }

    private let state: Mutex<State>
    private let bell = DispatchSemaphore(value: 0)

    init(_ rows: [String]) {
        state = Mutex(State(answers: [rows]))
    }

    /// The query's answer is this from now on.
    func expect(_ rows: [String]) {
        state.withLock { if $0.answers.last != rows { $0.answers.append(rows) } }
    }

    /// One notification more is due, whatever the rows; all others have been told.
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

    /// Waits until all that was due has been told; `false` when it is not in time.
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

    /// Judges what was told since the last rest, and keeps the last rows alone.
    ///
    /// - Parameter isFolding: Whether something between the query and the listener drops rows, as a
    ///   stream does; equal rows one after the other prove nothing then.
    /// - Returns: What it comes to.
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

/// What a referee found; the sums of all, too.
struct Verdict: Sendable {
    /// Calls of listeners.
    var notifications = 0
    /// Queries whose last answer was not told.
    var missed = 0
    /// Calls with the rows that had been told before, where no purge and no new parameters asked for
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
