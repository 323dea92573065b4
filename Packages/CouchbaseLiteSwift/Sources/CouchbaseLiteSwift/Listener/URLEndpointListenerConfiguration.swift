public import DivanTLS
public import Foundation

/// What a listener shares, on which port, and which clients it accepts.
///
/// A `URLEndpointListener` copies it, so later changes do not affect an existing listener.
public struct URLEndpointListenerConfiguration: Sendable {
    /// The collections to share, all from one database.
    public let collections: [Collection]

    /// The port; `nil` or 0 selects a free port at each start.
    public var port: UInt16? = Self.defaultPort

    /// The name or address of the network interface to listen on; `nil` listens on all.
    public var networkInterface: String?

    /// Whether connections are unencrypted.
    public var disableTLS = Self.defaultDisableTls

    /// The TLS identity; with `nil`, a self-signed one is created once and stored.
    public var tlsIdentity: TLSIdentity?

    /// Where the self-signed identity is stored, if ``tlsIdentity`` is `nil`; `nil` means ``TLSIdentity/storeDirectory``.
    ///
    /// Conform to `TLSIdentityStore` of DivanTLS, and test the store with `IdentityStoreContract`. An addition to the
    /// official API.
    public var identities: (any TLSIdentityStore)?

    /// How the running listener is advertised on the network; `nil`, the default, for not at all.
    ///
    /// An addition to the official API.
    public var advertisement: ListenerAdvertisement?

    /// How clients are authenticated; with `nil`, anyone can connect.
    public var authenticator: (any ListenerAuthenticator)?

    /// Whether changed documents are sent as deltas to clients that support them.
    ///
    /// While the listener runs, the database keeps the last three old bodies of each changed document, as differences,
    /// for clients with these revisions.
    public var enableDeltaSync = Self.defaultEnableDeltaSync

    /// Whether clients can only pull.
    public var readOnly = Self.defaultReadOnly

    /// How the listener compresses what it sends, and whether it accepts LZ4 or a custom codec from clients.
    ///
    /// An addition to the official API.
    public var compression = Self.defaultCompression

    /// Decides what each client can access; with `nil`, every client can access everything that is shared.
    ///
    /// Called once for each connection after the authenticator has accepted the client, on the listener's threads,
    /// several at a time. It may take up to 15 seconds, the client's timeout. An addition to the official API.
    public var access: (@Sendable (ListenerClient) -> ListenerAccess)?

    /// Called for each request that the listener refuses, for example to write a log for other tools.
    ///
    /// Called on the listener's threads, several at a time; it must return quickly. An addition to the official API.
    public var onRefusal: (@Sendable (ListenerRefusal) -> Void)?

    /// Receives what happens on connections; `nil`, the default, for no observer.
    @_spi(Status) public var observer: ListenerObserver?

    /// Proxies whose `X-Forwarded-For` header is trusted: addresses such as `127.0.0.1`, and networks such as
    /// `10.0.0.0/8`; none by default.
    ///
    /// Limits per address, delays and logs then apply to the client instead of the proxy. An addition to the official
    /// API.
    public var trustedProxies: [String] = []

    /// Limits on the resources that clients may use.
    ///
    /// An addition to the official API.
    public var limits = ListenerLimits()

    /// Seconds without data before a ping is sent to a client.
    ///
    /// An addition to the official API.
    public var heartbeat = Self.defaultHeartbeat

    /// Five minutes, as for replicators.
    public static let defaultHeartbeat: TimeInterval = 300
    /// Any free port.
    public static let defaultPort: UInt16 = 0
    /// TLS is enabled.
    public static let defaultDisableTls = false
    /// Clients can push.
    public static let defaultReadOnly = false
    /// Deltas are disabled.
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
