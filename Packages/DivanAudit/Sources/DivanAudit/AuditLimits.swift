/// Limits of an audit log; every member is a maximum.
public enum AuditLimits {
    /// Bytes of one line, without its line end.
    public static let lineByteCount = 256 << 10
    /// UTF-8 bytes of one text in an entry.
    public static let textByteCount = 1_024
    /// Documents in one entry.
    public static let documentCount = 100
}
