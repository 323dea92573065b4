import CouchbaseLiteSwift
import Foundation

/// The log of the packages; hidden unless requested, because the command reports its own failures.
enum Journal {
    /// The levels and their names on a command line.
    static let levels: [(name: String, level: LogLevel)] = [
        ("debug", .debug), ("verbose", .verbose), ("info", .info), ("warning", .warning),
        ("error", .error),
    ]

    /// The level in the environment variable `DIVAN_LOG`; `nil` hides the log.
    static var levelOfEnvironment: LogLevel? {
        let wanted = ProcessInfo.processInfo.environment["DIVAN_LOG"]
        return levels.first { $0.name == wanted }?.level
    }

    /// Shows the log on standard error as the environment requests.
    static func begin() { show(from: levelOfEnvironment) }

    /// Shows the log on standard error from a level; `nil` hides it.
    static func show(from level: LogLevel?) {
        LogSinks.console = level.map { ConsoleLogSink(level: $0) }
    }
}
