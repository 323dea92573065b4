internal import DivanJSON
internal import DivanRevisions
public import DivanSealedFields
internal import DivanStore

/// The ciphers with which an active peer encrypts properties on push, and decrypts them on pull.
///
/// Without `sealing`, documents with encryptable values are not sent; passive peers never send them. Without `opening`,
/// encrypted properties stay encrypted.
///
/// Source: `encryption.md` §6.
public struct FieldCiphers: Sendable {
    /// The cipher for pushed properties.
    public var sealing: FieldSealing?
    /// The cipher for pulled properties.
    public var opening: FieldOpening?

    /// Creates a pair of ciphers.
    public init(sealing: FieldSealing? = nil, opening: FieldOpening? = nil) {
        self.sealing = sealing
        self.opening = opening
    }
}

extension DocumentFields {
    init(of documentID: DocumentID, in path: CollectionPath) {
        self.init(scope: path.scope, collection: path.name, documentID: ExactText(documentID.text))
    }
}

extension SyncError {
    /// The error for encrypted properties that prevent a document from being sent or stored.
    ///
    /// A cipher that is temporarily unavailable stops the whole replication, which retries. The peer must not be able
    /// to read the properties, so it is not told what the application's cipher reports, such as where its keys are.
    init(field failure: FieldFailure) {
        let code: WireCode =
            failure.isTransient ? .http(.serviceUnavailable) : .liteCore(.crypto)
        let told = "a property of the document cannot be encrypted or decrypted"
        self.init(code, failure.description, telling: told)
    }
}
