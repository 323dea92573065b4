public import DivanLog
import Synchronization

/// Keeps the last lines in memory, for a page that shows them after an error.
public final class RingSink: LogSink {
    /// The lowest level that is kept.
    public let level: LogLevel
    private let limit: Int
    private let kept = Mutex<[String]>([])

    /// Keeps the newest `limit` lines.
    public init(level: LogLevel = .info, limit: Int = 1_000) {
        self.level = level
        self.limit = limit
    }

    /// The lines, the oldest first.
    public var lines: [String] { kept.withLock { $0 } }

    /// Adds a line; text from peers is escaped.
    public func write(_ entry: LogEntry) {
        let line = "\(entry.domain.name) \(entry.level): \(escapedForLog(entry.message))"
        kept.withLock { lines in
            if lines.count >= limit { lines.removeFirst(lines.count - limit + 1) }
            lines.append(line)
        }
    }
}
