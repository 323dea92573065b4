import DivanPlatform

/// The connections that read, each used by one thread at a time.
///
/// Beginning and ending a snapshot takes the locks of the file, which costs more than reading a
/// small document. So a reader that is returned keeps its snapshot, and the next read continues
/// with it, until something is written: unused snapshots end before a write begins, so that none of
/// them keeps the log from being copied into the file.
///
/// Sendable although connections are not: a session belongs to the one thread that took it, and the
/// list is only accessed under the lock.
final class SQLiteReaders: @unchecked Sendable {
    private var place: SQLitePlace
    // The latest.
    private var opening: SQLiteOpening
    /// Whether only this process writes, so that a kept snapshot is known to be the latest.
    private let seesEveryWrite: Bool
    /// Whether readers may begin.
    private enum Gate {
        case open
        /// They wait for the end of `betweenReads`.
        case paused
        /// They wait for another file, and connections to this one are closed.
        case closed
    }

    private let lock = RecursiveLock()
    // Held while the gate is not open; readers wait for it.
    private let passage = RecursiveLock()
    private var gate = Gate.open
    private var usedCount = 0
    /// The file that is read; a database that somebody put in its place is another one.
    private var identity: FileIdentity?
    private var isOpen = true
    private var isWriting = false
    // Counts beginnings and ends of writes: if it is unchanged, nothing was written in between.
    private var generation: UInt64 = 0
    private var idle: [SQLiteSession] = []
    private var running: [ObjectIdentifier: QueryWatch] = [:]

    init(_ place: SQLitePlace, _ opening: SQLiteOpening, seesEveryWrite: Bool) {
        self.place = place
        self.opening = opening
        self.seesEveryWrite = seesEveryWrite
        identity = FileIdentity(at: place.path)
    }

    /// How a further connection opens the file.
    var mode: SQLiteConnection.Mode { lock.withLock { opening.mode } }

    /// A session with a snapshot no older than this call.
    func take() throws(StoreError) -> SQLiteSession {
        while true {
            if let session = try takeAtOnce() { return session }
            passage.withLock {}
        }
    }

    /// The same, but `nil` while readers may not begin, for callers that must not wait for that.
    func takeAtOnce() throws(StoreError) -> SQLiteSession? {
        guard let (found, place, now) = try enter() else { return nil }
        if let found, found.hasSnapshot { return found }
        do throws(StoreError) {
            let session: SQLiteSession
            if let found { session = found } else { session = try opened(place) }
            try session.begin("BEGIN")
            session.generation = now
            return session
        } catch {
            lock.withLock { usedCount -= 1 }
            throw error
        }
    }

    /// Counts one more reader, and gives it an idle session, if there is one; `nil` while readers may
    /// not begin.
    private func enter() throws(StoreError) -> (SQLiteSession?, SQLitePlace, UInt64)? {
        try lock.withLock { () throws(StoreError) -> (SQLiteSession?, SQLitePlace, UInt64)? in
            guard isOpen else { throw StoreError(.notOpen, at: place.path) }
            guard gate == .open else { return nil }
            try lookAgain()
            usedCount += 1
            return (idle.popLast(), place, generation)
        }
    }

    /// If a file that nobody was expected to change has changed, opens it anew; under the lock.
    ///
    /// - Throws: Why it cannot be read now, since it has a log that cannot be indexed.
    private func lookAgain() throws(StoreError) {
        guard opening.isOutdated(at: place.path) else { return }
        // Those in use are dropped when they are returned.
        idle = []
        generation += 1
        (_, opening) = try SQLiteOpening.open(place, isReadOnly: true)
    }

    /// Runs `body` while no reader's connection is open, and then opens them at another place.
    ///
    /// New readers wait in the meantime; running ones are waited for.
    ///
    /// - Throws: `busy` if they take too long, and what `body` throws; the place then stays the same.
    func whileClosed(_ body: () throws -> SQLitePlace) throws {
        let new = try whileUnused(.closed, within: Int(StoreLimits.busyMilliseconds)) {
            lock.withLock { idle = [] }
            let place = try body()
            lock.withLock {
                self.place = place
                identity = FileIdentity(at: place.path)
            }
            return place
        }
        guard new != nil else {
            throw StoreError(.busy(.thisProcess(ownerCount: 1)), at: place.path)
        }
    }

    /// Runs `body` while nobody here reads, so that no snapshot of this process holds the log.
    ///
    /// New readers wait in the meantime; running ones are waited for, but not for long, since one of them
    /// may be a result stream, or wait for a reader that may not begin.
    ///
    /// - Returns: What `body` returns; `nil` if it did not run.
    func betweenReads<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T? {
        try whileUnused(.paused, within: StoreLimits.readerPauseMilliseconds, body)
    }

    /// Runs `body` once no session is in use, unless that takes longer: then `nil`.
    private func whileUnused<T, E: Error>(
        _ gate: Gate,
        within milliseconds: Int,
        _ body: () throws(E) -> T
    ) throws(E) -> T? {
        try passage.withLock { () throws(E) -> T? in
            lock.withLock { self.gate = gate }
            defer { lock.withLock { self.gate = .open } }
            guard areAllBack(within: milliseconds) else { return nil }
            return try body()
        }
    }

    /// Waits until no session is in use; whether that took at most this many milliseconds.
    private func areAllBack(within milliseconds: Int) -> Bool {
        let pause = 2
        var waited = 0
        while lock.withLock({ usedCount > 0 }) {
            guard waited < milliseconds else { return false }
            CurrentThread.sleep(milliseconds: pause)
            waited += pause
        }
        return true
    }

    /// Opened for writing if the writer is, because the first reader may have to recover the log
    /// after a crash.
    private func opened(_ place: SQLitePlace) throws(StoreError) -> SQLiteSession {
        let connection = try SQLiteConnection(place, mode: mode)
        try requireFile()
        let session = try SQLiteSession(connection)
        try session.pages.begin(on: connection)
        return session
    }

    /// Checks that the file that is read is still where it was opened.
    ///
    /// - Throws: `StoreError.Code.io` with `ESTALE` if it is not.
    func requireFile() throws(StoreError) {
        let (path, identity) = lock.withLock { (place.path, self.identity) }
        guard identity?.isAt(path) != false else {
            throw StoreError(.io(.staleFileHandle), at: path)
        }
    }

    func giveBack(_ session: SQLiteSession) {
        let isKept = lock.withLock {
            guard seesEveryWrite, !isWriting, gate == .open, session.generation == generation,
                hasRoom,
                session.connection.isInTransaction
            else { return false }
            session.hasSnapshot = true
            idle.append(session)
            usedCount -= 1
            return true
        }
        if isKept { return }
        session.hasSnapshot = false
        // Ending a read cannot fail: without changes a ROLLBACK only drops the read lock.
        session.rollback()
        lock.withLock {
            // If the session is to be closed, that happens before the last reader is counted out.
            let isOfThisFile = seesEveryWrite || session.generation == generation
            if hasRoom, gate != .closed, isOfThisFile { idle.append(session) }
            usedCount -= 1
        }
    }

    private var hasRoom: Bool { isOpen && idle.count < StoreLimits.idleReaderCount }

    /// Ends idle snapshots; those in use end when they are returned.
    func beginWrite() {
        lock.withLock {
            isWriting = true
            generation += 1
            for session in idle where session.hasSnapshot {
                session.hasSnapshot = false
                session.rollback()
            }
        }
    }

    func endWrite() {
        lock.withLock {
            isWriting = false
            generation += 1
        }
    }

    /// Whether nothing was written since a session was taken.
    ///
    /// If so after its first read, every session with its generation has the same snapshot.
    func isLatest(_ session: SQLiteSession) -> Bool {
        lock.withLock {
            seesEveryWrite && !isWriting && gate == .open && session.generation == generation
        }
    }

    /// Registers a query that outlives the call that began it, so that closing ends it.
    func begin(_ watch: QueryWatch) throws(StoreError) {
        let isUsable = lock.withLock {
            if isOpen { running[ObjectIdentifier(watch)] = watch }
            return isOpen
        }
        guard isUsable else { throw StoreError(.notOpen, at: place.path) }
    }

    func end(_ watch: QueryWatch) {
        lock.withLock { running[ObjectIdentifier(watch)] = nil }
    }

    /// Tells those that keep a snapshot for a query that the log is long.
    func logIsLong() {
        for watch in lock.withLock({ Array(running.values) }) { watch.logIsLong() }
    }

    /// Closes idle connections; the others close when they are returned, which queries do at their
    /// next row.
    func close() {
        lock.withLock {
            isOpen = false
            idle = []
            for watch in running.values { watch.stop(.closed) }
            running = [:]
        }
    }
}
