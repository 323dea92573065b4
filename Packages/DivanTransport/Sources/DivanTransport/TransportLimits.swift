/// What connections may take, in time and memory; every member is a maximum unless it says so.
public struct TransportLimits: Sendable, Equatable {
    /// From start to open: address, TCP, TLS and HTTP together.
    ///
    /// The default, 15 s, is Couchbase Lite's (`websocket-and-urls.md` §4).
    public var connectTimeout: Duration
    /// From accept to a complete request, and for the decision about it.
    ///
    /// The default, 10 s, frees a listener from silent clients.
    public var handshakeTimeout: Duration
    /// For the peer's answer to our goodbye, and then for the end of its direction.
    ///
    /// The default, 5 s, is Couchbase Lite's.
    public var closeTimeout: Duration
    /// For a peer to read anything at all of what we send.
    ///
    /// The default, 30 s, is shorter than any heartbeat: a peer that still talks but never reads,
    /// or whose machine is gone while we write, must not hold our memory. The system is told the
    /// same time for bytes that nobody acknowledges.
    public var stallTimeout: Duration
    /// How long no connection is accepted when the process is out of descriptors.
    ///
    /// The default, 1 s, gives open connections time to end; those that wait stay in the queue.
    public var acceptPause: Duration
    /// How long a connection attempt stays alone before the next address is tried beside it.
    ///
    /// The default, 250 ms, is that of RFC 8305 §5.
    public var attemptDelay: Duration
    /// Redirects followed for one connection; the default, 10, is Couchbase Lite's.
    public var redirectCount: Int
    /// Connections of one server that have not finished their handshake.
    ///
    /// The default, 1,024, keeps some 20 MB; at the bound the oldest goes.
    public var halfOpenCount: Int
    /// The same for one address, or one /64 with IPv6.
    ///
    /// The default, 256, is a quarter of all; at the bound the oldest of that address goes.
    public var addressHalfOpenCount: Int
    /// Whether addresses of this machine are exempt from `addressHalfOpenCount`, as a proxy in front
    /// brings everyone from there; they are by default.
    public var sparesLoopback: Bool
    /// Connections of one server; the default, 10,000, keeps idle ones under 1 GB.
    public var connectionCount: Int
    /// Bytes queued at which `isWritable` becomes false.
    ///
    /// The default, 256 KiB, keeps a loop-back connection busy.
    public var highWaterByteCount: Int
    /// Bytes queued at which `isWritable` becomes true again; the default is a quarter of high.
    public var lowWaterByteCount: Int
    /// Bytes queued at which nothing more is read from the peer.
    ///
    /// The default, 8 MiB, is reached only by answers to a peer that does not read them.
    public var queuedByteCount: Int

    /// How long a loop that got no descriptors from the system waits before it looks for work and asks again.
    static let blindTurnMilliseconds: Int32 = 50

    /// Creates limits; the defaults suit peers on the open Internet.
    public init(
        connectTimeout: Duration = .seconds(15),
        handshakeTimeout: Duration = .seconds(10),
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
        precondition(lowWaterByteCount < highWaterByteCount, "low lies below high")
        precondition(highWaterByteCount < queuedByteCount, "producers stop before reading does")
        self.connectTimeout = connectTimeout
        self.handshakeTimeout = handshakeTimeout
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
