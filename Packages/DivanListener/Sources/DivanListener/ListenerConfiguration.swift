public import DivanAuth
public import DivanReplicator
public import DivanStore
public import DivanTLS
public import DivanTransport

/// What a listener shares, where it listens, and which clients it accepts.
public struct ListenerConfiguration: Sendable {
    /// A database that clients may replicate with.
    public struct SharedDatabase: Sendable {
        /// Its documents.
        public var store: Store
        /// The engine's configuration for each connection; its role is passive.
        public var peer: PeerConfiguration
        /// Whether clients on this machine get bodies uncompressed.
        ///
        /// There, any codec is slower than the connection. A client that requests a codec by its
        /// subprotocol still gets it.
        public var sparesLoopback = true
        /// Decides what a client may do; if `nil`, it may do what `peer` allows.
        ///
        /// Called once for each connection, after the client was authenticated, on the listener's own
        /// threads and for several clients at a time; it may be slow.
        public var access: (@Sendable (ListenerClient) -> ListenerAccess)?

        /// Creates an entry.
        public init(store: Store, peer: PeerConfiguration) {
            self.store = store
            self.peer = peer
        }
    }

    /// The databases by the name that clients write into the path.
    public var databases: [String: SharedDatabase]
    /// The port; 0 picks a free one.
    public var port: UInt16 = 0
    /// Name or address of the only interface to listen on; `nil` listens on all.
    public var interface: String?
    /// The listener's identity; `nil` listens without TLS.
    public var credential: TLSCredential?
    /// Which certificates clients must present; needs TLS.
    public var clientCertificates = ClientCertificatePolicy.none
    /// The proxies whose `X-Forwarded-For` tells the client's address; none by default.
    public var trustedProxies = TrustedProxies()
    /// Authenticates clients, in addition to TLS.
    ///
    /// Called on the listener's own threads, for several clients at a time; it may be slow.
    public var authenticator: any ListenerAuthenticator = OpenListenerAuthenticator()
    /// Called for each refused request, on any thread and for several at a time; must be quick.
    public var onRefusal: (@Sendable (ListenerRefusal) -> Void)?
    /// Silence after which a connection is tested with a ping.
    public var heartbeat = Duration.seconds(300)
    /// What clients may make the listener hold.
    public var limits = ListenerLimits()

    /// Creates a configuration that listens on any free port of all interfaces, without TLS.
    public init(databases: [String: SharedDatabase]) {
        self.databases = databases
    }
}

/// What clients may make a listener hold; every member is a maximum.
public struct ListenerLimits: Sendable {
    /// Open replication connections.
    ///
    /// At the bound a newcomer is served by closing the connection that has been idle for longest, of the party that has
    /// the most, a user or else an address; if no party has two, the newcomer is answered with 503.
    ///
    /// Each costs some hundred kilobytes of buffers and compression
    /// state while it is busy, so a thousand fit into a small machine.
    public var connectionCount = 1_000
    /// Passwords being checked at the same time; more clients wait in line.
    ///
    /// With sixteen, a slow
    /// look-up does not delay everyone, and no more threads than that are needed.
    public var checkingCount = 16

    /// Connections of one address, and the delays for password guessing.
    public var logins = AuthLimits()
    /// Bytes that all connections together hold for their clients: incomplete messages,
    /// revisions that wait for blobs, answers that nobody reads.
    ///
    /// At the bound the heaviest connection of the heaviest party, a user or an address, is closed with
    /// 4001, which says that it may reconnect; all others go on.
    public var heldByteCount = 128 << 20
    /// The same for one party, so that it can have half of all: three documents of the largest size.
    public var partyHeldByteCount = 64 << 20
    /// Bytes of one WebSocket frame, and of one message, from a client.
    ///
    /// Every known peer sends at most 16 KiB. Each connection holds its incomplete frame in memory.
    public var frameByteCount = 128 << 10
    /// Connections that have not finished their handshake; DivanTransport's 1,024.
    ///
    /// At the bound the oldest is closed.
    public var handshakeCount = 1_024
    /// The same for one address; for one /64 with IPv6.
    ///
    /// Loopback is exempt with `logins.sparesLoopback`.
    /// A quarter of all, so that one client's handshakes cannot displace everyone else's.
    public var addressHandshakeCount = 256
    /// Bytes of a request's head; more is answered 431.
    ///
    /// DivanWebSocket's 16 KiB.
    public var requestHeadByteCount = 16 << 10
    /// From accept to a complete request and the decision about it; DivanTransport's 10 s.
    public var handshakeTimeout = Duration.seconds(10)
    /// Within this time a client must read some of what waits for it; DivanTransport's 30 s.
    public var stallTimeout = Duration.seconds(30)

    /// Creates the default limits.
    public init() {}
}
