public import DivanLog
import Synchronization

/// Keeps the last lines in memory, for a page that a person opens when something went wrong.
public final class RingSink: LogSink {
    /// The least level that is kept.
    public let level: LogLevel
    private let limit: Int
    private let kept = Mutex<[String]>([])

    /// Keeps `limit` lines, the newest.
    public init(level: LogLevel = .info, limit: Int = 1_000) {
        self.level = level
        self.limit = limit
    }

    /// The lines, the oldest first.
    public var lines: [String] { kept.withLock { $0 } }

    /// Keeps one line; text of peers is escaped.
    public func write(_ entry: LogEntry) {
        let line = "\(entry.domain.name) \(entry.level): \(escapedForLog(entry.message))"
        kept.withLock { lines in
            if lines.count >= limit { lines.removeFirst(lines.count - limit + 1) }
            lines.append(line)
        }
    }
}
