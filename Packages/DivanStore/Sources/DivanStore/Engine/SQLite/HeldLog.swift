internal import DivanLog

/// Notices that readers hold a long log, which cannot be cleared before they are done.
struct HeldLog {
    // Its length when it was found long last; 0 while it is not.
    private var pageCount = 0

    /// Whether the log is long, and longer than when this was asked before.
    ///
    /// Then it was no single transaction that made it so, and the application's log is told. Without a
    /// count of its pages that of its file is taken, which is cut back only now and then.
    mutating func hasGrown(to count: Int?, at path: String) -> Bool {
        let count = count ?? BundleFiles.byteCount(path + "-wal") / 4_096
        guard count >= StoreLimits.heldLogPageCount else {
            pageCount = 0
            return false
        }
        guard pageCount == 0 || count >= pageCount + StoreLimits.logPageCount else { return false }
        let hasGrown = pageCount > 0
        pageCount = count
        if hasGrown {
            StoreLog.database.warning(
                "\(path)-wal has grown to \(count / 256) MiB, since somebody has not read on for long: a "
                    + "result stream, or another process, as divan query with a pager; read on, or end it"
            )
        }
        return hasGrown
    }
}
