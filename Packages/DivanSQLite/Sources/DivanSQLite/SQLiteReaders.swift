public import DivanPlatform

/// What reads through one connection: a snapshot, and the statements that are kept for it.
///
/// Used by one thread at a time.
public protocol SQLiteReadingSession: AnyObject {
    /// What it throws.
    associatedtype Failure: Error
    /// Begins a snapshot.
    func beginReading() throws(Failure)
    /// Ends the snapshot, if it is still open; cannot fail.
    func endReading()
    /// Whether the snapshot is still open.
    var isReading: Bool { get }
}

/// The file that a pool of readers reads, and how it is opened.
public protocol SQLiteReaderSource: Sendable {
    /// What reads through one connection.
    associatedtype Session: SQLiteReadingSession
    /// The database file.
    var path: String { get }
    /// Opens the file for one more reader; called on any thread.
    ///
    /// - Parameter check: Called once the file is open; throws if it has left its path.
    /// - Returns: A session without a snapshot.
    /// - Throws: What `check` throws, and why the file cannot be opened.
    func open(
        _ check: () throws(Session.Failure) -> Void
    ) throws(Session.Failure) -> Session
    /// Whether a file that was opened as unchanging has changed; called under the pool's lock.
    var isOutdated: Bool { get }
    /// Checks such a file again before readers are reopened; called under the pool's lock.
    ///
    /// - Throws: Why it cannot be read now.
    mutating func refreshSnapshot() throws(Session.Failure)
    /// The error for what the pool refuses.
    func failure(_ refusal: SQLiteReadersRefusal) -> Session.Failure
}

/// Why a pool of readers refuses a call.
public enum SQLiteReadersRefusal: Sendable {
    /// It was closed.
    case closed
    /// Readers did not end in time.
    case busy
    /// The file is no longer where it was opened.
    case fileIsGone
}

/// A session of a pool, from `take` to `giveBack`.
///
/// Used by one thread at a time.
public final class SQLiteReader<Session: SQLiteReadingSession> {
    /// What reads.
    public let session: Session
    /// Grows with each beginning and end of a write: readers with the same generation, of which `isLatest` is true
    /// after their first read, have the same snapshot.
    @inlinable public var generation: UInt64 { beginning }
    @usableFromInline var beginning: UInt64 = 0
    // Whether the snapshot of an idle session is still open.
    @usableFromInline var hasSnapshot = false

    @usableFromInline
    init(_ session: Session) {
        self.session = session
    }
}

/// The connections that read, each used by one thread at a time.
///
/// Beginning and ending a snapshot takes the locks of the file, which costs more than reading a
/// small document. So a reader that is returned keeps its snapshot, and the next read continues
/// with it, until something is written: unused snapshots end before a write begins, so that none of
/// them keeps the log from being copied into the file.
///
/// What each read calls is inlinable: unspecialized, it takes a fifth of the instructions of reading a small
/// document.
///
/// Sendable although connections are not: a session belongs to the one thread that took it, and the
/// list is only accessed under the lock.
public final class SQLiteReaders<Source: SQLiteReaderSource>: @unchecked Sendable {
    /// A session of this pool.
    public typealias Reader = SQLiteReader<Source.Session>
    /// What the pool throws.
    public typealias Failure = Source.Session.Failure

    // The latest.
    @usableFromInline var place: Source
    /// Whether only this process writes, so that a kept snapshot is known to be the latest.
    @usableFromInline let seesEveryWrite: Bool
    /// Whether readers may begin.
    @usableFromInline
    enum Gate {
        case open
        /// They wait for the end of `betweenReads`.
        case paused
        /// They wait for another file, and connections to this one are closed.
        case closed
    }

    @usableFromInline let lock = RecursiveLock()
    // Held while the gate is not open; readers wait for it.
    @usableFromInline let passage = RecursiveLock()
    @usableFromInline var gate = Gate.open
    @usableFromInline var usedCount = 0
    /// The file that is read; a database that replaced it is another one.
    private var identity: FileIdentity?
    @usableFromInline var isOpen = true
    @usableFromInline var isWriting = false
    // Counts beginnings and ends of writes: if it is unchanged, nothing was written in between.
    @usableFromInline var generation: UInt64 = 0
    @usableFromInline var idle: [Reader] = []

    /// Creates a pool without connections.
    ///
    /// - Parameters:
    ///   - source: The file, which exists.
    ///   - seesEveryWrite: Whether only this process writes, and calls `beginWrite` and `endWrite`.
    public init(_ source: Source, seesEveryWrite: Bool) {
        place = source
        self.seesEveryWrite = seesEveryWrite
        identity = FileIdentity(at: source.path)
    }

    /// The file that is read now.
    public var source: Source { lock.withLock { place } }

    /// A session with a snapshot no older than this call.
    ///
    /// - Throws: `closed`, `fileIsGone`, or what the session throws.
    @inlinable
    public func take() throws(Failure) -> Reader {
        while true {
            if let reader = try takeAtOnce() { return reader }
            passage.withLock {}
        }
    }

    /// The same, but `nil` while readers may not begin, for callers that must not wait for that.
    @inlinable
    public func takeAtOnce() throws(Failure) -> Reader? {
        guard let (found, source, now) = try enter() else { return nil }
        if let found, found.hasSnapshot { return found }
        do throws(Failure) {
            let reader: Reader
            if let found { reader = found } else { reader = try opened(source) }
            try reader.session.beginReading()
            reader.beginning = now
            return reader
        } catch {
            lock.withLock { usedCount -= 1 }
            throw error
        }
    }

    /// Counts one more reader, and gives it an idle one, if there is one; `nil` while readers may
    /// not begin.
    @inlinable
    func enter() throws(Failure) -> (Reader?, Source, UInt64)? {
        try lock.withLock { () throws(Failure) -> (Reader?, Source, UInt64)? in
            guard isOpen else { throw place.failure(.closed) }
            guard gate == .open else { return nil }
            try refreshSnapshot()
            usedCount += 1
            return (idle.popLast(), place, generation)
        }
    }

    /// If a file that was opened as unchanging has changed, reopens it; under the lock.
    @inlinable
    func refreshSnapshot() throws(Failure) {
        guard place.isOutdated else { return }
        // Those in use are dropped when they are returned.
        idle = []
        generation += 1
        try place.refreshSnapshot()
    }

    /// Runs `body` while no reader's connection is open, and then opens them at another place.
    ///
    /// New readers wait in the meantime; running ones are waited for.
    ///
    /// - Throws: `busy` if they take too long, and what `body` throws; the place then stays the same.
    public func whileClosed(_ body: () throws -> Source) throws {
        let new = try whileUnused(.closed, within: Int(SQLiteLimits.busyMilliseconds)) {
            lock.withLock { idle = [] }
            let source = try body()
            lock.withLock {
                place = source
                identity = FileIdentity(at: source.path)
            }
            return source
        }
        guard new != nil else { throw source.failure(.busy) }
    }

    /// Runs `body` while this process has no readers, so that none of its snapshots keeps the log.
    ///
    /// New readers wait in the meantime; running ones are waited for, but not for long, since one of them
    /// may be a result stream, or wait for a reader that may not begin.
    ///
    /// - Returns: What `body` returns; `nil` if it did not run.
    public func betweenReads<T>(_ body: () throws(Failure) -> T) throws(Failure) -> T? {
        try whileUnused(.paused, within: SQLiteLimits.readerPauseMilliseconds, body)
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

    @usableFromInline
    func opened(_ source: Source) throws(Failure) -> Reader {
        Reader(try source.open { () throws(Failure) in try requireFile() })
    }

    /// Checks that the file that is read is still where it was opened.
    ///
    /// - Throws: `fileIsGone` if it is not.
    public func requireFile() throws(Failure) {
        let (source, identity) = lock.withLock { (place, self.identity) }
        guard identity?.isAt(source.path) != false else { throw source.failure(.fileIsGone) }
    }

    /// Returns a session, which must not be used afterwards.
    @inlinable
    public func giveBack(_ reader: Reader) {
        let isKept = lock.withLock {
            guard seesEveryWrite, !isWriting, gate == .open, reader.beginning == generation,
                hasRoom, reader.session.isReading
            else { return false }
            reader.hasSnapshot = true
            idle.append(reader)
            usedCount -= 1
            return true
        }
        if isKept { return }
        reader.hasSnapshot = false
        // Ending a read cannot fail: without changes a ROLLBACK only drops the read lock.
        reader.session.endReading()
        lock.withLock {
            // If the session is to be closed, that happens before the last reader is counted out.
            let isOfThisFile = seesEveryWrite || reader.beginning == generation
            if hasRoom, gate != .closed, isOfThisFile { idle.append(reader) }
            usedCount -= 1
        }
    }

    @inlinable var hasRoom: Bool { isOpen && idle.count < SQLiteLimits.idleReaderCount }

    /// Ends idle snapshots; those in use end when they are returned.
    public func beginWrite() {
        lock.withLock {
            isWriting = true
            generation += 1
            for reader in idle where reader.hasSnapshot {
                reader.hasSnapshot = false
                reader.session.endReading()
            }
        }
    }

    /// Notes that a write was committed or rolled back.
    public func endWrite() {
        lock.withLock {
            isWriting = false
            generation += 1
        }
    }

    /// Whether nothing was written since a reader was taken.
    ///
    /// If so after its first read, every reader with its generation has the same snapshot.
    @inlinable
    public func isLatest(_ reader: Reader) -> Bool {
        lock.withLock {
            seesEveryWrite && !isWriting && gate == .open && reader.beginning == generation
        }
    }

    /// Closes idle connections; the others close when they are returned.
    public func close() {
        lock.withLock {
            isOpen = false
            idle = []
        }
    }
}
