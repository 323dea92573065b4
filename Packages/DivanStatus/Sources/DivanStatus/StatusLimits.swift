/// Limits on what is published.
public enum StatusLimits {
    /// Bytes of one status.
    public static let fileByteCount = 1 << 20
}
