internal import DivanLog

/// Notices that readers hold a long log, which cannot be cleared before they are done.
struct HeldLog {
    // Its length when it was found long last; 0 while it is not.
    private var byteCount = 0

    /// Whether the log is long, and longer than when this was asked before.
    ///
    /// Then it was no single transaction that made it so, and the application's log is told. Without the
    /// bytes of its pages those of its file are taken, which is cut back only now and then.
    mutating func hasGrown(to count: Int?, at path: String) -> Bool {
        let count = count ?? BundleFiles.byteCount(path + "-wal")
        guard count >= StoreLimits.heldLogByteCount else {
            byteCount = 0
            return false
        }
        guard byteCount == 0 || count >= byteCount + StoreLimits.logByteCount else { return false }
        let hasGrown = byteCount > 0
        byteCount = count
        if hasGrown {
            StoreLog.database.warning(
                "\(path)-wal has grown to \(count >> 20) MiB, since somebody has not read on for long: a "
                    + "result stream, or another process, as divan query with a pager; read on, or end it"
            )
        }
        return hasGrown
    }
}
