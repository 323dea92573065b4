public import DivanAuth
public import DivanReplicator
public import DivanStore
public import DivanTLS

/// What a listener shares, where it listens, and whom it lets in.
public struct ListenerConfiguration: Sendable {
    /// A database that clients may replicate with.
    public struct SharedDatabase: Sendable {
        /// Its documents.
        public var store: Store
        /// The engine's configuration for each connection; its role is passive.
        public var peer: PeerConfiguration
        /// Whether clients on this machine get bodies uncompressed.
        ///
        /// There, any codec is slower than the wire. A client that asks for a codec by its
        /// subprotocol gets that all the same.
        public var sparesLoopback = true
        /// Decides what a client may do; without, it may do what `peer` allows.
        ///
        /// Asked once for each connection, when the client has been authenticated, on threads of the
        /// listener's own and about several clients at a time; it may take its time.
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
    /// What the listener proves itself with; `nil` listens without TLS.
    public var credential: TLSCredential?
    /// Which certificates clients must show; needs TLS.
    public var clientCertificates = ClientCertificatePolicy.none
    /// Who is let in, on top of what TLS asks for.
    ///
    /// Called on threads of the listener's own, several clients at a time; it may take its time.
    public var authenticator: any ListenerAuthenticator = OpenListenerAuthenticator()
    /// Told of each request that is refused, on any thread and for several at a time; be quick.
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
    /// Each costs some hundred kilobytes of buffers and compression
    /// state while it is busy, so a thousand fit into a small machine.
    public var connectionCount = 1_000
    /// Passwords being checked at the same time; more clients wait in line.
    ///
    /// Sixteen let a slow
    /// look-up not hold up everyone, and cost no more threads than that.
    public var checkingCount = 16

    /// Connections of one address, and how long those wait who guess passwords.
    public var logins = AuthLimits()
    /// Bytes that all connections together hold for their clients: messages that are not complete,
    /// revisions that wait for blobs, answers that nobody reads.
    ///
    /// At the bound the heaviest connection of the heaviest party, a user or an address, is closed with
    /// 4001, which says that it may come again; everybody else goes on.
    public var heldByteCount = 128 << 20
    /// The same for one party, so that it can have half of all: three documents of the largest size.
    public var partyHeldByteCount = 64 << 20
    /// Bytes of one WebSocket frame, and of one message, from a client.
    ///
    /// Every known peer sends 16 KiB at most. A frame that is not complete is held by each connection.
    public var frameByteCount = 128 << 10
    /// Connections that have not finished their handshake; DivanTransport's 1,024.
    ///
    /// At the bound the oldest goes.
    public var handshakeCount = 1_024
    /// The same of one address; of one /64 with IPv6.
    ///
    /// Loopback is exempt with `logins.sparesLoopback`.
    /// A quarter of all, so that one client's handshakes cannot push out everyone else's.
    public var addressHandshakeCount = 256
    /// Bytes of a request's head; more is answered 431.
    ///
    /// DivanWebSocket's 16 KiB.
    public var requestHeadByteCount = 16 << 10
    /// From accept to a complete request and the decision about it; DivanTransport's 10 s.
    public var handshakeTimeout = Duration.seconds(10)
    /// For a client to read anything of what waits for it; DivanTransport's 30 s.
    public var stallTimeout = Duration.seconds(30)

    /// Creates the default limits.
    public init() {}
}
