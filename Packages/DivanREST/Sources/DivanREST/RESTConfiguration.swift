public import DivanAuth
public import DivanJSON
public import DivanStore
public import DivanTLS
public import DivanTransport

/// What one client may do.
public struct RESTRights: Equatable, Sendable {
    /// The only collections it may use; `nil` means all.
    ///
    /// The others appear not to exist, even to queries.
    public var collections: [CollectionPath]?
    /// Whether access is read-only.
    public var isReadOnly: Bool
    /// Selects the documents that it may see and store; `nil` means all.
    public var condition: RESTCondition?
    /// Distinguishes rights that allow the same, such as those before and after a change of the password: connections
    /// with another edition are closed (`RESTServer.dropOutdated`).
    public var edition: UInt64 = 0

    /// Creates rights; the default is everything.
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

/// A client, authenticated as far as required.
public struct RESTClient: Sendable {
    /// The user's name; `nil` if no authenticator requires one.
    public let user: String?
    /// The client's certificate chain, its own first.
    public let certificates: [TLSCertificate]
    /// The client's IP address, or that of a proxy in front.
    public let address: String

    /// Creates a client.
    public init(user: String?, certificates: [TLSCertificate] = [], address: String) {
        self.user = user
        self.certificates = certificates
        self.address = address
    }
}

/// What a REST server serves, where, and to whom.
public struct RESTConfiguration: Sendable {
    /// The databases by their names in paths.
    public var databases: [ExactText: Store]
    /// Name or address of the only network interface to listen on; `nil` means all.
    public var networkInterface: String?
    /// The TCP port; 0 takes a free one.
    public var port: UInt16
    /// The TLS settings; `nil` means no TLS.
    public var tls: TLSContext?
    /// Authenticates clients; by default everybody is admitted.
    public var authenticator: any ListenerAuthenticator
    /// What a client may do with a database; `nil` refuses it.
    public var rights: @Sendable (RESTClient, _ database: String) -> RESTRights?
    /// Called for each request that fails authentication; on any thread, and must return quickly.
    public var onRefusal: (@Sendable (RESTRefusal) -> Void)?
    /// The web origins whose pages may use this server (CORS); none by default.
    ///
    /// `*` allows every page, without credentials.
    public var origins: [String]
    /// The names under which clients may address the server, besides `localhost` and this machine's own names and
    /// addresses; any other is answered with 421.
    ///
    /// If the list is empty, only a server without TLS and authentication checks the name: a web page could make another
    /// name point here, and then read everything from a user's browser (DNS rebinding).
    public var hostNames: [String] = []
    /// The proxies whose `X-Forwarded-For` tells the client's address; none by default.
    public var trustedProxies = TrustedProxies()
    /// Limits for time and memory.
    public var limits: RESTLimits

    /// Creates a configuration; by default everybody has full access, on a free port, without TLS.
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
