/// Which way documents travel.
public enum ReplicatorType: UInt8, Sendable {
    /// Both ways; prefer it over two replicators, which would share one checkpoint.
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
/// Called on the replication's own threads, several at a time: be pure and quick. A push filter
/// sees the body that would be sent; a pull filter sees the body that came, with no blob fetched
/// yet. The body of a tombstone is empty. The document cannot be edited.
///
/// `@Sendable`, as it runs on those threads and not where it was written: what it captures must bear
/// that, and the compiler says so in Swift 6 mode. Swift 5 source compiles as it is.
public typealias ReplicationFilter = @Sendable (Document, DocumentFlags) -> Bool
