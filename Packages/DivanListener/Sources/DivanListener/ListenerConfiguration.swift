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

    /// Creates the default limits.
    public init() {}
}
