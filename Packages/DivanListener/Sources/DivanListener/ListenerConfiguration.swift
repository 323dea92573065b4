public import DivanAuth
public import DivanReplicator
public import DivanStore
public import DivanTLS
public import DivanTransport

/// What a listener shares, on which port, and which clients it accepts.
public struct ListenerConfiguration: Sendable {
    /// A database that clients may replicate with.
    public struct SharedDatabase: Sendable {
        /// The database.
        public var store: Store
        /// The engine's configuration for each connection; its role is passive.
        public var peer: PeerConfiguration
        /// Whether clients on this machine get bodies uncompressed.
        ///
        /// On this machine, any codec is slower than the connection. A client that requests a codec by its subprotocol
        /// still gets it.
        public var sparesLoopback = true
        /// Decides what a client can access; `nil` means everything that `peer` allows.
        ///
        /// Called once for each connection after authentication, on the listener's threads, several at a time; it may
        /// be slow.
        public var access: (@Sendable (ListenerClient) -> ListenerAccess)?

        /// Creates an entry.
        public init(store: Store, peer: PeerConfiguration) {
            self.store = store
            self.peer = peer
        }
    }

    /// The databases by their names in the path.
    public var databases: [String: SharedDatabase]
    /// The port; 0 selects a free one.
    public var port: UInt16 = 0
    /// The name or address of the interface to listen on; `nil` listens on all.
    public var interface: String?
    /// The listener's identity; `nil` listens without TLS.
    public var credential: TLSCredential?
    /// Which certificates clients must present; needs TLS.
    public var clientCertificates = ClientCertificatePolicy.none
    /// The proxies whose `X-Forwarded-For` header is trusted; none by default.
    public var trustedProxies = TrustedProxies()
    /// Authenticates clients, in addition to TLS.
    ///
    /// Called on the listener's threads, several at a time; it may be slow.
    public var authenticator: any ListenerAuthenticator = OpenListenerAuthenticator()
    /// Called for each refused request, on any thread, several at a time; it must return quickly.
    public var onRefusal: (@Sendable (ListenerRefusal) -> Void)?
    /// Called for each event of a connection, in order, on the connection's loop; it must return quickly.
    ///
    /// A connection opens before its first document is exchanged. Its end is reported before `ListenerServer.stop`
    /// completes.
    public var onEvent: (@Sendable (ListenerEvent) -> Void)?
    /// Called after a connection has opened or ended, on the connection's loop; it must return quickly.
    public var onConnectionChange: (@Sendable () -> Void)?
    /// Time without data before a ping is sent.
    public var heartbeat = Duration.seconds(300)
    /// Limits on the resources that clients can use.
    public var limits = ListenerLimits()

    /// Creates a configuration that listens on any free port of all interfaces, without TLS.
    public init(databases: [String: SharedDatabase]) {
        self.databases = databases
    }
}

/// Limits on the resources that clients can use; every member is a maximum.
public struct ListenerLimits: Sendable {
    /// Open replication connections.
    ///
    /// For a further client, the connection that has been idle the longest, of the user or address with the most
    /// connections, is closed. If no user or address has two, the client gets 503.
    ///
    /// While busy, each uses some hundred kilobytes for buffers and compression.
    public var connectionCount = 1_000
    /// Passwords that are checked at the same time; further clients wait.
    ///
    /// With sixteen, a slow lookup does not delay all clients.
    public var checkingCount = 16

    /// Connections of one address, and the delays for password guessing.
    public var logins = AuthLimits()
    /// Bytes of all connections: incomplete messages, revisions that wait for blobs, unread answers.
    ///
    /// Above the limit, the connection that uses the most, of the user or address that uses the most, is closed with
    /// 4001; it can reconnect.
    public var heldByteCount = 128 << 20
    /// The same for one user or address: half of the total, or three documents of the maximum size.
    public var partyHeldByteCount = 64 << 20
    /// Bytes of one WebSocket frame, and of one message, from a client.
    ///
    /// Every known peer sends at most 16 KiB. Each connection holds its incomplete frame in memory.
    public var frameByteCount = 128 << 10
    /// Connections with an unfinished handshake; 1,024 as in DivanTransport.
    ///
    /// Above the limit, the oldest is closed.
    public var handshakeCount = 1_024
    /// The same for one address, or one /64 network with IPv6.
    ///
    /// Loopback is exempt with `logins.sparesLoopback`. A quarter of the total, so that one client cannot displace all
    /// others.
    public var addressHandshakeCount = 256
    /// Bytes of a request's head; a larger one gets 431.
    ///
    /// DivanWebSocket's 16 KiB.
    public var requestHeadByteCount = 16 << 10
    /// Time for the handshake, from accepting the socket; 10 s as in DivanTransport.
    public var handshakeTimeout = Duration.seconds(10)
    /// From a complete request to the authenticator's answer; then the client is refused with status 503.
    public var decisionTimeout = Duration.seconds(20)
    /// Time within which a client must read some of the sent data; 30 s as in DivanTransport.
    public var stallTimeout = Duration.seconds(30)

    /// Creates the default limits.
    public init() {}
}
