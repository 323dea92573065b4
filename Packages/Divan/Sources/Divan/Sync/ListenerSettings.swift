@_spi(Modern) internal import CouchbaseLiteSwift
public import Foundation

extension Listener {
    /// The less common settings of a listener.
    public struct Options: Sendable {
        /// Whether connections are encrypted; without, anyone on the network can read and change the documents.
        public var usesTLS = true
        /// Where the identity is stored that is created if none is given.
        public var identityStorage = Identity.Storage.user
        /// The name under which the listener is advertised, 1 to 63 bytes; `nil` does not advertise it.
        public var advertisedName: String?
        /// How the listener is advertised.
        public var discovery = Discovery.network
        /// Further attributes of the advertisement, which anyone can read.
        public var advertisedAttributes: [String: String] = [:]
        /// The name or address of the network interface to listen on; `nil` listens on all.
        public var networkInterface: String?
        /// How the listener compresses what it sends.
        public var compression = Sync.Compression.automatic
        /// Whether changed documents are sent as differences to clients that support them; the database keeps the last
        /// three old bodies of each changed document for this.
        public var sendsDeltas = false
        /// How long there may be no data before a ping is sent to a client.
        public var heartbeat = Duration.seconds(300)
        /// Proxies whose `X-Forwarded-For` header is trusted, such as `127.0.0.1` or `10.0.0.0/8`.
        public var trustedProxies: [String] = []
        /// Open connections; for a further client, the one that was idle the longest is closed.
        public var maxConnections = 1_000
        /// Open connections from one address, except this machine's.
        public var maxConnectionsPerAddress = 250
        /// Users that are checked at the same time; further clients wait.
        public var maxConcurrentChecks = 16
        /// Called for each request that is refused, such as for a log; it must return quickly.
        public var onRefusal: (@Sendable (Refusal) -> Void)?

        /// The standard settings, except those that are given; the others are set afterwards.
        ///
        /// `Listener.Options(usesTLS: false, networkInterface: "127.0.0.1")` is for tests.
        public init(
            usesTLS: Bool = true,
            networkInterface: String? = nil,
            advertisedName: String? = nil
        ) {
            self.usesTLS = usesTLS
            self.networkInterface = networkInterface
            self.advertisedName = advertisedName
        }
    }

    /// A request that a listener refused.
    public struct Refusal: Sendable {
        /// The HTTP status: 400 not a sync request, 401 wrong or missing credentials, 403 not allowed, 404 database not
        /// found, 429 too many attempts from the address, 503 too many connections.
        public let status: Int
        /// The client's IP address, or the address of a proxy.
        public let address: String
        /// Why, in the listener's own words.
        public let explanation: String
        /// The user name in the request, unverified.
        public let claimedUser: String?
        /// Whether the request contained credentials; clients usually send their first request without.
        public let hadCredentials: Bool
        /// When it was refused.
        public let date: Date

        init(_ refusal: ListenerRefusal) {
            status = refusal.status
            address = refusal.address
            explanation = refusal.explanation
            claimedUser = refusal.claimedUser
            hadCredentials = refusal.showedCredentials
            date = refusal.date
        }
    }
}

/// What a listener was started with.
struct ListenerSettings: Sendable {
    let database: Database
    let collections: [DocumentCollection]?
    let port: UInt16?
    let users: Listener.Users
    let identity: Identity?
    let isReadOnly: Bool
    let access: (@Sendable (Listener.Client) async -> Listener.Access)?
    let options: Listener.Options

    /// For errors.
    var place: String { "listener of \(database.name)" }

    func currentCollections() throws -> [DocumentCollection] {
        let chosen = try collections ?? database.collections
        try database.requireOwn(chosen, place: place)
        return chosen
    }

    /// The configuration of the engine.
    func configuration(
        of collections: [DocumentCollection],
        port: UInt16,
        bridge: CallbackBridge
    ) throws -> URLEndpointListenerConfiguration {
        var configuration = URLEndpointListenerConfiguration(
            collections: collections.map(\.official)
        )
        configuration.port = port
        configuration.networkInterface = options.networkInterface
        configuration.disableTLS = !options.usesTLS
        configuration.tlsIdentity = identity.map { TLSIdentity($0.credential) }
        configuration.identities =
            database.url == nil
            ? Identity.Storage.memory().store : options.identityStorage.store
        configuration.readOnly = isReadOnly
        configuration.enableDeltaSync = options.sendsDeltas
        configuration.compression = options.compression.official
        configuration.heartbeat = options.heartbeat.bounded
        configuration.trustedProxies = options.trustedProxies
        configuration.limits.connectionCount = max(1, options.maxConnections)
        configuration.limits.addressConnectionCount = max(1, options.maxConnectionsPerAddress)
        configuration.limits.checkingCount = max(1, options.maxConcurrentChecks)
        if let onRefusal = options.onRefusal {
            configuration.onRefusal = { onRefusal(Listener.Refusal($0)) }
        }
        try advertise(&configuration)
        setUsers(&configuration, bridge)
        return configuration
    }

    private func advertise(_ configuration: inout URLEndpointListenerConfiguration) throws {
        guard let name = options.advertisedName else { return }
        guard let source = options.discovery.source else { throw Discovery.missing }
        var advertisement = ListenerAdvertisement(name: name, through: source)
        advertisement.attributes = options.advertisedAttributes
        configuration.advertisement = advertisement
    }

    private func setUsers(
        _ configuration: inout URLEndpointListenerConfiguration,
        _ bridge: CallbackBridge
    ) {
        var isAccepted: (@Sendable ([Certificate]) async -> Bool)?
        switch users.check {
        case .official(let make): configuration.authenticator = make(bridge)
        case .certificates(let check):
            // TLS requires some certificate; the closure decides afterwards, where it may take its time.
            configuration.authenticator = ListenerCertificateAuthenticator { _ in true }
            isAccepted = check
        }
        guard access != nil || isAccepted != nil else { return }
        configuration.access = { [access, isAccepted] client in
            let client = Listener.Client(client)
            let late = Listener.Access.refused("the listener could not decide in time")
            let granted = bridge.answer(late) {
                if let isAccepted {
                    let now = Date()
                    guard let own = client.certificates.first, own.validFrom <= now,
                        now <= own.validUntil, await isAccepted(client.certificates)
                    else { return .refused("your certificate is not accepted") }
                }
                return await access?(client) ?? .full
            }
            return granted.official(bridge)
        }
    }
}

extension Listener.Access {
    /// The rights as the engine expects them.
    fileprivate func official(_ bridge: CallbackBridge) -> ListenerAccess {
        if let refusal { return .refused(refusal) }
        do {
            var access = ListenerAccess()
            access.collections = collections?.map(\.official)
            access.readOnly = isReadOnly
            if let condition {
                try access.limit(
                    where: condition.text,
                    parameters: Parameters(condition.parameters.mapValues(\.json))
                )
            }
            if let reads { access.readFilter = try reads.official(bridge) }
            if let writes { access.writeFilter = try writes.official(bridge) }
            access.isCurrent = isCurrent
            return access
        } catch {
            let error = DivanError(error, place: "listener, access")
            CouchbaseLiteSwift.Log.log(domain: .listener, level: .error, message: "\(error)")
            return .refused("the listener's rules are invalid")
        }
    }
}
