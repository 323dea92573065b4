import DivanPlatform
internal import DivanSQLite
internal import DivanStorage
internal import Synchronization

extension SQLiteSession: SQLiteReadingSession {
    typealias Failure = StoreError

    func beginReading() throws(StoreError) { try begin("BEGIN") }

    func endReading() { rollback() }

    var isReading: Bool { connection.isInTransaction }
}

/// How the readers of an engine open its file.
struct EngineReaders: SQLiteReaderSource {
    let place: DatabaseFileLocation
    /// The latest.
    private(set) var opening: SQLiteOpening
    private let cells = VectorCellCache()

    init(_ place: DatabaseFileLocation, _ opening: SQLiteOpening) {
        self.place = place
        self.opening = opening
    }

    /// The same at another place.
    func moved(to place: DatabaseFileLocation) -> EngineReaders { EngineReaders(place, opening) }

    var path: String { place.path }

    /// Opened for writing if the writer is, because the first reader may have to recover the log
    /// after a crash.
    func open(_ check: () throws(StoreError) -> Void) throws(StoreError) -> SQLiteSession {
        let connection = try StoreConnection(place, mode: opening.mode, cells: cells)
        try check()
        let session = try SQLiteSession(connection)
        try session.pages.begin(on: connection)
        return session
    }

    var isOutdated: Bool { opening.isOutdated(at: path) }

    /// - Throws: Why it cannot be read now, since it has a log that cannot be indexed.
    mutating func refreshSnapshot() throws(StoreError) {
        (_, opening) = try SQLiteOpening.open(place, isReadOnly: true)
    }

    func failure(_ refusal: SQLiteReadersRefusal) -> StoreError {
        switch refusal {
        case .closed: StoreError(.notOpen, at: path)
        case .busy: StoreError(.busy(.thisProcess(ownerCount: 1)), at: path)
        case .fileIsGone: StoreError(.io(.staleFileHandle), at: path)
        }
    }
}

/// The queries of an engine that outlive the call that began them, so that closing it ends them.
final class RunningQueries: Sendable {
    private struct State {
        var isOpen = true
        var controls: [ObjectIdentifier: QueryControl] = [:]
    }

    private let state = Mutex(State())

    /// - Throws: `notOpen` once the engine, whose file is at `path`, was closed.
    func begin(_ control: QueryControl, path: String) throws(StoreError) {
        let isUsable = state.withLock { state in
            if state.isOpen { state.controls[ObjectIdentifier(control)] = control }
            return state.isOpen
        }
        guard isUsable else { throw StoreError(.notOpen, at: path) }
    }

    func end(_ control: QueryControl) {
        state.withLock { $0.controls[ObjectIdentifier(control)] = nil }
    }

    /// Tells those that keep a snapshot for a query that the log is long.
    func logIsLong() {
        for control in state.withLock({ Array($0.controls.values) }) { control.logIsLong() }
    }

    /// Stops all of them, which they notice at their next row.
    func close() {
        state.withLock { state in
            state.isOpen = false
            for control in state.controls.values { control.endForClosing() }
            state.controls = [:]
        }
    }
}
