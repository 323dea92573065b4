/// The bounds of what is told.
public enum StatusLimits {
    /// Bytes of one status.
    public static let fileByteCount = 1 << 20
}
