/// The limits of databases in directories; every member is a maximum.
public enum DatabaseLimits {
    /// Lost documents that a salvage lists; further documents are only counted.
    public static let namedLossCount = 1_000
    /// Milliseconds that opening waits for another process that is about to close the database: long enough for a
    /// tool to end, short enough for a user to wait.
    public static let lockMilliseconds = 500
}
