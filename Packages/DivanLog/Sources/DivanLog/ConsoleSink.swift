import DivanPlatform

/// Writes one line per entry to standard error: time, domain, level, message.
///
/// Source: `behaviour.md` §17 (by default warnings and errors).
public struct ConsoleSink: LogSink {
    /// The lowest level that is written.
    public let level: LogLevel
    private let domains: Set<LogDomain>?

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - level: The lowest level to write.
    ///   - domains: The domains to write; `nil` for all.
    public init(level: LogLevel = .warning, domains: Set<LogDomain>? = nil) {
        self.level = level
        self.domains = domains
    }

    /// Returns whether `domain` is among the domains to write.
    public func accepts(_ domain: LogDomain) -> Bool { domains?.contains(domain) ?? true }

    /// Writes the entry with one system call, so that lines of several threads do not mix.
    public func write(_ entry: LogEntry) {
        let line = "\(Timestamp.now().text) Divan \(entry.domain.name) \(entry.level.word): "
        try? FileDescriptor.standardError
            .writeAll(Array("\(line)\(escapedForLog(entry.message))\n".utf8))
    }
}
