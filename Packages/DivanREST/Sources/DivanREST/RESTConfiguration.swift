public import DivanAuth
public import DivanDatabase
public import DivanJSON
public import DivanTLS
public import DivanTransport

/// The access rights of a client.
public struct RESTRights: Equatable, Sendable {
    /// The collections that the client can access; `nil` means all.
    ///
    /// Other collections appear not to exist, also in queries.
    public var collections: [CollectionPath]?
    /// Whether access is read-only.
    public var isReadOnly: Bool
    /// Selects the documents that the client can read and write; `nil` means all.
    public var condition: RESTCondition?
    /// The queries that the client can run; all by default.
    public var queries = RESTQueryRights.all
    /// Distinguishes equal rights, such as before and after a password change: connections with another edition are
    /// closed (`RESTServer.dropOutdated`).
    public var edition: UInt64 = 0

    /// Creates rights; full access by default.
    public init(
        collections: [CollectionPath]? = nil,
        isReadOnly: Bool = false,
        condition: RESTCondition? = nil
    ) {
        self.collections = collections
        self.isReadOnly = isReadOnly
        self.condition = condition
    }

    /// Whether a database may contain anything that the client may not see.
    var isLimited: Bool { collections != nil || condition != nil }

    /// Full access.
    public static let full = RESTRights()
}

/// An authenticated client.
public struct RESTClient: Sendable {
    /// The user name; `nil` if the authenticator does not require one.
    public let user: String?
    /// The client's certificate chain, its own first.
    public let certificates: [TLSCertificate]
    /// The client's IP address, or the address of a proxy in front of the server.
    public let address: String
    /// The bearer token in the request, which an authenticator that checks tokens has accepted; a secret.
    public let token: String?

    /// Creates a client.
    public init(
        user: String?,
        certificates: [TLSCertificate] = [],
        address: String,
        token: String? = nil
    ) {
        self.token = token
        self.user = user
        self.certificates = certificates
        self.address = address
    }
}

/// The databases, port and clients of a REST server.
public struct RESTConfiguration: Sendable {
    /// The databases by their names in paths.
    public var databases: [ExactText: Store]
    /// The name or address of the network interface to listen on; `nil` means all.
    public var networkInterface: String?
    /// The TCP port; 0 selects a free one.
    public var port: UInt16
    /// The TLS settings; `nil` means no TLS.
    public var tls: TLSContext?
    /// Authenticates clients; by default, anyone can connect.
    public var authenticator: any ListenerAuthenticator
    /// Returns the rights of a client for a database; `nil` means no access.
    public var rights: @Sendable (RESTClient, _ database: String) -> RESTRights?
    /// Called for each request that fails authentication, on any thread; it must return quickly.
    public var onRefusal: (@Sendable (RESTRefusal) -> Void)?
    /// Called for each request of an authenticated client before its answer is sent, on any thread; it must return
    /// quickly.
    public var onAnswer: (@Sendable (RESTAnswer) -> Void)?
    /// The web origins whose pages may use this server (CORS); none by default.
    ///
    /// `*` allows all origins, without credentials.
    public var origins: [String]
    /// Allowed host names, in addition to `localhost` and this machine's names and addresses; others get 421.
    ///
    /// If the list is empty, the name is only checked without TLS and authentication, to prevent DNS rebinding: a web
    /// page could make another name resolve to this machine, and then read all data through a user's browser.
    public var hostNames: [String] = []
    /// The proxies whose `X-Forwarded-For` header is trusted; none by default.
    public var trustedProxies = TrustedProxies()
    /// The named queries of each database, by the names in paths.
    public var namedQueries: [ExactText: [ExactText: RESTNamedQuery]] = [:]
    /// Limits for time and memory.
    public var limits: RESTLimits

    /// Creates a configuration; by default, anyone has full access, on a free port, without TLS.
    public init(
        databases: [ExactText: Store],
        networkInterface: String? = nil,
        port: UInt16 = 0,
        tls: TLSContext? = nil,
        authenticator: any ListenerAuthenticator = OpenListenerAuthenticator(),
        rights: @escaping @Sendable (RESTClient, String) -> RESTRights? = { _, _ in .full },
        origins: [String] = [],
        limits: RESTLimits = RESTLimits()
    ) {
        self.databases = databases
        self.networkInterface = networkInterface
        self.port = port
        self.tls = tls
        self.authenticator = authenticator
        self.rights = rights
        self.origins = origins
        self.limits = limits
    }
}
