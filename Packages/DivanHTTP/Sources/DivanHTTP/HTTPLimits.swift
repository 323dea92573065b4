/// Limits of a message's headers; every member is a maximum.
public struct HTTPHeadLimits: Equatable, Sendable {
    /// Bytes of the headers with the final empty line; the default, 16 KiB, is twice the size of large legitimate
    /// headers.
    public var headByteCount: Int
    /// Bytes of one line, without its ending; the default, 8 KiB, is the limit of common servers.
    public var lineByteCount: Int
    /// Header lines; the default, 100, is the limit of common servers.
    public var headerCount: Int

    /// Creates limits.
    public init(
        headByteCount: Int = 16 << 10,
        lineByteCount: Int = 8 << 10,
        headerCount: Int = 100
    ) {
        self.headByteCount = headByteCount
        self.lineByteCount = lineByteCount
        self.headerCount = headerCount
    }
}

/// Limits on the memory and time that a client can use; every member is a maximum.
public struct HTTPLimits: Equatable, Sendable {
    /// The limits of each request's headers.
    public var head: HTTPHeadLimits
    /// Bytes of a request's body; the default, 20 MiB, is the largest document that can be synced.
    public var bodyByteCount: Int
    /// Bytes of the bodies of all requests that are arriving or being handled; the default is 128 MiB.
    ///
    /// One address can use at most half, except a proxy on this machine. There is always memory for two of the
    /// largest bodies.
    public var heldBodyByteCount: Int
    /// Bytes of one line of the chunked coding, a size with its extensions; the default is 256.
    public var chunkLineByteCount: Int
    /// Bytes of the fields after a chunked body, which are not used; the default is 4 KiB.
    public var trailerByteCount: Int
    /// Bytes that can wait after a request while it is processed; the default is 64 KiB.
    public var waitingByteCount: Int
    /// From accept, or from the first byte of a request, to the end of its headers.
    ///
    /// The default, 10 s, frees a server from silent clients.
    public var headTimeout: Duration
    /// For the whole of a request's body; the default is 60 s.
    public var bodyTimeout: Duration
    /// Between two requests on one connection; the default is 30 s.
    public var idleTimeout: Duration
    /// Connections of one server, on all its loops; the default is 128.
    ///
    /// Each loop has an equal share. At the limit a new connection is accepted, and the connection that has been
    /// idle for longest is closed, of the address with the most connections.
    public var connectionCount: Int

    /// Creates limits; the defaults are suitable for clients on the Internet.
    public init(
        head: HTTPHeadLimits = HTTPHeadLimits(),
        bodyByteCount: Int = 20 << 20,
        heldBodyByteCount: Int = 128 << 20,
        chunkLineByteCount: Int = 256,
        trailerByteCount: Int = 4 << 10,
        waitingByteCount: Int = 64 << 10,
        headTimeout: Duration = .seconds(10),
        bodyTimeout: Duration = .seconds(60),
        idleTimeout: Duration = .seconds(30),
        connectionCount: Int = 128
    ) {
        self.head = head
        self.bodyByteCount = bodyByteCount
        self.heldBodyByteCount = heldBodyByteCount
        self.chunkLineByteCount = chunkLineByteCount
        self.trailerByteCount = trailerByteCount
        self.waitingByteCount = waitingByteCount
        self.headTimeout = headTimeout
        self.bodyTimeout = bodyTimeout
        self.idleTimeout = idleTimeout
        self.connectionCount = connectionCount
    }
}
