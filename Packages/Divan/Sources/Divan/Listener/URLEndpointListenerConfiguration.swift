public import Foundation

/// What a listener shares, where it listens, and whom it lets in.
///
/// A `URLEndpointListener` copies it, so later edits have no effect on a listener that exists.
public struct URLEndpointListenerConfiguration: Sendable {
    /// The collections that clients may replicate; all of one database.
    public let collections: [Collection]

    /// The port; `nil` or 0 picks a free one at each start.
    public var port: UInt16? = Self.defaultPort

    /// Name or address of the only interface to listen on; `nil` listens on all.
    public var networkInterface: String?

    /// Whether connections go unencrypted.
    public var disableTLS = Self.defaultDisableTls

    /// What the listener proves itself with; `nil` makes a self-signed identity once and keeps it.
    public var tlsIdentity: TLSIdentity?

    /// How clients prove who they are; `nil` lets everyone in.
    public var authenticator: (any ListenerAuthenticator)?

    /// Whether changed documents travel as differences, where the client understands that.
    ///
    /// While such a listener runs, the database keeps the last three old bodies of each document
    /// that is changed, as what they differ in, for clients that have one of those.
    public var enableDeltaSync = Self.defaultEnableDeltaSync

    /// Whether clients may only pull.
    public var readOnly = Self.defaultReadOnly

    /// How what the listener sends is made smaller, and whether it takes LZ4 from clients.
    ///
    /// An addition to the official API.
    public var compression = Self.defaultCompression

    /// Decides what each client may do; `nil` gives all of them everything that is shared.
    ///
    /// Asked once for each connection, when the authenticator has let the client in, on threads of
    /// the listener's own and about several clients at a time; it may take its time, up to the
    /// client's patience of 15 seconds. An addition to the official API.
    public var access: (@Sendable (ListenerClient) -> ListenerAccess)?

    /// Told of each request that the listener refuses, for a log that others watch.
    ///
    /// Called on threads of the listener's own, about several clients at a time; be quick. An
    /// addition to the official API.
    public var onRefusal: (@Sendable (ListenerRefusal) -> Void)?

    /// What clients may make the listener hold or do.
    ///
    /// An addition to the official API.
    public var limits = ListenerLimits()

    /// Seconds of silence after which a client is tested with a ping.
    ///
    /// An addition to the official API.
    public var heartbeat = Self.defaultHeartbeat

    /// Five minutes, as replicators have it.
    public static let defaultHeartbeat: TimeInterval = 300
    /// Any free port.
    public static let defaultPort: UInt16 = 0
    /// TLS is on.
    public static let defaultDisableTls = false
    /// Clients may push.
    public static let defaultReadOnly = false
    /// Whole documents travel.
    public static let defaultEnableDeltaSync = false
    /// Nothing inside this machine, deflate elsewhere, LZ4 for clients that offer it.
    public static let defaultCompression = ReplicationCompression.automatic

    /// Creates a configuration.
    ///
    /// - Precondition: `collections` is not empty, and all belong to one database object.
    public init(collections: [Collection]) {
        guard let first = collections.first else {
            stopForMisuse("URLEndpointListenerConfiguration: no collections; pass one")
        }
        guard collections.allSatisfy({ $0.database === first.database }) else {
            stopForMisuse(
                "URLEndpointListenerConfiguration: collections of several Database objects; "
                    + "use one object for all collections of a listener"
            )
        }
        self.collections = collections
    }

    /// Creates a configuration for the default collection of `database`.
    ///
    /// - Precondition: The database is open.
    @available(*, deprecated, message: "Use init(collections:)")
    public init(database: Database) {
        guard let collection = try? database.defaultCollection() else {
            stopForMisuse("URLEndpointListenerConfiguration: the database is closed; open it first")
        }
        self.init(collections: [collection])
    }

    /// Creates a copy.
    public init(config: URLEndpointListenerConfiguration) {
        self = config
    }

    /// The database of the collections.
    @available(*, deprecated, message: "Use collections")
    public var database: Database { home }

    var home: Database {
        guard let first = collections.first else {
            stopForMisuse("URLEndpointListenerConfiguration: no collections")
        }
        return first.database
    }
}
