internal import DivanSQLite
internal import DivanStorage

/// How the writer's connection treats the log.
///
/// If each commit is synced, SQLite itself copies the log into the file every 4 MiB: as long as the log
/// grows, a sync also waits for the file's new length, which takes a quarter longer than a sync of
/// existing bytes. Otherwise `SQLiteCheckpointer` does it, less often, since pages that many commits
/// change are then written only once.
///
/// SQLite syncs the header of a log that it begins, so that pages of the previous log are not taken
/// for its own. An empty file has none, and a power cut only loses the latest commits there, as
/// always. So the first commit into an empty log syncs nothing, which saves half a millisecond.
enum SQLiteWriterSettings {
    static func apply(
        to connection: StoreConnection,
        syncsFully: Bool
    ) throws(StoreError) {
        // A log that grew during a long read is cut back to 64 MiB.
        try connection.execute(
            """
            PRAGMA journal_size_limit = 67108864;
            PRAGMA temp_store = MEMORY;
            """
        )
        try KeptPages.begin(onWriter: connection)
        try setSync(fully: syncsFully, of: connection)
    }

    static func setSync(fully: Bool, of connection: StoreConnection) throws(StoreError) {
        let pageCount = fully ? (4 << 20) / connection.pageByteCount : 0
        try connection.execute(
            """
            PRAGMA synchronous = \(fully ? "FULL" : "NORMAL"); PRAGMA wal_autocheckpoint = \(pageCount)
            """
        )
    }
}
