/// Receives entries and shows or keeps them.
///
/// Called on the thread that logs, from any thread and from several at the same time; it must not log
/// itself, must not call back into the library, and should return within microseconds.
///
/// Source: `behaviour.md` §17.
public protocol LogSink: Sendable {
    /// The lowest level that is wanted; read when the sink is installed, so it must not change.
    var level: LogLevel { get }

    /// Returns whether entries of `domain` are wanted; by default all are.
    func accepts(_ domain: LogDomain) -> Bool

    /// Receives one entry of the sink's level or above, of a domain that it accepts.
    func write(_ entry: LogEntry)
}

extension LogSink {
    /// Wants every domain.
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
    ///   - level: The lowest level wanted.
    ///   - domains: The domains wanted; `nil` for all.
    ///   - body: Called from any thread and from several at the same time; must not log.
    public init(
        level: LogLevel,
        domains: Set<LogDomain>? = nil,
        _ body: @escaping @Sendable (LogEntry) -> Void
    ) {
        self.level = level
        self.domains = domains
        self.body = body
    }

    /// Returns whether `domain` is among the domains wanted.
    public func accepts(_ domain: LogDomain) -> Bool { domains?.contains(domain) ?? true }

    /// Calls the closure.
    public func write(_ entry: LogEntry) { body(entry) }
}
