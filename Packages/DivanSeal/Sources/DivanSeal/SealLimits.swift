/// Limits of seals and of key sources.
public enum SealLimits {
    /// Bytes of a key.
    public static let keyByteCount = 32
    /// Bytes of a blob that are sealed together, and read together.
    public static let chunkByteCount = 64 << 10
    /// Rounds of the derivation from a password: the same as Couchbase Lite.
    public static let passwordRoundCount: Int32 = 64_000
    /// Bytes of a password.
    public static let passwordByteCount = 1_024
    /// Bytes that a file, a descriptor or a command may return as a key.
    public static let sourceByteCount = 4_096
    /// How long a command may take to provide a key, in milliseconds.
    public static let commandMilliseconds = 30_000
}
