/// The part of the library that logs an entry.
public struct LogDomain: Hashable, Sendable {
    /// The short name in a log line, such as `"Sync"`.
    public let name: String

    /// Creates a domain; domains with the same name are equal.
    public init(_ name: String) {
        self.name = name
    }

    /// Databases, collections, documents and blobs.
    public static let database = LogDomain("DB")
    /// Queries.
    public static let query = LogDomain("Query")
    /// The sync engine.
    public static let sync = LogDomain("Sync")
    /// WebSocket handshakes and frames.
    public static let webSocket = LogDomain("WS")
    /// BLIP messages.
    public static let blip = LogDomain("BLIP")
    /// TLS sessions and certificates.
    public static let tls = LogDomain("TLS")
    /// Passive peers.
    public static let listener = LogDomain("Listener")
    /// The discovery of peers.
    public static let discovery = LogDomain("Discovery")
    /// DNS service discovery.
    public static let mdns = LogDomain("mDNS")
    /// Replication with several peers.
    public static let multipeer = LogDomain("P2P")
}

/// One event; a sink writes it as one line.
///
/// The message may contain text from peers; escape it with `escapedForLog(_:)` when writing lines.
public struct LogEntry: Hashable, Sendable {
    /// The importance of the entry; never `.none`.
    public let level: LogLevel
    /// The part of the library that logged the entry.
    public let domain: LogDomain
    /// A sentence without a line break, in which `LogRouter.redaction` was applied to user data.
    public let message: String

    /// Creates an entry, for example to test a sink.
    public init(level: LogLevel, domain: LogDomain, message: String) {
        self.level = level
        self.domain = domain
        self.message = message
    }
}
