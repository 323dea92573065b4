import DivanJSON
import DivanReplicator
import DivanSealedFields
public import Foundation

/// A property on its way to a peer or from one.
public struct ReplicatedProperty: Sendable {
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The document's ID.
    public let documentID: String
    /// Where it stands: names with dots between, positions in brackets; `\\` stands before a `.`, `[` or
    /// `\\` that belongs to a name.
    public let keyPath: String
    let question: FieldQuestion

    /// The whole document: as it is here when it is pushed, as it came when it is pulled.
    public var properties: [String: Any] { question.properties.plainDictionary(in: nil) }

    init(_ question: FieldQuestion) {
        scope = question.scope
        collection = question.collection
        documentID = question.documentID.text
        keyPath = question.keyPath
        self.question = question
    }
}

/// What encrypting a property gave; the algorithm and the key's ID go along, unencrypted.
public struct EncryptedProperty: Equatable, Sendable {
    /// The algorithm of those who name none.
    public static let defaultAlgorithm = SealedField.customAlgorithm

    /// The encrypted value: any bytes, and at least one.
    public var ciphertext: Data
    /// What it was encrypted with; up to 256 bytes.
    public var algorithm: String
    /// Which key it was; up to 256 bytes.
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

/// Encrypts the JSON of a value that is pushed.
///
/// `nil`, no bytes, or any error keep the document from being pushed (``CBLError/crypto``) until it changes
/// or the replicator is reset; an error with the code ``CBLError/httpServiceUnavailable`` takes the
/// replicator offline, and it tries again later. Called on the replicator's thread, which waits.
public typealias DocumentPropertyEncryptor =
    @Sendable (_ property: ReplicatedProperty, _ input: Data) throws -> EncryptedProperty?

/// Decrypts a pulled value into its JSON.
///
/// `nil`, or no bytes, leave the property as it came. Errors are as those of an encryptor: the document is
/// not stored. Called on the replicator's thread, which waits.
public typealias DocumentPropertyDecryptor =
    @Sendable (_ property: ReplicatedProperty, _ input: EncryptedProperty) throws -> Data?
