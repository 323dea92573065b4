internal import CDivanSQLite

/// How much of a log's pages is in the file.
public struct SQLiteLogCopy: Sendable {
    /// Bytes that were copied since the log began.
    public let copiedByteCount: Int
    private let byteCount: Int

    init(copied: Int, of byteCount: Int) {
        copiedByteCount = copied
        self.byteCount = byteCount
    }

    static var none: SQLiteLogCopy { SQLiteLogCopy(copied: 0, of: -1) }

    /// Whether nobody held anything back.
    public var isWhole: Bool { copiedByteCount == byteCount }
}

extension SQLiteConnection {
    /// Copies from the log into the file what no reader, here or in another process, holds back; blocks
    /// neither writers nor readers.
    ///
    /// A full disk, a failed write and a lock of another program are not failures: what is not copied
    /// stays in the log, for the next time.
    ///
    /// - Throws: The error of a failed sync.
    @discardableResult
    public func copyLog() throws(Client.Failure) -> SQLiteLogCopy {
        do throws(Client.Failure) {
            let statement = try prepare("PRAGMA wal_checkpoint(PASSIVE)")
            guard try statement.step(), statement.integer(1) >= 0 else { return .none }
            return SQLiteLogCopy(
                copied: Int(clamping: statement.integer(2)) * pageByteCount,
                of: Int(clamping: statement.integer(1)) * pageByteCount
            )
        } catch {
            if failedToSync { throw error }
            return .none
        }
    }

    /// Copies the whole database, as it is committed now, over that of `target`.
    ///
    /// - Parameters:
    ///   - target: The only connection to a file.
    ///   - mustStop: Asked now and then; once it returns `true`, the copy remains incomplete.
    /// - Returns: Whether the copy is complete.
    /// - Throws: What SQLite reports of either file.
    public func copy(
        to target: SQLiteConnection,
        mustStop: (() -> Bool)? = nil
    ) throws(Client.Failure) -> Bool {
        // A single state for all steps: otherwise SQLite would start over after each commit of another process.
        try execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
        defer { try? execute("ROLLBACK") }
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.error(sqlite3_errcode(target.handle))
        }
        // Between two checks; without any, the whole database at once.
        let pageCount: Int32 = mustStop == nil ? -1 : 1_000
        var code: Int32
        var isStopped = false
        repeat {
            code = sqlite3_backup_step(backup, pageCount)
            // This is the only connection to the file, so nothing blocks it.
            isStopped = mustStop?() ?? false
        } while code == SQLITE_OK && !isStopped
        let ending = sqlite3_backup_finish(backup)
        guard !isStopped else { return false }
        guard code == SQLITE_DONE else { throw target.error(code) }
        guard ending == SQLITE_OK else { throw target.error(ending) }
        return true
    }
}

/// The write-ahead log of a database that a failed sync has put in doubt.
public enum SQLiteLog {
    /// Writes every byte of a database's log once more where it is, and syncs it.
    ///
    /// After a failed sync the system may forget pages that it could not write, and report success for a later sync.
    /// Only while nobody else writes to the database. An encrypted log stays as it is.
    ///
    /// - Parameter path: The database file.
    /// - Returns: Whether everything is on the disk; also if there is no log.
    public static func rewrite(ofDatabaseAt path: String) -> Bool {
        divan_write_log_again(path + "-wal") == SQLITE_OK
    }
}
