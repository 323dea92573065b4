/// The direction of a replication.
public enum ReplicatorType: UInt8, Sendable {
    /// Push and pull; use this instead of two replicators, which would share a checkpoint.
    case pushAndPull = 0
    /// From this database to the peer.
    case push
    /// From the peer to this database.
    case pull
}

/// Properties of a replicated document.
public struct DocumentFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates flags from bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The document was deleted.
    public static let deleted = Self(rawValue: 1)
    /// The user lost access to the document on the server.
    public static let accessRemoved = Self(rawValue: 2)
}

/// Returns whether to replicate a document.
///
/// Called on the replicator's threads, several at a time. It must return quickly and have no side effects. A push
/// filter receives the body that would be sent, and a pull filter the received body, before blobs are downloaded. The
/// body of a tombstone is empty. The document is read-only.
///
/// It is `@Sendable`, because it runs on those threads: captured values must be safe to share, which the compiler
/// checks in Swift 6 mode. Swift 5 source compiles unchanged.
public typealias ReplicationFilter = @Sendable (Document, DocumentFlags) -> Bool
