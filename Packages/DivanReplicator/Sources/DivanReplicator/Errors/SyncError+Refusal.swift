import DivanRevisions
public import DivanStore

extension SyncError {
    /// Why a remote refused a document, as it was remembered.
    public init(_ refusal: Refusal) {
        let domain = Domain(rawValue: refusal.domain) ?? .liteCore
        self.init(domain, refusal.code, refusal.message, isFromPeer: true)
    }
}

extension Refusal {
    /// A refusal for the store, in the numbers of the core.
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
