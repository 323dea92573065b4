/// What a document may ask of ciphers.
public enum FieldLimits {
    /// Encrypted properties in one document; each is a call of the application.
    public static let fieldsCount = 1_024
    /// Bytes of an algorithm's name and of a key's ID.
    public static let nameByteCount = 256
}
