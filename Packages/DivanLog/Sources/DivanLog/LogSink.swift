/// Receives log entries and shows or stores them.
///
/// Called on the thread that logs, which can be any thread and several at the same time; it must not log, must not
/// call the library, and should return within microseconds.
///
/// Source: `behaviour.md` §17.
public protocol LogSink: Sendable {
    /// The lowest level that the sink receives; read when the sink is installed, so it must not change.
    var level: LogLevel { get }

    /// Returns whether the sink receives entries of `domain`; by default all domains.
    func accepts(_ domain: LogDomain) -> Bool

    /// Receives one entry of the sink's level or above, in a domain that the sink accepts.
    func write(_ entry: LogEntry)
}

extension LogSink {
    /// Accepts all domains.
    public func accepts(_ domain: LogDomain) -> Bool { true }
}

/// Passes entries to a closure.
public struct ClosureSink: LogSink {
    /// The lowest level that the closure receives.
    public let level: LogLevel
    private let domains: Set<LogDomain>?
    private let body: @Sendable (LogEntry) -> Void

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - level: The lowest level that the closure receives.
    ///   - domains: The domains that the closure receives; `nil` for all.
    ///   - body: Called on any thread, and on several at the same time; must not log.
    public init(
        level: LogLevel,
        domains: Set<LogDomain>? = nil,
        _ body: @escaping @Sendable (LogEntry) -> Void
    ) {
        self.level = level
        self.domains = domains
        self.body = body
    }

    /// Returns whether the closure receives entries of `domain`.
    public func accepts(_ domain: LogDomain) -> Bool { domains?.contains(domain) ?? true }

    /// Calls the closure.
    public func write(_ entry: LogEntry) { body(entry) }
}
