internal import Synchronization

/// Copies the log into the file beside the writer, so that what is stored next need not wait.
///
/// When the log has grown by an interval, a thread with a connection of its own copies and syncs
/// it; SQLite's passive checkpoint keeps neither writers nor readers waiting. The log begins anew
/// once all of it is copied, and a writer that goes on is always a little ahead. So the writer
/// itself copies what came meanwhile, when the thread is done. Should a slow disk let the log grow
/// too far, the writer waits for the thread.
///
/// No checkpoint begins beside the writer on a log that is copied as a whole: who writes next may begin
/// it anew just then, and SQLite before 3.51.3 would take as many pages of the new one for copied, which
/// are lost with the next checkpoint (sqlite.org/wal.html, "the WAL-reset bug").
///
/// Used by the writer only, after its commits.
final class SQLiteCheckpointer {
    private let place: SQLitePlace
    private var running: SQLiteCheckpoint?
    private var byteCount = 0
    // The length of the log at which the next checkpoint begins, or the running one began.
    private var threshold = StoreLimits.logByteCount

    init(_ place: SQLitePlace) {
        self.place = place
    }

    /// Begins or ends a checkpoint, if it is time, after a commit that left so many bytes.
    ///
    /// - Throws: A sync that failed, after which nobody knows what of the log is on the disk.
    func logDidGrow(to byteCount: Int, on writer: SQLiteConnection) throws(StoreError) {
        running?.logDidGrow(to: byteCount)
        let beganAnew = byteCount < self.byteCount
        self.byteCount = byteCount
        if beganAnew {
            threshold = StoreLimits.logByteCount
            // All that the thread was to copy is in the file: it was quicker than the writer.
            if running?.isDone ?? false { try finish() }
        }
        guard let running else {
            if byteCount >= threshold { try begin(on: writer) }
            return
        }
        if running.isDone || byteCount >= threshold + StoreLimits.logLagByteCount {
            try finish()
            try SQLiteCheckpoint.copyLog(through: writer)
            // Behind a reader that holds an old snapshot the log goes on growing.
            threshold = byteCount + StoreLimits.logByteCount
        }
    }

    private func begin(on writer: SQLiteConnection) throws(StoreError) {
        threshold = byteCount
        running = SQLiteCheckpoint(place, of: byteCount)
        guard running == nil else { return }
        // A system without another thread: as SQLite itself does it.
        try SQLiteCheckpoint.copyLog(through: writer)
        threshold += StoreLimits.logByteCount
    }

    /// Waits for the running checkpoint, if there is one.
    func finish() throws(StoreError) {
        defer { running = nil }
        if let failure = running?.wait() { throw failure }
    }

    /// Whether the thread copies once more what came while it copied: enough, and not all of it yet.
    static func goesOn(copied: Int, before: Int, log: Int) -> Bool {
        copied < log && copied - before > StoreLimits.logByteCount / 10
    }
}

/// One checkpoint on a thread of its own.
private final class SQLiteCheckpoint {
    /// What the thread and its starter share.
    private final class Work: Sendable {
        let place: SQLitePlace
        /// Bytes of the log's pages after the writer's latest commit.
        let logByteCount: Atomic<Int>
        let isDone = Atomic(false)
        let failure = Mutex<StoreError?>(nil)

        init(_ place: SQLitePlace, _ logByteCount: Int) {
            self.place = place
            self.logByteCount = Atomic(logByteCount)
        }

        func run() {
            defer { isDone.store(true, ordering: .releasing) }
            // Without another connection everything stays in the log, and the next one takes it along.
            guard let connection = try? SQLiteConnection(place, mode: .readWrite) else { return }
            do throws(StoreError) {
                // Each time takes what was committed during the one before, which took longer.
                var (copiedCount, countBefore) = (0, 0)
                repeat {
                    countBefore = copiedCount
                    copiedCount = try SQLiteCheckpoint.copyLog(through: connection)
                } while SQLiteCheckpointer.goesOn(
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

    /// `nil` when the system has no thread left.
    init?(_ place: SQLitePlace, of logByteCount: Int) {
        let work = Work(place, logByteCount)
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

    /// Waits for the end, and returns the sync that failed, if one did.
    @discardableResult
    func wait() -> StoreError? {
        thread.join()
        return work.failure.withLock { $0 }
    }

    /// Copies what no reader holds back, and returns how many bytes of the log's pages are copied now.
    ///
    /// A full disk, a write that fails and a foreign program's lock are no failure: what is not copied
    /// stays in the log, and the next checkpoint takes it along.
    ///
    /// - Throws: What comes of a sync that failed.
    @discardableResult
    static func copyLog(through connection: SQLiteConnection) throws(StoreError) -> Int {
        do throws(StoreError) {
            let statement = try connection.prepare("PRAGMA wal_checkpoint(PASSIVE)")
            guard try statement.step() else { return 0 }
            return Int(clamping: statement.integer(2)) * connection.pageByteCount
        } catch {
            if connection.failedToSync { throw error }
            return 0
        }
    }
}
