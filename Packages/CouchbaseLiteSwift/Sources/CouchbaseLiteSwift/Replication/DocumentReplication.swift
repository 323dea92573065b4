/// A change of a replicator's status.
public struct ReplicatorChange: Sendable {
    /// The replicator.
    public let replicator: Replicator
    /// Its status after the change.
    public let status: Replicator.Status
}

/// Documents that a replicator sent or received, or failed to send or receive.
public struct DocumentReplication: Sendable {
    /// The replicator.
    public let replicator: Replicator
    /// Whether the documents were pushed; if false, they were pulled.
    public let isPush: Bool
    /// The documents, in order of completion.
    public let documents: [ReplicatedDocument]
}

/// The outcome of one document in a replication.
public struct ReplicatedDocument: Sendable {
    /// The document's ID.
    public let id: String
    /// Whether it was deleted, or access was removed.
    public let flags: DocumentFlags
    /// Why it was not replicated; `nil` if it was replicated.
    public let error: (any Error)?
    /// The name of its scope.
    public let scope: String
    /// The name of its collection.
    public let collection: String
}
