internal import DivanJSON
internal import DivanRevisions
public import DivanSealedFields
internal import DivanStore

/// What an active peer encrypts properties with when it pushes, and decrypts them with when it pulls.
///
/// Without `sealing`, a document with an encryptable value is not sent; a passive peer has none, and sends
/// none. Without `opening`, encrypted properties stay as they came.
///
/// Source: `encryption.md` §6.
public struct FieldCiphers: Sendable {
    /// Encrypts.
    public var sealing: FieldSealing?
    /// Decrypts.
    public var opening: FieldOpening?

    /// Collects both.
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
    /// Why encrypted properties keep a document from being sent or stored.
    ///
    /// A cipher that cannot be asked now halts the whole replication, which tries again. The peer is the one
    /// that must not read them: what the application's cipher says, such as where its keys are, stays here.
    init(field failure: FieldFailure) {
        let code: WireCode =
            failure.isTransient ? .http(.serviceUnavailable) : .liteCore(.crypto)
        let told = "a property of it cannot be encrypted or decrypted here"
        self.init(code, failure.description, telling: told)
    }
}
