import DivanLog

/// The importance of a message; a sink receives its own level and above.
public enum LogLevel: UInt8, Sendable, CaseIterable {
    /// For the library's developers; only in debug builds.
    case debug = 0
    /// Every step.
    case verbose
    /// Events such as started, stopped, connected.
    case info
    /// Problems that may delay work or close connections, without data loss.
    case warning
    /// Failures.
    case error
    /// No messages at all.
    case none
}

/// The part of the library that a message comes from.
public enum LogDomain: UInt, Sendable, CaseIterable {
    /// Databases, documents and blobs.
    case database = 1
    /// Queries.
    case query = 2
    /// Replicators.
    case replicator = 4
    /// WebSocket, BLIP and TLS.
    case network = 8
    /// Listeners.
    case listener = 16
    /// Peer discovery.
    case peerDiscovery = 32
    /// DNS service discovery.
    case mdns = 64
    /// Multipeer replication.
    case multipeer = 512
}

/// A set of ``LogDomain``s.
public struct LogDomains: OptionSet, Sendable {
    /// The bits, as in `LogDomain`.
    public let rawValue: UInt

    /// Creates a set from bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Every domain.
    public static let all = LogDomains(LogDomain.allCases)
    /// Databases, documents and blobs.
    public static let database = LogDomains([.database])
    /// Queries.
    public static let query = LogDomains([.query])
    /// Replicators.
    public static let replicator = LogDomains([.replicator])
    /// WebSocket, BLIP and TLS.
    public static let network = LogDomains([.network])
    /// Listeners.
    public static let listener = LogDomains([.listener])
    /// Peer discovery.
    public static let peerDiscovery = LogDomains([.peerDiscovery])
    /// DNS service discovery.
    public static let mdns = LogDomains([.mdns])
    /// Multipeer replication.
    public static let multipeer = LogDomains([.multipeer])

    private init(_ domains: [LogDomain]) {
        rawValue = domains.reduce(0) { $0 | $1.rawValue }
    }

    func contains(_ domain: LogDomain) -> Bool {
        rawValue & domain.rawValue != 0
    }
}

extension LogLevel {
    /// The level with the same name in the package below.
    var inner: DivanLog.LogLevel { DivanLog.LogLevel(rawValue: rawValue) ?? .none }

    init(_ inner: DivanLog.LogLevel) {
        self = LogLevel(rawValue: inner.rawValue) ?? .none
    }
}

extension LogDomain {
    /// The public domain of an inner one (`behaviour.md` §17).
    init(_ inner: DivanLog.LogDomain) {
        self =
            switch inner {
            case .query: .query
            case .sync: .replicator
            case .webSocket, .blip, .tls: .network
            case .listener: .listener
            case .discovery: .peerDiscovery
            case .mdns: .mdns
            case .multipeer: .multipeer
            default: .database
            }
    }

    /// The inner domain that represents this one in a log line.
    var inner: DivanLog.LogDomain {
        switch self {
        case .database: .database
        case .query: .query
        case .replicator: .sync
        case .network: .webSocket
        case .listener: .listener
        case .peerDiscovery: .discovery
        case .mdns: .mdns
        case .multipeer: .multipeer
        }
    }
}
