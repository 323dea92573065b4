/// The reason why the encrypted properties of a document cannot be sent or read.
///
/// Contains the path of a property, never its value.
public enum FieldFailure: Error, Equatable, Sendable {
    /// There is no encryptor, so the value would be sent in plain text.
    case noSealing(keyPath: String)
    /// The cipher failed permanently.
    case failed(keyPath: String, reason: String)
    /// The cipher is not available now; a later attempt may succeed.
    case unavailable(keyPath: String, reason: String)
    /// An encryptable value is not a property: it is in an array, or is the document itself.
    case misplaced(keyPath: String)
    /// The value contains a blob, whose content would be sent in plain text.
    case holdsBlob(keyPath: String)
    /// The name of the encrypted property is already used.
    case occupied(keyPath: String)
    /// The decrypted value is not JSON.
    case notJSON(keyPath: String)
    /// The document has too many encryptable properties.
    case tooMany
    /// The path of a property is too long to be passed to a cipher.
    case longPath(limit: Int)
    /// The body is not a JSON object.
    case unreadable

    /// Whether a later attempt may succeed.
    public var isTransient: Bool {
        if case .unavailable = self { true } else { false }
    }
}

extension FieldFailure: CustomStringConvertible {
    /// One line: location, problem, remedy.
    public var description: String {
        switch self {
        case .noSealing(let path):
            "property \(path): cannot be encrypted; set documentPropertyEncryptor"
        case .failed(let path, let reason): "property \(path): \(reason); check its key"
        case .unavailable(let path, let reason): "property \(path): \(reason); will retry"
        case .misplaced(let path):
            "property \(path): an encryptable value must be the value of a dictionary key; "
                + "make it a property, or encrypt the whole array"
        case .holdsBlob(let path):
            "property \(path): the content of a blob would not be encrypted; "
                + "move the blob out of the encrypted value"
        case .occupied(let path):
            "property \(path): a property with the prefix \(SealedField.prefix) already exists; "
                + "rename one of the two"
        case .notJSON(let path):
            "property \(path): the decrypted value is not JSON; check the key and the decryptor"
        case .tooMany:
            "document: more than \(FieldLimits.fieldsCount) encrypted properties; "
                + "encrypt fewer, larger values"
        case .longPath(let limit):
            "document: the path of an encrypted property exceeds \(limit) bytes; "
                + "shorten the names in the path"
        case .unreadable: "document: the body is not a JSON object; run 'divan check'"
        }
    }
}
