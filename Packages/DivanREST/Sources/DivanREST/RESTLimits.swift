public import DivanAuth
public import DivanDatabase
public import DivanHTTP

/// Limits on the resources that clients can use; every member is a maximum.
public struct RESTLimits: Sendable {
    /// The limits for requests and connections.
    public var http: HTTPLimits
    /// Requests that are processed at the same time; others are queued.
    ///
    /// The default is 16.
    public var workerCount: Int
    /// The same for one user, or one address (one /64 network with IPv6) without a user; the default is 12.
    ///
    /// With `logins.sparesLoopback`, loopback addresses have no such limit, because all clients of a local proxy have
    /// one.
    public var partyWorkerCount: Int
    /// Queries that run at the same time; others wait, without blocking other requests.
    ///
    /// The default is 8.
    public var queryWorkerCount: Int
    /// The same for one user or address; the default is 4.
    public var partyQueryWorkerCount: Int
    /// Documents or changes read for one piece of a list; the default, 200, takes some 100 KB.
    public var pageCount: Int
    /// Bytes of such a piece; the default is 1 MiB, and a single document may exceed it.
    public var pageByteCount: Int
    /// Documents that are examined at a time for a client with a condition.
    ///
    /// Then other requests get a turn. The default is 1,000.
    public var scanCount: Int
    /// Bytes of rows in one piece of a query's response; the default is 64 KiB.
    public var pieceByteCount: Int
    /// The time limit for a query; the default is 30 s.
    public var queryTimeout: Duration
    /// The memory of all running queries, of which one query can use half; the default is 256 MiB.
    public var queryMemory: QueryMemory
    /// Total bytes of the visible documents in the collections of one query, for a client with a condition.
    ///
    /// The query runs on a copy of them. The default is 16 MiB.
    public var sightByteCount: Int
    /// Operations in a JSON patch; the default is 1,000.
    public var patchOperationCount: Int
    /// Bytes that a patch can copy, counting each moved item as one; the default, 20 MiB, is the size of the largest
    /// document that is synced.
    public var patchWorkByteCount: Int
    /// Documents saved in one request; the default, 1,000, delays other writers by a fraction of a second.
    public var bulkDocumentCount: Int
    /// The time limit for a client that waits for changes by long polling; the default is 5 minutes.
    public var longestPoll: Duration
    /// Time without events before a keep-alive line is sent; the default is 15 s.
    public var heartbeat: Duration
    /// Requests per address that wait for authentication, and the delays after wrong passwords.
    public var logins: AuthLimits

    /// Creates limits.
    public init(
        http: HTTPLimits = HTTPLimits(),
        workerCount: Int = 16,
        partyWorkerCount: Int = 12,
        queryWorkerCount: Int = 8,
        partyQueryWorkerCount: Int = 4,
        pageCount: Int = 200,
        pageByteCount: Int = 1 << 20,
        scanCount: Int = 1_000,
        pieceByteCount: Int = 64 << 10,
        queryTimeout: Duration = .seconds(30),
        queryMemory: QueryMemory = QueryMemory(byteLimit: 256 << 20),
        sightByteCount: Int = 16 << 20,
        patchOperationCount: Int = 1_000,
        patchWorkByteCount: Int = 20 << 20,
        bulkDocumentCount: Int = 1_000,
        longestPoll: Duration = .seconds(300),
        heartbeat: Duration = .seconds(15),
        logins: AuthLimits = AuthLimits()
    ) {
        self.http = http
        self.workerCount = workerCount
        self.partyWorkerCount = partyWorkerCount
        self.queryWorkerCount = queryWorkerCount
        self.partyQueryWorkerCount = partyQueryWorkerCount
        self.pageCount = pageCount
        self.pageByteCount = pageByteCount
        self.scanCount = scanCount
        self.pieceByteCount = pieceByteCount
        self.queryTimeout = queryTimeout
        self.queryMemory = queryMemory
        self.sightByteCount = sightByteCount
        self.patchOperationCount = patchOperationCount
        self.patchWorkByteCount = patchWorkByteCount
        self.bulkDocumentCount = bulkDocumentCount
        self.longestPoll = longestPoll
        self.heartbeat = heartbeat
        self.logins = logins
    }
}
