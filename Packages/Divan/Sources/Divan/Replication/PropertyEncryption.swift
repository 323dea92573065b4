import DivanJSON
import DivanReplicator
import DivanSealedFields
public import Foundation

/// A property on its way to or from a peer.
public struct ReplicatedProperty: Sendable {
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The document's ID.
    public let documentID: String
    /// Its path: names separated by dots, indexes in brackets; a `.`, `[` or `\\` within a name is escaped with `\\`.
    public let keyPath: String
    let question: FieldQuestion

    /// The whole document: as stored here in a push, as received in a pull.
    public var properties: [String: Any] { question.properties.plainDictionary(in: nil) }

    init(_ question: FieldQuestion) {
        scope = question.scope
        collection = question.collection
        documentID = question.documentID.text
        keyPath = question.keyPath
        self.question = question
    }
}

/// The result of encrypting a property; the algorithm and the key's ID are sent along, unencrypted.
public struct EncryptedProperty: Equatable, Sendable {
    /// The algorithm if none is named.
    public static let defaultAlgorithm = SealedField.customAlgorithm

    /// The encrypted value: any bytes, and at least one.
    public var ciphertext: Data
    /// The algorithm it was encrypted with; up to 256 bytes.
    public var algorithm: String
    /// The ID of the key; up to 256 bytes.
    public var keyID: String?

    /// Creates one from its parts.
    public init(
        ciphertext: Data,
        algorithm: String = Self.defaultAlgorithm,
        keyID: String? = nil
    ) {
        self.ciphertext = ciphertext
        self.algorithm = algorithm
        self.keyID = keyID
    }

    init(_ field: SealedField) {
        self.init(
            ciphertext: Data(field.ciphertext),
            algorithm: field.algorithm,
            keyID: field.keyID
        )
    }

    var field: SealedField {
        SealedField(Array(ciphertext), algorithm: algorithm, keyID: keyID)
    }
}

/// Encrypts the JSON of a value that is being pushed.
///
/// `nil`, no bytes, or any error prevents the document from being pushed (``CBLError/crypto``) until it changes or the
/// replicator is reset; an error with the code ``CBLError/httpServiceUnavailable`` takes the replicator offline until
/// it retries. Called on the replicator's thread, which waits for it.
public typealias DocumentPropertyEncryptor =
    @Sendable (_ property: ReplicatedProperty, _ input: Data) throws -> EncryptedProperty?

/// Decrypts a pulled value into its JSON.
///
/// `nil`, or no bytes, leaves the property as received. Errors act as for an encryptor: the document is not stored.
/// Called on the replicator's thread, which waits for it.
public typealias DocumentPropertyDecryptor =
    @Sendable (_ property: ReplicatedProperty, _ input: EncryptedProperty) throws -> Data?
