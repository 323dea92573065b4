/// Limits of encryption and of key sources.
public enum SealLimits {
    /// Bytes of a key.
    public static let keyByteCount = 32
    /// Bytes of a blob that are encrypted and read together.
    public static let chunkByteCount = 64 << 10
    /// Rounds of the derivation from a password, the same as in Couchbase Lite.
    public static let passwordRoundCount: Int32 = 64_000
    /// Bytes of a password.
    public static let passwordByteCount = 1_024
    /// The maximum number of bytes from a file, a descriptor or a command.
    public static let sourceByteCount = 4_096
    /// The time limit of a command, in milliseconds.
    public static let commandMilliseconds = 30_000
}
