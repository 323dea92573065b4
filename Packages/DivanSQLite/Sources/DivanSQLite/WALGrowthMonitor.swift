internal import DivanLog

/// Notices that readers keep the log from being cleared while it is long.
///
/// SQLite begins a log anew only at a moment when nobody reads from it. Where many readers begin and end without
/// a pause, there is none, although each of them is quick.
struct WALGrowthMonitor {
    // Its length when it was last found long; 0 while it is not.
    private var byteCount = 0

    /// Whether the log is long, and longer than at the last check, so that it is not the work of a single
    /// transaction.
    ///
    /// If `count` is `nil`, the size of the log's file is used, which is truncated only now and then.
    mutating func hasGrown(to count: Int?, at path: String) -> Bool {
        let count = count ?? BundleFiles.byteCount(path + "-wal")
        guard count >= StoreLimits.heldLogByteCount else {
            byteCount = 0
            return false
        }
        guard byteCount == 0 || count >= byteCount + StoreLimits.logByteCount else { return false }
        let hasGrown = byteCount > 0
        byteCount = count
        return hasGrown
    }

    /// Warns of readers that are not asked to release the log.
    func warn(at path: String) {
        StoreLog.database.warning(
            "\(path)-wal has grown to \(byteCount >> 20) MiB because a reader has been open for a "
                + "long time: a result stream, or another process such as 'divan query' with a "
                + "pager. Read its remaining rows, or close it."
        )
    }
}
