internal import DivanPlatform

/// Notices that readers keep the log from being cleared while it is long.
///
/// SQLite begins a log anew only at a moment when nobody reads from it. Where many readers begin and end without
/// a pause, there is none, although each of them is quick.
public struct WALGrowthMonitor {
    /// Bytes of the log when it was last found long; 0 while it is not.
    public private(set) var byteCount = 0

    /// Creates a monitor of a log that is not long.
    public init() {}

    /// Whether the log is long, and longer than at the last check, so that it is not the work of a single
    /// transaction.
    ///
    /// If `count` is `nil`, the size of the log's file is used, which is truncated only now and then.
    ///
    /// - Parameters:
    ///   - count: Bytes of the log, if known.
    ///   - path: The database file.
    /// - Returns: Whether it has grown while it was long.
    public mutating func hasGrown(to count: Int?, at path: String) -> Bool {
        let count = count ?? Self.byteCount(ofLogAt: path + "-wal")
        guard count >= SQLiteLimits.heldLogByteCount else {
            byteCount = 0
            return false
        }
        guard byteCount == 0 || count >= byteCount + SQLiteLimits.logByteCount else { return false }
        let hasGrown = byteCount > 0
        byteCount = count
        return hasGrown
    }

    private static func byteCount(ofLogAt path: String) -> Int {
        (try? FileStatus(of: path, followingLinks: false))?.byteCount ?? 0
    }
}
