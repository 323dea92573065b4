internal import DivanPlatform
internal import Synchronization

/// Copies the log into the file while the writer continues, so that later writes need not wait.
///
/// When the log has grown by an interval, a thread with its own connection copies and syncs it; SQLite's
/// passive checkpoint blocks neither writers nor readers. The log restarts once all of it is copied, but
/// a writer that continues is always a little ahead. So when the thread is done, the writer itself
/// copies what was added in the meantime. If a slow disk lets the log grow too far, the writer waits for
/// the thread.
///
/// No checkpoint begins beside the writer on a log that is copied as a whole: the next write may restart
/// it at that moment, and SQLite before 3.51.3 would regard as many pages of the new log as copied,
/// which are lost with the next checkpoint (sqlite.org/wal.html, "the WAL-reset bug").
///
/// Used by the writer only, after its commits.
public final class SQLiteCheckpointer<Client: SQLiteClient> {
    private let open: @Sendable () throws(Client.Failure) -> SQLiteConnection<Client>
    private var running: SQLiteCheckpoint<Client>?
    private var byteCount = 0
    // The length of the log at which the next checkpoint begins, or the running one began.
    private var threshold = SQLiteLimits.logByteCount

    /// Creates a checkpointer of a log that is not long.
    ///
    /// - Parameter open: Opens another connection to the writer's file, on any thread.
    public init(
        _ open: @escaping @Sendable () throws(Client.Failure) -> SQLiteConnection<Client>
    ) {
        self.open = open
    }

    /// Begins or ends a checkpoint, if it is time, after a commit that left this many bytes.
    ///
    /// - Throws: A failed sync, after which it is unknown what of the log is on the disk.
    public func logDidGrow(
        to byteCount: Int,
        on writer: SQLiteConnection<Client>
    ) throws(Client.Failure) {
        running?.logDidGrow(to: byteCount)
        let beganAnew = byteCount < self.byteCount
        self.byteCount = byteCount
        if beganAnew {
            threshold = SQLiteLimits.logByteCount
            // Everything that the thread was to copy is in the file: it was faster than the writer.
            if running?.isDone ?? false { try finish() }
        }
        guard let running else {
            if byteCount >= threshold { try begin(on: writer) }
            return
        }
        if running.isDone || byteCount >= threshold + SQLiteLimits.logLagByteCount {
            try finish()
            try writer.copyLog()
            // While a reader holds an old snapshot the log continues to grow.
            threshold = byteCount + SQLiteLimits.logByteCount
        }
    }

    private func begin(on writer: SQLiteConnection<Client>) throws(Client.Failure) {
        threshold = byteCount
        running = SQLiteCheckpoint(open, of: byteCount)
        guard running == nil else { return }
        // The system has no thread left: copy here, as SQLite itself would.
        try writer.copyLog()
        threshold += SQLiteLimits.logByteCount
    }

    /// Waits for the running checkpoint, if there is one.
    ///
    /// - Throws: A failed sync, as above.
    public func finish() throws(Client.Failure) {
        defer { running = nil }
        if let failure = running?.wait() { throw failure }
    }
}

/// How often a checkpoint copies the log.
enum CheckpointRounds {
    /// Whether the thread copies once more: it has just copied enough, and not the whole log is copied yet.
    static func continues(copied: Int, before: Int, log: Int) -> Bool {
        copied < log && copied - before > SQLiteLimits.logByteCount / 10
    }
}

/// One checkpoint on a thread of its own.
private final class SQLiteCheckpoint<Client: SQLiteClient> {
    /// What the thread and its starter share.
    private final class Work: Sendable {
        let open: @Sendable () throws(Client.Failure) -> SQLiteConnection<Client>
        /// Bytes of the log's pages after the writer's latest commit.
        let logByteCount: Atomic<Int>
        let isDone = Atomic(false)
        let failure = Mutex<Client.Failure?>(nil)

        init(
            _ open: @escaping @Sendable () throws(Client.Failure) -> SQLiteConnection<Client>,
            _ logByteCount: Int
        ) {
            self.open = open
            self.logByteCount = Atomic(logByteCount)
        }

        func run() {
            defer { isDone.store(true, ordering: .releasing) }
            // Without another connection everything stays in the log, for the next checkpoint.
            guard let connection = try? open() else { return }
            do throws(Client.Failure) {
                // Each round copies what was committed during the previous one, which took longer.
                var (copiedCount, countBefore) = (0, 0)
                repeat {
                    countBefore = copiedCount
                    copiedCount = try connection.copyLog().copiedByteCount
                } while CheckpointRounds.continues(
                    copied: copiedCount,
                    before: countBefore,
                    log: logByteCount.load(ordering: .acquiring)
                )
            } catch {
                failure.withLock { $0 = error }
            }
        }
    }

    private let work: Work
    private let thread: JoinedThread

    /// `nil` if the system has no thread left.
    init?(
        _ open: @escaping @Sendable () throws(Client.Failure) -> SQLiteConnection<Client>,
        of logByteCount: Int
    ) {
        let work = Work(open, logByteCount)
        guard let thread = JoinedThread({ work.run() }) else { return nil }
        self.work = work
        self.thread = thread
    }

    deinit {
        wait()
    }

    func logDidGrow(to byteCount: Int) {
        work.logByteCount.store(byteCount, ordering: .releasing)
    }

    var isDone: Bool { work.isDone.load(ordering: .acquiring) }

    /// Waits for the end, and returns the error if a sync failed.
    @discardableResult
    func wait() -> Client.Failure? {
        thread.join()
        return work.failure.withLock { $0 }
    }
}
