import Dispatch
import DivanQuery
import DivanRevisions
import DivanStore
import DivanTransport
import Foundation
import Synchronization

/// Runs a query again when a commit may have changed its rows, and tells when it has.
///
/// Theory of operation. The committing thread only settles when the next run shall be, and puts at
/// most one run on the live query's own queue: at once if the last commit was a quarter of a second
/// ago, otherwise half a second later, so that a row of commits costs one run. New parameters wait
/// for nothing: their run takes the place of one that is put off. The run reads all rows and compares
/// them with those that were told last; the first rows, and those after a purge or after new
/// parameters, are always told: by a run that begins behind them, for one that is under way may have
/// read what was before. Before it, the changed documents are asked whether they matter at all
/// (`QueryReach`).
///
/// | phase | a commit in its collections | new parameters | a run begins | ended |
/// |---|---|---|---|---|
/// | idle | waiting, or put off | waiting | – | ended |
/// | put off | put off | waiting | idle | ended |
/// | waiting | waiting | waiting | idle | ended |
/// | ended | ended | ended | ended | ended |
///
/// Source: `api.md` §1, live queries.
final class LiveQuery: DatabaseService {
    /// How often live queries were run in this process, for the metrics.
    static let runCount = Atomic<UInt64>(0)

    private enum Phase {
        case idle
        case putOff
        case waiting
        case ended
    }

    private struct State {
        var phase = Phase.idle
        /// Which run is the next one: one that another took the place of is none.
        var runNumber = 0
        var lastCommit: DispatchTime?
        /// Whether the next run tells equal rows, too.
        var mustTell = true
        var told: Outcome?
        /// The documents of the rows of the last run, where only they and the changed ones matter.
        var documentIDs: Set<DivanRevisions.DocumentID>?
        /// What commits changed since the last run; `nil` for too much.
        var changed: Set<DivanRevisions.DocumentID>? = []
        var observation: StoreObservation?
        var watch: QueryWatch?
    }

    /// What one run starts from.
    private struct Turn {
        let mustTell: Bool
        let changed: Set<DivanRevisions.DocumentID>?
        let documentIDs: Set<DivanRevisions.DocumentID>?
    }

    private enum Outcome: Equatable {
        case rows([[QueryValue]])
        case failure(String)
    }

    /// How long runs are put off.
    struct Pace {
        /// A commit that comes so long after another one is told at once.
        var quietTime = DispatchTimeInterval.milliseconds(250)
        /// Any other one is told so much later.
        var delay = Duration.milliseconds(500)
    }

    private let pace: Pace
    private let memory: QueryMemory
    private let query: any Query
    private let tell: @Sendable (LiveQuery, QueryChange) -> Void
    private let ended: @Sendable () -> Void
    private let queue = DispatchQueue(label: "divan.live-query", target: .global())
    private let state = Mutex(State())

    /// Creates a live query that hands its changes to `tell`, on its own queue.
    ///
    /// `ended` runs once when it is ended, by whomever.
    init(
        _ query: any Query,
        pace: Pace = Pace(),
        memory: QueryMemory = .process,
        ended: @escaping @Sendable () -> Void = {},
        _ tell: @escaping @Sendable (LiveQuery, QueryChange) -> Void
    ) {
        self.query = query
        self.pace = pace
        self.memory = memory
        self.ended = ended
        self.tell = tell
    }

    /// Whether somebody still wants to hear of changes.
    var isWanted: Bool { state.withLock { $0.phase } != .ended }

    /// Begins: the first rows are told soon.
    func start() {
        let core = query.core
        do {
            let collections = try core.collections()
            try core.database.register(self)
            core.add(self)
            // The observation lives in the database's list; weak, or nobody could let go.
            let observation = core.database.store.observe { [weak self] change in
                guard collections.contains(change.collection) else { return }
                self?.note(change)
            }
            state.withLock { $0.observation = observation }
            runAgain()
        } catch {
            let error = NSError(from: error)
            queue.async { [self] in
                if isWanted { tell(self, QueryChange(query: query, results: nil, error: error)) }
            }
        }
    }

    /// Runs again at once and tells the rows, changed or not.
    func runAgain() {
        state.withLock { $0.mustTell = true }
        schedule(after: nil, overtakes: true)
    }

    /// Ends the deliveries; what is on its way to another queue is dropped there.
    func end() {
        let last = state.withLock { state -> (StoreObservation?, QueryWatch?)? in
            guard state.phase != .ended else { return nil }
            let last = (state.observation, state.watch)
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

    /// It has a queue of its own, and only reads.
    var endsBesideBatches: Bool { true }

    func beginStop() { end() }

    func waitForStop() {
        // A run that had begun ends before this.
        queue.sync {}
    }

    private func note(_ change: StoreChange) {
        let now = DispatchTime.now()
        let isQuiet = state.withLock { state in
            if change.endsCollection || change.changes.contains(where: \.isPurge) {
                state.mustTell = true
            }
            state.changed?.formUnion(change.changes.lazy.map(\.documentID))
            if let count = state.changed?.count, count > LiveQueryLimits.changedDocumentCount {
                state.changed = nil
            }
            defer { state.lastCommit = now }
            return state.lastCommit.map { now > $0 + pace.quietTime } ?? true
        }
        schedule(after: isQuiet ? nil : pace.delay)
    }

    /// Puts a run on the queue unless one is there that will do; `overtakes` one that is put off.
    private func schedule(after delay: Duration?, overtakes: Bool = false) {
        let next = state.withLock { state -> Int? in
            guard state.phase == .idle || state.phase == .putOff && overtakes else { return nil }
            state.phase = delay == nil ? .waiting : .putOff
            state.runNumber += 1
            return state.runNumber
        }
        guard let next else { return }
        // A timer, even one that is over, wakes another thread first.
        guard let delay else { return queue.async { [weak self] in self?.run(next) } }
        Later.run(after: delay, on: queue) { [weak self] in self?.run(next) }
    }

    private func run(_ number: Int) {
        let watch = QueryWatch(memory: memory)
        guard let turn = begin(number, watch) else { return }
        do {
            guard try mustRun(turn, watch) else { return }
            Self.runCount.add(1, ordering: .relaxed)
            let (rows, documentIDs) = try query.core.runTraced(watch: watch)
            state.withLock { $0.documentIDs = documentIDs }
            guard note(.rows(rows), of: turn) else { return }
            tell(self, QueryChange(query: query, results: try query.core.results(rows), error: nil))
        } catch QueryStop.othersHoldMemory {
            // As the error wishes; nothing is wrong with the query.
            askLater(turn)
        } catch {
            let error = NSError(from: error)
            state.withLock { $0.documentIDs = nil }
            guard note(.failure(error.localizedDescription), of: turn) else { return }
            tell(self, QueryChange(query: query, results: nil, error: error))
        }
    }

    /// Leaves what a run had to do to a later one.
    private func askLater(_ turn: Turn) {
        state.withLock { state in
            state.documentIDs = nil
            if turn.mustTell { state.mustTell = true }
        }
        schedule(after: pace.delay)
    }

    /// Takes what a run has to do, so that what comes from now on is left to the next one.
    private func begin(_ number: Int, _ watch: QueryWatch) -> Turn? {
        state.withLock { state in
            guard state.phase == .waiting || state.phase == .putOff, state.runNumber == number
            else { return nil }
            let turn = Turn(
                mustTell: state.mustTell,
                changed: state.changed,
                documentIDs: state.documentIDs
            )
            state.phase = .idle
            state.watch = watch
            state.mustTell = false
            state.changed = []
            return turn
        }
    }

    /// Whether what was committed since the last run can have changed its rows.
    private func mustRun(_ turn: Turn, _ watch: QueryWatch) throws -> Bool {
        guard !turn.mustTell, let changed = turn.changed, let known = turn.documentIDs else {
            return true
        }
        if !changed.isDisjoint(with: known) { return true }
        return try query.core.reaches(changed, watch: watch)
    }

    /// Takes note of what a run gave; whether it is to be told.
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
