public import DivanAuth
public import DivanJSON
public import DivanStore
public import DivanTLS

/// What one client may do.
public struct RESTRights: Equatable, Sendable {
    /// The only collections it may use; `nil` means all.
    ///
    /// The others look as if they were not there, also to queries.
    public var collections: [CollectionPath]?
    /// Whether it may only read.
    public var isReadOnly: Bool
    /// Chooses the documents that it may see and store; `nil` means all.
    public var condition: RESTCondition?

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

    /// Whether there is something in a database that the client may not see.
    var isLimited: Bool { collections != nil || condition != nil }

    /// Everything.
    public static let full = RESTRights()
}

/// A client that has shown who it is, as far as it was asked to.
public struct RESTClient: Sendable {
    /// The user's name; `nil` without an authenticator that asks for one.
    public let user: String?
    /// Its certificates, its own first.
    public let certificates: [TLSCertificate]
    /// Its IP address, or that of a proxy in front.
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
    /// How TLS is spoken; `nil` speaks none.
    public var tls: TLSContext?
    /// Lets clients in; the default lets everybody in.
    public var authenticator: any ListenerAuthenticator
    /// What a client may do with a database; `nil` refuses it.
    public var rights: @Sendable (RESTClient, _ database: String) -> RESTRights?
    /// Hears of each request that is refused because of who asks; on any thread, and not for long.
    public var onRefusal: (@Sendable (RESTRefusal) -> Void)?
    /// The web origins whose pages may use this server (CORS); none by default.
    ///
    /// `*` allows every page, without credentials.
    public var origins: [String]
    /// Further names under which a server without TLS that asks nobody who they are may be reached.
    ///
    /// Beside addresses, names without a dot, those of local networks, such as `jukebox.local`, and the machine's
    /// own: anybody else's name may have been made to point here by a page of the web, which could then read
    /// everything from the browser of a user (DNS rebinding).
    public var hostNames: [String] = []
    /// Bounds of time and memory.
    public var limits: RESTLimits

    /// Creates a configuration; by default everybody may do everything, on a free port, without TLS.
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
