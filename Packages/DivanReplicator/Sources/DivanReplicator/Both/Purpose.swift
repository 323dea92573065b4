import DivanRevisions

/// Why a request was sent.
enum Purpose {
    // An active peer's.
    case collections
    case checkpoint(collection: Int, isForSave: Bool)
    case saveCheckpoint(collection: Int)
    case subscription(collection: Int)
    case proposals(collection: Int, [DocumentID])
    // A passive peer's.
    case announcement(collection: Int, [FeedChange])
    // Either's.
    case revision(collection: Int, OutgoingRevision)
    case blob(BlobFetcher.Ticket)

    /// Whether the request said which collection it is about, outside legacy mode.
    var namesCollection: Bool {
        if case .collections = self { false } else { true }
    }
}
