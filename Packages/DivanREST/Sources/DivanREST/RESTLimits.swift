public import DivanAuth
public import DivanHTTP
public import DivanStore

/// What clients may make a REST server hold or wait for; every member is a maximum.
public struct RESTLimits: Sendable {
    /// The bounds of requests and connections.
    public var http: HTTPLimits
    /// Requests worked on at one time; the others wait in line.
    ///
    /// The default is 16.
    public var workerCount: Int
    /// The same of one user, or else of one address, of one /64 with IPv6; the default is 12.
    ///
    /// An address of this machine has no such bound with `logins.sparesLoopback`, as a proxy in front brings
    /// everyone from there.
    public var partyWorkerCount: Int
    /// Documents or changes read for one piece of a list; the default, 200, is some 100 KB.
    public var pageCount: Int
    /// Bytes of such a piece, after which it ends; the default is 1 MiB, and one document may have more.
    public var pageByteCount: Int
    /// Documents looked at in one go for a client with a condition, of which it may see none.
    ///
    /// Others have their turn before it goes on. The default is 1,000.
    public var scanCount: Int
    /// Bytes of rows collected for one piece of a query's answer; the default is 64 KiB.
    public var pieceByteCount: Int
    /// For a query; the default is 30 s.
    public var queryTimeout: Duration
    /// What the queries of all clients may hold while they run, one of them half of it; the default is 256 MiB.
    public var queryMemory: QueryMemory
    /// Bytes of the documents that a client with a condition may see, of the collections of one query.
    ///
    /// The query runs on a copy of them. The default is 16 MiB.
    public var sightByteCount: Int
    /// For a client that waits for changes by long polling; the default is 5 minutes.
    public var longestPoll: Duration
    /// Silence in an event stream before a line is sent that says nothing; the default is 15 s.
    public var heartbeat: Duration
    /// Requests of one address that wait to be let in, and how long those wait who guess passwords.
    public var logins: AuthLimits

    /// Creates limits.
    public init(
        http: HTTPLimits = HTTPLimits(),
        workerCount: Int = 16,
        partyWorkerCount: Int = 12,
        pageCount: Int = 200,
        pageByteCount: Int = 1 << 20,
        scanCount: Int = 1_000,
        pieceByteCount: Int = 64 << 10,
        queryTimeout: Duration = .seconds(30),
        queryMemory: QueryMemory = QueryMemory(byteLimit: 256 << 20),
        sightByteCount: Int = 16 << 20,
        longestPoll: Duration = .seconds(300),
        heartbeat: Duration = .seconds(15),
        logins: AuthLimits = AuthLimits()
    ) {
        self.http = http
        self.workerCount = workerCount
        self.partyWorkerCount = partyWorkerCount
        self.pageCount = pageCount
        self.pageByteCount = pageByteCount
        self.scanCount = scanCount
        self.pieceByteCount = pieceByteCount
        self.queryTimeout = queryTimeout
        self.queryMemory = queryMemory
        self.sightByteCount = sightByteCount
        self.longestPoll = longestPoll
        self.heartbeat = heartbeat
        self.logins = logins
    }
}
