/// The connections that read, each used by one thread at a time.
///
/// Beginning and ending a snapshot takes the locks of the file, which costs more than reading a
/// small document. So a reader that comes back keeps its snapshot, and whoever reads next goes on
/// with it, until something is written: snapshots that nobody uses end before a write begins, so
/// that none of them keeps the log from being written into the file.
///
/// Sendable although connections are not: a session belongs to the one thread that took it, and
/// the list is only touched under the lock.
final class SQLiteReaders: @unchecked Sendable {
    private let path: String
    private let mode: SQLiteConnection.Mode
    /// Whether nobody but this process writes, so that a kept snapshot is known to be the latest.
    private let seesEveryWrite: Bool
    private let lock = RecursiveLock()
    private var isOpen = true
    private var isWriting = false
    // Counts beginnings and ends of writes: two equal numbers, nothing written in between.
    private var generation: UInt64 = 0
    private var idle: [SQLiteSession] = []
    private var running: [ObjectIdentifier: QueryWatch] = [:]

    init(path: String, mode: SQLiteConnection.Mode, seesEveryWrite: Bool) {
        self.path = path
        self.mode = mode
        self.seesEveryWrite = seesEveryWrite
    }

    /// A session with a snapshot no older than this call.
    func take() throws(StoreError) -> SQLiteSession {
        let (isUsable, found, now) = lock.withLock { () -> (Bool, SQLiteSession?, UInt64) in
            (isOpen, idle.popLast(), generation)
        }
        guard isUsable else { throw StoreError(.notOpen, at: path) }
        if let found, found.hasSnapshot { return found }
        let session: SQLiteSession
        if let found { session = found } else { session = try opened() }
        try session.begin("BEGIN")
        session.generation = now
        return session
    }

    /// Opened for writing where the writer is, because the reader that comes first may have to
    /// recover the log of a crash.
    private func opened() throws(StoreError) -> SQLiteSession {
        let connection = try SQLiteConnection(path: path, mode: mode)
        // A push reads bodies some 2 MiB behind the feed; both find the same pages. An index that
        // finds 1,000 documents finds their pages again. More than that would only push what a scan
        // reads out of the processor's cache.
        try connection.execute("PRAGMA cache_size = -6144")
        return try SQLiteSession(connection)
    }

    func giveBack(_ session: SQLiteSession) {
        let isKept = lock.withLock {
            guard seesEveryWrite, !isWriting, session.generation == generation, hasRoom,
                session.connection.isInTransaction
            else { return false }
            session.hasSnapshot = true
            idle.append(session)
            return true
        }
        if isKept { return }
        session.hasSnapshot = false
        // Reading cannot fail to end: without changes a ROLLBACK only drops the read lock.
        session.rollback()
        lock.withLock {
            if hasRoom { idle.append(session) }
        }
    }

    private var hasRoom: Bool { isOpen && idle.count < StoreLimits.idleReaderCount }

    /// Ends the snapshots that nobody uses; those in use end when they come back.
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

    /// Notes a query that outlives the call that began it, so that closing ends it.
    func begin(_ watch: QueryWatch) throws(StoreError) {
        let isUsable = lock.withLock {
            if isOpen { running[ObjectIdentifier(watch)] = watch }
            return isOpen
        }
        guard isUsable else { throw StoreError(.notOpen, at: path) }
    }

    func end(_ watch: QueryWatch) {
        lock.withLock { running[ObjectIdentifier(watch)] = nil }
    }

    /// Closes the connections that nobody uses; the others close when they come back, which
    /// queries do with their next row.
    func close() {
        lock.withLock {
            isOpen = false
            idle = []
            for watch in running.values { watch.stop(.closed) }
            running = [:]
        }
    }
}
