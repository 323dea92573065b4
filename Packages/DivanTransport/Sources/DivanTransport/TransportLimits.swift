/// Limits of connections, in time and memory; every member is a maximum unless stated otherwise.
public struct TransportLimits: Sendable, Equatable {
    /// From start to open: address, TCP, TLS and HTTP together.
    ///
    /// The default, 15 s, is Couchbase Lite's (`websocket-and-urls.md` §4).
    public var connectTimeout: Duration
    /// From accept to a complete request.
    ///
    /// The default, 10 s, frees a listener from silent clients.
    public var handshakeTimeout: Duration
    /// From a complete request to the decision about it, which may be a call of the application.
    ///
    /// The default, 20 s, is longer than clients wait.
    public var decisionTimeout: Duration
    /// For the peer's answer to the local CLOSE frame, and then for the end of its data.
    ///
    /// The default, 5 s, is Couchbase Lite's.
    public var closeTimeout: Duration
    /// For a peer to read any of the sent data.
    ///
    /// The default, 30 s, is shorter than any heartbeat: a peer that sends but never reads, or that has
    /// disappeared, must not block memory. The system uses the same limit for unacknowledged bytes.
    public var stallTimeout: Duration
    /// The pause in accepting connections when the process is out of file descriptors.
    ///
    /// The default, 1 s, gives open connections time to end; waiting connections stay in the queue.
    public var acceptPause: Duration
    /// The delay after which the next address is tried in parallel with a running connection attempt.
    ///
    /// The default, 250 ms, is that of RFC 8305 §5.
    public var attemptDelay: Duration
    /// Redirects that are followed for one connection; the default, 10, is Couchbase Lite's.
    public var redirectCount: Int
    /// Connections of one server that have not completed their handshake.
    ///
    /// The default, 1,024, uses about 20 MB; at the limit the oldest is closed.
    public var halfOpenCount: Int
    /// The same for one address, or one /64 with IPv6.
    ///
    /// The default, 256, is a quarter of all; at the limit the oldest of that address is closed.
    public var addressHalfOpenCount: Int
    /// Whether this machine's own addresses are exempt from `addressHalfOpenCount`, because with a reverse proxy
    /// every client has such an address; true by default.
    public var sparesLoopback: Bool
    /// Connections of one server; the default, 10,000, keeps the memory of idle connections below 1 GB.
    public var connectionCount: Int
    /// Bytes queued at which `isWritable` becomes false.
    ///
    /// The default, 256 KiB, is enough for the full speed of a loopback connection.
    public var highWaterByteCount: Int
    /// Bytes queued at which `isWritable` becomes true again; the default is a quarter of the high-water mark.
    public var lowWaterByteCount: Int
    /// Bytes queued at which nothing more is read from the peer.
    ///
    /// The default, 8 MiB, is reached only if a peer does not read the answers.
    public var queuedByteCount: Int

    /// How long a loop that got no descriptors from the system waits before it checks for work and tries again.
    static let blindTurnMilliseconds: Int32 = 50

    /// Creates limits; the defaults are suitable for peers on the Internet.
    public init(
        connectTimeout: Duration = .seconds(15),
        handshakeTimeout: Duration = .seconds(10),
        decisionTimeout: Duration = .seconds(20),
        closeTimeout: Duration = .seconds(5),
        stallTimeout: Duration = .seconds(30),
        acceptPause: Duration = .seconds(1),
        attemptDelay: Duration = .milliseconds(250),
        redirectCount: Int = 10,
        halfOpenCount: Int = 1024,
        connectionCount: Int = 10_000,
        highWaterByteCount: Int = 256 << 10,
        lowWaterByteCount: Int = 64 << 10,
        queuedByteCount: Int = 8 << 20,
        addressHalfOpenCount: Int = 256,
        sparesLoopback: Bool = true
    ) {
        precondition(lowWaterByteCount < highWaterByteCount, "low water must be below high water")
        precondition(highWaterByteCount < queuedByteCount, "high water must be below the queue")
        self.connectTimeout = connectTimeout
        self.handshakeTimeout = handshakeTimeout
        self.decisionTimeout = decisionTimeout
        self.closeTimeout = closeTimeout
        self.stallTimeout = stallTimeout
        self.acceptPause = acceptPause
        self.attemptDelay = attemptDelay
        self.redirectCount = redirectCount
        self.halfOpenCount = halfOpenCount
        self.connectionCount = connectionCount
        self.highWaterByteCount = highWaterByteCount
        self.lowWaterByteCount = lowWaterByteCount
        self.queuedByteCount = queuedByteCount
        self.addressHalfOpenCount = addressHalfOpenCount
        self.sparesLoopback = sparesLoopback
    }
}
