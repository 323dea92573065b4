import DivanRevisions
public import DivanStore

extension SyncError {
    /// Creates the error with which a remote refused a document, as recorded.
    public init(_ refusal: Refusal) {
        let domain = Domain(rawValue: refusal.domain) ?? .liteCore
        // What an encryptor reported happened on this side, and says what to do.
        let isOwn = WireCode(domain, refusal.code) == .liteCore(.crypto)
        self.init(domain, refusal.code, refusal.message, isFromPeer: !isOwn, hasRemedy: isOwn)
    }
}

extension Refusal {
    /// Creates a refusal for the store, with the core's numbers.
    init(
        documentID: DocumentID,
        revisionID: RevisionID,
        sequence: UInt64,
        error: SyncError,
        time: Int64
    ) {
        self.init(
            documentID: documentID,
            revisionID: revisionID,
            sequence: sequence,
            domain: error.domain.rawValue,
            code: error.code,
            message: error.message,
            time: time
        )
    }
}
