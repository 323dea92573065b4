import Dispatch
import DivanDatabase
import DivanQuery
import DivanRevisions
import DivanTransport
import Foundation
import Synchronization

/// Reruns a query when a commit may have changed its rows, and reports the rows if they have changed.
///
/// Theory of operation. The committing thread only schedules the next run, and puts at most one on the live query's own
/// queue: at once if the last commit was at least a quarter of a second ago, otherwise half a second later, so that a
/// series of commits costs one run. New parameters do not wait: their run replaces one that is put off. The run reads
/// all rows and compares them with those last reported. The first rows, and those after a purge or new parameters, are
/// always reported, by a run that begins afterwards, since one under way may have read the old state. Before a run, the
/// changed documents are checked for whether they matter at all (`QueryDependencies`).
///
/// | phase | a commit in its collections | new parameters | a run begins | ended |
/// |---|---|---|---|---|
/// | idle | waiting, or put off | waiting | – | ended |
/// | put off | put off | waiting | idle | ended |
/// | waiting | waiting | waiting | idle | ended |
/// | ended | ended | ended | ended | ended |
///
/// Source: `sqlpp.md` §11, live queries.
final class LiveQuery: DatabaseService {
    /// How often live queries have run in this process, for the metrics.
    static let runCount = Atomic<UInt64>(0)

    private enum Phase {
        case idle
        case putOff
        case waiting
        case ended
    }

    private struct State {
        var phase = Phase.idle
        /// The number of the next run; a run with another number was replaced and does nothing.
        var runNumber = 0
        var lastCommit: DispatchTime?
        /// Whether the next run also reports unchanged rows.
        var mustTell = true
        var told: Outcome?
        /// What the last run's rows depend on, if only that and the changed documents matter.
        var origins: QueryDependencies.Origins?
        /// The documents changed by commits since the last run; `nil` for too many, or if that does not matter.
        var changed: Set<DivanRevisions.DocumentID>? = []
        var observation: StoreObservation?
        var control: QueryControl?
    }

    /// What one run starts from.
    private struct Turn {
        let mustTell: Bool
        let changed: Set<DivanRevisions.DocumentID>?
        let origins: QueryDependencies.Origins?
    }

    private enum Outcome: Equatable {
        case rows([[QueryValue]])
        case failure(String)
    }

    /// How long runs are delayed.
    struct Pace {
        /// A commit this long after the previous one is reported at once.
        var quietTime = DispatchTimeInterval.milliseconds(250)
        /// Any other commit is reported after this delay.
        var delay = Duration.milliseconds(500)
    }

    private let pace: Pace
    private let memory: QueryMemory
    private let query: any Query
    private let notify: @Sendable (LiveQuery, QueryChange) -> Void
    private let ended: @Sendable () -> Void
    private let queue = DispatchQueue(label: "divan.live-query", target: .global())
    private let state = Mutex(State())

    /// Creates a live query that passes its changes to `notify`, on its own queue.
    ///
    /// `ended` runs once when the live query ends, for whatever reason.
    init(
        _ query: any Query,
        pace: Pace = Pace(),
        memory: QueryMemory = .process,
        ended: @escaping @Sendable () -> Void = {},
        _ notify: @escaping @Sendable (LiveQuery, QueryChange) -> Void
    ) {
        self.query = query
        self.pace = pace
        self.memory = memory
        self.ended = ended
        self.notify = notify
    }

    /// Whether changes are still wanted.
    var isWanted: Bool { state.withLock { $0.phase } != .ended }

    /// Starts; the first rows are reported soon.
    func start() {
        let core = query.core
        do {
            let collections = try core.collections()
            try core.database.register(self)
            core.add(self)
            // The observation is kept in the database's list; a strong reference would never be released.
            let observation = core.database.store.observe(hearsShapes: true) { [weak self] change in
                guard collections.contains(change.collection) else { return }
                self?.note(change)
            }
            state.withLock { $0.observation = observation }
            runAgain()
        } catch {
            let error = NSError(from: error)
            queue.async { [self] in
                if isWanted { notify(self, QueryChange(query: query, results: nil, error: error)) }
            }
        }
    }

    /// Runs again at once and reports the rows, changed or not.
    func runAgain() {
        state.withLock { $0.mustTell = true }
        schedule(after: nil, overtakes: true)
    }

    /// Ends the deliveries; those already sent to another queue are dropped there.
    func end() {
        let last = state.withLock { state -> (StoreObservation?, QueryControl?)? in
            guard state.phase != .ended else { return nil }
            let last = (state.observation, state.control)
            state = State(phase: .ended)
            return last
        }
        guard let last else { return }
        last.0?.cancel()
        last.1?.cancel()
        query.core.remove(self)
        query.core.database.unregister(self)
        ended()
    }

    /// It has its own queue, and only reads.
    var endsBesideBatches: Bool { true }

    func beginStop() { end() }

    func waitForStop() {
        // Waits for a run that has already begun.
        queue.sync {}
    }

    private func note(_ change: StoreChange) {
        let now = DispatchTime.now()
        let isQuiet = state.withLock { state in
            if change.endsCollection || change.changes.contains(where: \.isPurge) {
                state.mustTell = true
            }
            // The rows may come from other words, or the query succeed or fail now.
            if change.reshapesCollection { state.changed = nil }
            state.changed?.formUnion(change.changes.lazy.map(\.documentID))
            if let count = state.changed?.count, count > LiveQueryLimits.changedDocumentCount {
                state.changed = nil
            }
            defer { state.lastCommit = now }
            return state.lastCommit.map { now > $0 + pace.quietTime } ?? true
        }
        schedule(after: isQuiet ? nil : pace.delay)
    }

    /// Enqueues a run unless a suitable one is waiting; with `overtakes` it replaces one that is put off.
    private func schedule(after delay: Duration?, overtakes: Bool = false) {
        let next = state.withLock { state -> Int? in
            guard state.phase == .idle || state.phase == .putOff && overtakes else { return nil }
            state.phase = delay == nil ? .waiting : .putOff
            state.runNumber += 1
            return state.runNumber
        }
        guard let next else { return }
        // A timer, even an expired one, wakes another thread first.
        guard let delay else { return queue.async { [weak self] in self?.run(next) } }
        Later.run(after: delay, on: queue) { [weak self] in self?.run(next) }
    }

    private func run(_ number: Int) {
        let control = QueryControl(memory: memory)
        guard let turn = begin(number, control) else { return }
        do {
            guard try mustRun(turn, control) else { return }
            Self.runCount.add(1, ordering: .relaxed)
            let (rows, origins) = try query.core.runTraced(control: control)
            state.withLock { $0.origins = origins }
            guard note(.rows(rows), of: turn) else { return }
            notify(
                self,
                QueryChange(query: query, results: try query.core.results(rows), error: nil)
            )
        } catch QueryStop.othersHoldMemory {
            // The error asks for a retry; nothing is wrong with the query.
            askLater(turn)
        } catch {
            let error = NSError(from: error)
            state.withLock { $0.origins = nil }
            guard note(.failure(error.localizedDescription), of: turn) else { return }
            notify(self, QueryChange(query: query, results: nil, error: error))
        }
    }

    /// Leaves a run's work to a later one.
    private func askLater(_ turn: Turn) {
        state.withLock { state in
            state.origins = nil
            if turn.mustTell { state.mustTell = true }
        }
        schedule(after: pace.delay)
    }

    /// Takes the work for a run, so that later changes are left to the next one.
    private func begin(_ number: Int, _ control: QueryControl) -> Turn? {
        state.withLock { state in
            guard state.phase == .waiting || state.phase == .putOff, state.runNumber == number
            else { return nil }
            let turn = Turn(
                mustTell: state.mustTell,
                changed: state.changed,
                origins: state.origins
            )
            state.phase = .idle
            state.control = control
            state.mustTell = false
            state.changed = []
            return turn
        }
    }

    /// Whether the commits since the last run can have changed its rows.
    private func mustRun(_ turn: Turn, _ control: QueryControl) throws -> Bool {
        guard !turn.mustTell, let changed = turn.changed, let origins = turn.origins else {
            return true
        }
        if !changed.isDisjoint(with: origins.documentIDs) { return true }
        return try query.core.reaches(changed, origins, control: control)
    }

    /// Records a run's outcome; returns whether to report it.
    private func note(_ outcome: Outcome, of turn: Turn) -> Bool {
        state.withLock { state in
            guard state.phase != .ended, turn.mustTell || state.told != outcome else {
                return false
            }
            state.told = outcome
            return true
        }
    }
}
