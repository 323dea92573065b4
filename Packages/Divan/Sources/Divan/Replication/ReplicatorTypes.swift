/// Which way documents travel.
public enum ReplicatorType: UInt8, Sendable {
    /// Both ways; prefer this to two replicators, which would share one checkpoint.
    case pushAndPull = 0
    /// From this database to the peer.
    case push
    /// From the peer to this database.
    case pull
}

/// What is special about a replicated document.
public struct DocumentFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates flags from bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The document was deleted.
    public static let deleted = Self(rawValue: 1)
    /// The user lost access to the document at the server.
    public static let accessRemoved = Self(rawValue: 2)
}

/// Says whether a document takes part in a replication.
///
/// Called on the replication's own threads, several at a time: it must be pure and quick. A push filter sees the body
/// that would be sent; a pull filter sees the received body, before any blob is fetched. The body of a tombstone is
/// empty. The document cannot be edited.
///
/// `@Sendable`, because it runs on those threads: whatever it captures must allow that, which the compiler checks in
/// Swift 6 mode. Swift 5 source compiles unchanged.
public typealias ReplicationFilter = @Sendable (Document, DocumentFlags) -> Bool
