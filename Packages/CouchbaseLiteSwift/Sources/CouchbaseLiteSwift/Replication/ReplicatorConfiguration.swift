public import Foundation

/// What a replicator syncs, with which peer, and how.
///
/// A `Replicator` copies it, so later changes do not affect an existing replicator.
public struct ReplicatorConfiguration: Sendable {
    /// The peer.
    public let target: any Endpoint

    /// The direction of a replication.
    public var replicatorType: ReplicatorType = Self.defaultType

    /// Whether the replicator stays connected and syncs later changes, or stops when both sides are in sync.
    public var continuous: Bool = Self.defaultContinuous

    /// How this side authenticates; `nil` sends no credentials.
    public var authenticator: (any Authenticator)?

    /// Whether only self-signed server certificates are trusted.
    ///
    /// For peers with anonymous identities, and for tests: the connection is encrypted, but the server is not
    /// authenticated.
    public var acceptOnlySelfSignedServerCertificate = Self.defaultSelfSignedCertificateOnly

    /// The server's certificate, or one in its chain that signed it; no other checks are made then.
    ///
    /// A self-signed certificate may be renewed with the same key: the pin accepts the new one.
    public var pinnedServerCertificate: SecCertificate?

    /// Root certificates, in PEM or DER, that replace the system's; `nil` uses the system's.
    public var trustedRootCertificates: Data?

    /// Headers to add to the handshake request; can replace `User-Agent`.
    public var headers: [String: String]?

    /// The name or address of the network interface to use; `nil` lets the system choose.
    public var networkInterface: String?

    /// The HTTP proxy for a `URLEndpoint`; `nil` connects directly.
    public var proxy: ProxySettings?

    /// Whether to accept cookies that a server sets for a parent domain.
    public var acceptParentDomainCookie = Self.defaultAcceptParentCookies

    /// Accepted for source compatibility; has no effect on Linux.
    public var allowReplicatingInBackground = Self.defaultAllowReplicatingInBackground

    /// Whether to purge local documents that the user can no longer access.
    public var enableAutoPurge = Self.defaultEnableAutoPurge

    /// How this side compresses sent data.
    ///
    /// With `.lz4`, an additional WebSocket subprotocol is offered after the standard ones. Divan listeners accept it,
    /// and other servers choose a standard one. `.codec(_:)` accepts a custom codec. An addition to the official API.
    public var compression = Self.defaultCompression

    /// Whether to resume the TLS session of the previous connection, which saves a round trip and computation.
    ///
    /// Sessions are only shared by connections of the same `Replicator`, kept in memory, and used once. An addition to
    /// the official API.
    public var resumesTLSSessions = true

    /// Which blobs a pull downloads with their documents; download others with ``Blob/fetch(from:progress:)``.
    ///
    /// An addition to the official API, which downloads all blobs.
    public var blobs = BlobReplication.eager

    /// Encrypts the ``Encryptable`` values in pushed documents.
    ///
    /// Without an encryptor, documents with such values are not pushed (``CBLError/crypto``).
    public var documentPropertyEncryptor: DocumentPropertyEncryptor?

    /// Decrypts encrypted properties in pulled documents; without a decryptor, they stay encrypted.
    public var documentPropertyDecryptor: DocumentPropertyDecryptor?

    private var chosenAttemptCount: UInt?
    private var entries: [CollectionConfiguration] = []

    /// Creates a configuration for collections of one database.
    ///
    /// If a collection is deleted, or its database closed, the replicator stops with `notOpen`.
    ///
    /// - Precondition: `collections` is not empty, and all belong to the same `Database` object.
    public init(collections: [CollectionConfiguration], target: any Endpoint) {
        precondition(!collections.isEmpty, "ReplicatorConfiguration: no collections; pass one")
        self.target = target
        for configuration in collections {
            guard let collection = configuration.collection else {
                stopForMisuse(
                    "ReplicatorConfiguration: a CollectionConfiguration has no collection; "
                        + "use CollectionConfiguration(collection:)"
                )
            }
            enter(collection, configuration)
        }
    }

    /// Creates a configuration without collections; add them with ``addCollection(_:config:)``.
    @available(*, deprecated, message: "Use init(collections:target:)")
    public init(target: any Endpoint) {
        self.target = target
    }

    /// Creates a configuration for the default collection of `database`.
    ///
    /// - Precondition: The database is open.
    @available(*, deprecated, message: "Use init(collections:target:)")
    public init(database: Database, target: any Endpoint) {
        self.target = target
        guard let collection = try? database.defaultCollection() else {
            stopForMisuse("ReplicatorConfiguration: the database is closed; open it first")
        }
        add(collection, CollectionConfiguration(collection: collection))
    }

    /// Creates a copy.
    public init(config: ReplicatorConfiguration) {
        self = config
    }

    /// Seconds without data before a ping is sent; 0 means the default.
    ///
    /// A busy connection sends no pings. The minimum is one second.
    ///
    /// - Precondition: Not negative; otherwise, the program stops.
    public var heartbeat: TimeInterval = Self.defaultHeartbeat {
        willSet {
            precondition(
                newValue >= 0,
                "ReplicatorConfiguration.heartbeat is negative; use 0 or more"
            )
        }
    }

    /// Maximum number of connection attempts, including the first; 0 means the default for the mode, 1 means no retry.
    ///
    /// Counting restarts when a connection has transferred a document or both sides are in sync. An attempt that
    /// connects without either counts as failed.
    public var maxAttempts: UInt {
        get { chosenAttemptCount ?? defaultMaxAttempts }
        set { chosenAttemptCount = newValue }
    }

    /// Maximum wait between two attempts, in seconds; 0 means the default.
    ///
    /// The waits are 2, 4, 8 … seconds, or longer if a server requests it (`Retry-After`), but never longer than this.
    ///
    /// - Precondition: Not negative; otherwise, the program stops.
    public var maxAttemptWaitTime: TimeInterval = Self.defaultMaxAttemptsWaitTime {
        willSet {
            precondition(
                newValue >= 0,
                "ReplicatorConfiguration.maxAttemptWaitTime is negative; use 0 or more"
            )
        }
    }
}

// MARK: - Effective values: zero means the default, and is read back as zero

extension ReplicatorConfiguration {
    private var defaultMaxAttempts: UInt {
        continuous ? Self.defaultMaxAttemptsContinuous : Self.defaultMaxAttemptsSingleShot
    }

    var heartbeatInForce: TimeInterval { heartbeat > 0 ? heartbeat : Self.defaultHeartbeat }

    var maxAttemptsInForce: UInt { maxAttempts > 0 ? maxAttempts : defaultMaxAttempts }

    var maxAttemptWaitTimeInForce: TimeInterval {
        maxAttemptWaitTime > 0 ? maxAttemptWaitTime : Self.defaultMaxAttemptsWaitTime
    }
}

// MARK: - Collections

extension ReplicatorConfiguration {
    /// The collections, in the order in which they were added.
    public var collections: [Collection] { entries.compactMap(\.collection) }

    /// The configuration of each collection, in the order in which they were added.
    public var collectionConfigs: [CollectionConfiguration] { entries }

    /// The database of the collections.
    ///
    /// - Precondition: There is at least one collection.
    @available(*, deprecated, message: "Use collections")
    public var database: Database { requiredDatabase }

    /// Adds a collection, or replaces its configuration if it was added before.
    ///
    /// - Precondition: The collection exists, and belongs to the same database as the others.
    @discardableResult
    public mutating func addCollection(
        _ collection: Collection,
        config: CollectionConfiguration? = nil
    ) -> ReplicatorConfiguration {
        add(collection, config ?? CollectionConfiguration(collection: collection))
        return self
    }

    /// Adds several collections with one configuration.
    ///
    /// - Precondition: `collections` is not empty; each exists, and all belong to one database.
    @discardableResult
    public mutating func addCollections(
        _ collections: [Collection],
        config: CollectionConfiguration? = nil
    ) -> ReplicatorConfiguration {
        precondition(!collections.isEmpty, "ReplicatorConfiguration: no collections; pass one")
        for collection in collections { addCollection(collection, config: config) }
        return self
    }

    /// Removes a collection; ignored if it was not added.
    @discardableResult
    public mutating func removeCollection(_ collection: Collection) -> ReplicatorConfiguration {
        entries.removeAll { $0.isOf(collection) }
        return self
    }

    /// Returns the configuration of `collection`; `nil` if it was not added.
    public func collectionConfig(_ collection: Collection) -> CollectionConfiguration? {
        entries.first { $0.isOf(collection) }
    }

    var requiredDatabase: Database {
        guard let database = entries.first?.collection?.database else {
            stopForMisuse("ReplicatorConfiguration: no collections; add one")
        }
        return database
    }

    private mutating func add(_ collection: Collection, _ configuration: CollectionConfiguration) {
        precondition(
            collection.isValid,
            "Collection \(collection.fullName) is deleted or its database is closed; open it again"
        )
        enter(collection, configuration)
    }

    /// Adds a collection, valid or not: the replicator's start checks that.
    mutating func enter(
        _ collection: Collection,
        _ configuration: CollectionConfiguration
    ) {
        precondition(
            entries.allSatisfy { $0.collection?.database === collection.database },
            "Collection \(collection.fullName) belongs to another Database object; "
                + "use one Database object for all collections of a replicator"
        )
        var entry = configuration
        entry.collection = collection
        if let index = entries.firstIndex(where: { $0.isOf(collection) }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }
}

// MARK: - The default collection's settings, as before collections existed

extension ReplicatorConfiguration {
    /// Channels of the default collection.
    @available(*, deprecated, message: "Use CollectionConfiguration")
    public var channels: [String]? {
        get { defaultEntry?.channels }
        set { updateDefaultEntry { $0.channels = newValue } }
    }

    /// Documents of the default collection to replicate.
    @available(*, deprecated, message: "Use CollectionConfiguration")
    public var documentIDs: [String]? {
        get { defaultEntry?.documentIDs }
        set { updateDefaultEntry { $0.documentIDs = newValue } }
    }

    /// Push filter of the default collection.
    @available(*, deprecated, message: "Use CollectionConfiguration")
    @preconcurrency public var pushFilter: ReplicationFilter? {
        get { defaultEntry?.pushFilter }
        set { updateDefaultEntry { $0.pushFilter = newValue } }
    }

    /// Pull filter of the default collection.
    @available(*, deprecated, message: "Use CollectionConfiguration")
    @preconcurrency public var pullFilter: ReplicationFilter? {
        get { defaultEntry?.pullFilter }
        set { updateDefaultEntry { $0.pullFilter = newValue } }
    }

    /// Conflict resolver of the default collection.
    @available(*, deprecated, message: "Use CollectionConfiguration")
    public var conflictResolver: (any ConflictResolverProtocol)? {
        get { defaultEntry?.conflictResolver }
        set { updateDefaultEntry { $0.conflictResolver = newValue } }
    }

    private var defaultIndex: Int? {
        entries.firstIndex { $0.collection?.isDefault == true }
    }

    private var defaultEntry: CollectionConfiguration? { defaultIndex.map { entries[$0] } }

    private mutating func updateDefaultEntry(_ change: (inout CollectionConfiguration) -> Void) {
        guard let index = defaultIndex else {
            stopForMisuse(
                "ReplicatorConfiguration: the default collection was not added; "
                    + "set this on a CollectionConfiguration"
            )
        }
        change(&entries[index])
    }
}

// MARK: - Defaults

extension ReplicatorConfiguration {
    /// Push and pull.
    public static let defaultType = ReplicatorType.pushAndPull
    /// One-shot.
    public static let defaultContinuous = false
    /// Certificates are verified against the root certificates.
    public static let defaultSelfSignedCertificateOnly = false
    /// Cookies for a parent domain are rejected.
    public static let defaultAcceptParentCookies = false
    /// Has no effect on Linux.
    public static let defaultAllowReplicatingInBackground = false
    /// 300 seconds.
    public static let defaultHeartbeat: TimeInterval = 300
    /// Ten attempts: the first and nine retries.
    public static let defaultMaxAttemptsSingleShot: UInt = 10
    /// Unlimited.
    public static let defaultMaxAttemptsContinuous = UInt.max
    /// 300 seconds.
    public static let defaultMaxAttemptsWaitTime: TimeInterval = 300
    /// The older spelling of ``defaultMaxAttemptsWaitTime``.
    public static let defaultMaxAttemptWaitTime: TimeInterval = 300
    /// Documents that the user can no longer access are purged.
    public static let defaultEnableAutoPurge = true
    /// See ``ReplicationCompression/automatic``.
    public static let defaultCompression = ReplicationCompression.automatic
}

extension Duration {
    /// Converts an application's seconds to a duration that can be added to any other.
    ///
    /// Clamped to 0 to 100 years; not-a-number becomes 0.
    static func bounded(seconds: TimeInterval) -> Duration {
        .seconds(seconds > 0 ? min(seconds, 3_155_760_000) : 0)
    }
}
