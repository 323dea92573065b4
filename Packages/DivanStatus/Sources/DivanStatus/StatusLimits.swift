/// Limits of the published status.
public enum StatusLimits {
    /// Bytes of one status.
    public static let fileByteCount = 1 << 20
}
