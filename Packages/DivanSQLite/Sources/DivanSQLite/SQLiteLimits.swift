/// The limits of a connection to a file, and of the files next to it; every member is a maximum.
public enum SQLiteLimits {
    /// Idle reader connections that are kept open.
    ///
    /// More connections are opened when more threads read at the same time, and closed afterwards.
    public static let idleReaderCount = 4
    /// Bytes of the log from which it is copied into the file.
    public static let logByteCount = 16 << 20
    /// Bytes by which the log may grow during copying before the writer waits; 64 MiB together with `logByteCount`.
    public static let logLagByteCount = 48 << 20
    /// Bytes of the log from which idle readers are asked to release their snapshot: twice the size of a log
    /// without such readers.
    public static let heldLogByteCount = 128 << 20
    /// Milliseconds that a commit waits for a moment without readers, if overlapping short readers hold such a log;
    /// new readers wait meanwhile.
    public static let readerPauseMilliseconds = 50
    /// Milliseconds that a write waits for another program that has the file locked.
    public static let busyMilliseconds: Int32 = 5_000
    /// Milliseconds that a write relies on the last check that the file is where it was opened: a check costs
    /// a twentieth of a small commit.
    public static let presenceMilliseconds = 5
}
