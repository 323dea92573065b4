public import DivanDatabase
public import DivanHTTP
public import DivanJSON

/// What a studio shows, and how.
public struct StudioConfiguration: Sendable {
    /// The database.
    public var store: Store
    /// Its name.
    public var name: String
    /// The port on 127.0.0.1; 0 selects a free one.
    public var port: UInt16
    /// Whether documents and indexes can be changed.
    public var mayWrite: Bool
    /// Returns the status of processes that serve or sync the database.
    public var peers: @Sendable () -> [JSON]
    /// Returns the same for other databases on this machine, each with its `path`, for the diagram.
    public var neighbours: @Sendable () -> [JSON]
    /// The limits for the studio.
    public var limits: StudioLimits

    /// Creates a configuration; by default read-only, on a free port.
    public init(
        store: Store,
        name: String,
        port: UInt16 = 0,
        mayWrite: Bool = false,
        peers: @escaping @Sendable () -> [JSON] = { [] },
        neighbours: @escaping @Sendable () -> [JSON] = { [] },
        limits: StudioLimits = StudioLimits()
    ) {
        self.store = store
        self.name = name
        self.port = port
        self.mayWrite = mayWrite
        self.peers = peers
        self.neighbours = neighbours
        self.limits = limits
    }

    /// Whether documents can be changed: a read-only store cannot be.
    var acceptsWrites: Bool { mayWrite && !store.isReadOnly }
}

/// Limits of a studio; every member is a maximum.
public struct StudioLimits: Sendable {
    /// The limits for requests and connections; 32 connections by default.
    public var http: HTTPLimits
    /// Documents on one page of a table; the default is 200.
    public var pageCount: Int
    /// Bytes of a body in a table, above which only the size is shown, and of the path to a blob, above which the blob
    /// is omitted.
    ///
    /// The default is 4 KiB.
    public var shownByteCount: Int
    /// Blobs shown with a document; the default is 200.
    public var blobCount: Int
    /// Pictures shown in a row of a table; the default is 4.
    public var thumbnailCount: Int
    /// Bytes of a picture in a table, above which it is only named; the default is 2 MiB.
    public var thumbnailByteCount: Int
    /// Documents from which properties are found; the default is 500.
    public var sampleCount: Int
    /// Bytes of those documents, after which no more are read; the default is 4 MiB.
    public var sampleByteCount: Int
    /// Properties that are told apart in a sample; the default is 500.
    public var propertyCount: Int
    /// Documents of a file that are saved with one request; the default is 1,000.
    public var importCount: Int
    /// Changes listed for each collection; the default is 50.
    public var changeCount: Int
    /// Requests processed at the same time; the default is 8.
    public var workerCount: Int
    /// Rows shown of a query result; the default is 500.
    public var rowCount: Int
    /// Bytes of those rows, after which no more are shown; the default is 4 MiB.
    public var answerByteCount: Int
    /// Conflicts listed; the default is 500.
    public var conflictCount: Int
    /// The time limit for a query; the default is 30 s.
    public var queryTimeout: Duration
    /// Time without changes before a keep-alive line is sent; the default is 15 s.
    public var heartbeat: Duration

    /// Creates limits.
    public init(
        http: HTTPLimits = HTTPLimits(connectionCount: 32),
        pageCount: Int = 200,
        shownByteCount: Int = 4 << 10,
        blobCount: Int = 200,
        thumbnailCount: Int = 4,
        thumbnailByteCount: Int = 2 << 20,
        sampleCount: Int = 500,
        sampleByteCount: Int = 4 << 20,
        propertyCount: Int = 500,
        importCount: Int = 1_000,
        changeCount: Int = 50,
        workerCount: Int = 8,
        rowCount: Int = 500,
        answerByteCount: Int = 4 << 20,
        conflictCount: Int = 500,
        queryTimeout: Duration = .seconds(30),
        heartbeat: Duration = .seconds(15)
    ) {
        self.http = http
        self.pageCount = pageCount
        self.shownByteCount = shownByteCount
        self.blobCount = blobCount
        self.thumbnailCount = thumbnailCount
        self.thumbnailByteCount = thumbnailByteCount
        self.sampleCount = sampleCount
        self.sampleByteCount = sampleByteCount
        self.propertyCount = propertyCount
        self.importCount = importCount
        self.changeCount = changeCount
        self.workerCount = workerCount
        self.rowCount = rowCount
        self.answerByteCount = answerByteCount
        self.conflictCount = conflictCount
        self.queryTimeout = queryTimeout
        self.heartbeat = heartbeat
    }
}
