import DivanJSON
import DivanReplicator
import DivanSealedFields
public import Foundation

/// A property that is being pushed or pulled.
public struct ReplicatedProperty: Sendable {
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The document's ID.
    public let documentID: String
    /// Its path, with names separated by dots and indexes in brackets; a `.`, `[` or `\\` in a name is escaped with
    /// `\\`.
    public let keyPath: String
    let question: FieldContext

    /// The whole document: as stored for a push, as received for a pull.
    public var properties: [String: Any] { question.properties.plainDictionary(in: nil) }

    init(_ question: FieldContext) {
        scope = question.scope
        collection = question.collection
        documentID = question.documentID.text
        keyPath = question.keyPath
        self.question = question
    }
}

/// An encrypted property.
///
/// The algorithm and the key ID are sent unencrypted.
public struct EncryptedProperty: Equatable, Sendable {
    /// The default algorithm name.
    public static let defaultAlgorithm = SealedField.customAlgorithm

    /// The encrypted value, at least one byte.
    public var ciphertext: Data
    /// The name of the algorithm; up to 256 bytes.
    public var algorithm: String
    /// The ID of the key; up to 256 bytes.
    public var keyID: String?

    /// Creates an encrypted property.
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

/// Encrypts the JSON of a property that is being pushed.
///
/// If it returns `nil` or no bytes, or throws, the document is not pushed (``CBLError/crypto``) until it changes or the
/// replicator is reset. With an error of the code ``CBLError/httpServiceUnavailable``, the replicator goes offline and
/// retries later. Called on the replicator's thread, which waits for it.
public typealias DocumentPropertyEncryptor =
    @Sendable (_ property: ReplicatedProperty, _ input: Data) throws -> EncryptedProperty?

/// Decrypts a pulled property; returns its JSON.
///
/// If it returns `nil` or no bytes, the property stays encrypted. If it throws, the document is not stored, with the
/// same errors as for an encryptor. Called on the replicator's thread, which waits for it.
public typealias DocumentPropertyDecryptor =
    @Sendable (_ property: ReplicatedProperty, _ input: EncryptedProperty) throws -> Data?
