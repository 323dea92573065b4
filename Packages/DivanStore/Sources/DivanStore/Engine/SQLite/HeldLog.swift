internal import DivanLog

/// Notices that readers keep the log from being cleared while it is long.
struct HeldLog {
    // Its length when it was last found long; 0 while it is not.
    private var byteCount = 0

    /// Whether the log is long, and longer than at the last check.
    ///
    /// If so, it is not the work of a single transaction, and a warning is logged. If `count` is `nil`,
    /// the size of the log's file is used, which is truncated only now and then.
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
