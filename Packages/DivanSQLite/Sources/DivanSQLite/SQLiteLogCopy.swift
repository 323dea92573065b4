internal import CDivanStore

// Operations of a connection on its whole file.
extension SQLiteConnection {
    /// Opens another connection to the same file, to read what is committed.
    func reader() throws(StoreError) -> SQLiteConnection {
        try SQLiteConnection(SQLitePlace(path, sealing: sealing), mode: .readOnly)
    }

    /// Pages that are copied between two checks whether to stop.
    private static let copiedPageCount: Int32 = 1_000

    /// Copies the whole database, as it is committed now, over that of `target`.
    func copy(to target: SQLiteConnection) throws(StoreError) {
        // A single state for all steps: otherwise SQLite would start over after each commit of another process.
        try execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
        defer { try? execute("ROLLBACK") }
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.error(sqlite3_errcode(target.handle))
        }
        var code: Int32
        repeat {
            code = sqlite3_backup_step(backup, Store.stop == nil ? -1 : Self.copiedPageCount)
            // Nobody else has this file open, so nothing blocks it.
        } while code == SQLITE_OK && Store.stop?.mustStop != true
        let ending = sqlite3_backup_finish(backup)
        try Store.checkStop(at: path)
        guard code == SQLITE_DONE else { throw target.error(code) }
        guard ending == SQLITE_OK else { throw target.error(ending) }
    }

    /// How much of the log's pages is in the file now.
    struct LogCopy {
        let copiedByteCount: Int
        fileprivate let byteCount: Int

        static var none: LogCopy { LogCopy(copiedByteCount: 0, byteCount: -1) }

        /// Whether nobody held anything back.
        var isWhole: Bool { copiedByteCount == byteCount }
    }

    /// Copies from the log into the file what no reader, here or in another process, holds back; blocks
    /// neither writers nor readers.
    ///
    /// A full disk, a failed write and a lock of another program are not failures: what is not copied
    /// stays in the log, for the next time.
    ///
    /// - Throws: The error of a failed sync.
    @discardableResult
    func copyLog() throws(StoreError) -> LogCopy {
        do throws(StoreError) {
            let statement = try prepare("PRAGMA wal_checkpoint(PASSIVE)")
            guard try statement.step(), statement.integer(1) >= 0 else { return .none }
            return LogCopy(
                copiedByteCount: Int(clamping: statement.integer(2)) * pageByteCount,
                byteCount: Int(clamping: statement.integer(1)) * pageByteCount
            )
        } catch {
            if failedToSync { throw error }
            return .none
        }
    }
}
