/// Limits on the properties that are encrypted.
public enum FieldLimits {
    /// Encrypted properties in one document; each one is a call of the application.
    public static let fieldsCount = 1_024
    /// Bytes of the path of a property, which its cipher receives; 64 KiB.
    public static let pathByteCount = 64 << 10
    /// Bytes of an algorithm's name and of a key's ID.
    public static let nameByteCount = 256
}
