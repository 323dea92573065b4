public import Foundation

/// What a listener shares, where it listens, and whom it accepts.
///
/// A `URLEndpointListener` copies it, so later edits have no effect on an existing listener.
public struct URLEndpointListenerConfiguration: Sendable {
    /// The collections that clients may replicate, all from one database.
    public let collections: [Collection]

    /// The port; `nil` or 0 picks a free one at each start.
    public var port: UInt16? = Self.defaultPort

    /// Name or address of the only network interface to listen on; `nil` listens on all.
    public var networkInterface: String?

    /// Whether connections are unencrypted.
    public var disableTLS = Self.defaultDisableTls

    /// The identity that the listener presents; `nil` creates a self-signed one once and keeps it.
    public var tlsIdentity: TLSIdentity?

    /// How clients are authenticated; `nil` accepts everyone.
    public var authenticator: (any ListenerAuthenticator)?

    /// Whether changed documents are sent as deltas to clients that support them.
    ///
    /// While such a listener runs, the database keeps the last three old bodies of each changed document, stored as
    /// differences, for clients that have one of those revisions.
    public var enableDeltaSync = Self.defaultEnableDeltaSync

    /// Whether clients may only pull.
    public var readOnly = Self.defaultReadOnly

    /// How the listener compresses what it sends, and whether it accepts LZ4 from clients.
    ///
    /// An addition to the official API.
    public var compression = Self.defaultCompression

    /// Decides what each client may do; `nil` gives every client access to everything shared.
    ///
    /// Called once for each connection, after the authenticator has accepted the client, on the listener's own threads
    /// and for several clients at a time; it may take its time, up to the client's timeout of 15 seconds. An addition
    /// to the official API.
    public var access: (@Sendable (ListenerClient) -> ListenerAccess)?

    /// Called for each request that the listener refuses, for a log that other tools watch.
    ///
    /// Called on the listener's own threads, for several clients at a time; it must be quick. An addition to the
    /// official API.
    public var onRefusal: (@Sendable (ListenerRefusal) -> Void)?

    /// The proxies that are trusted to name the client for which they make a request, in `X-Forwarded-For`: addresses
    /// such as `127.0.0.1`, and networks such as `10.0.0.0/8`; none by default.
    ///
    /// Limits per address, delays and logs then concern the client instead of the proxy. An addition to the official
    /// API.
    public var trustedProxies: [String] = []

    /// Limits on the resources that clients may use.
    ///
    /// An addition to the official API.
    public var limits = ListenerLimits()

    /// Seconds of silence before a client is tested with a ping.
    ///
    /// An addition to the official API.
    public var heartbeat = Self.defaultHeartbeat

    /// Five minutes, as for replicators.
    public static let defaultHeartbeat: TimeInterval = 300
    /// Any free port.
    public static let defaultPort: UInt16 = 0
    /// TLS is on.
    public static let defaultDisableTls = false
    /// Clients may push.
    public static let defaultReadOnly = false
    /// Whole documents are sent.
    public static let defaultEnableDeltaSync = false
    /// See ``ReplicationCompression/automatic``.
    public static let defaultCompression = ReplicationCompression.automatic

    /// Creates a configuration.
    ///
    /// - Precondition: `collections` is not empty, and all belong to the same `Database` object.
    public init(collections: [Collection]) {
        guard let first = collections.first else {
            stopForMisuse("URLEndpointListenerConfiguration: no collections; pass one")
        }
        guard collections.allSatisfy({ $0.database === first.database }) else {
            stopForMisuse(
                "URLEndpointListenerConfiguration: collections of several Database objects; "
                    + "use one Database object for all collections of a listener"
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
