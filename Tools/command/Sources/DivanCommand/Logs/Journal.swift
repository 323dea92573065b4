import CouchbaseLiteSwift
import DivanCommandLine
import Foundation

/// The log of the packages; hidden unless requested, because the command reports its own failures.
enum Journal {
    /// Shows the log on standard error from the level in the environment variable `DIVAN_LOG`.
    static func begin() {
        let levels: [String: LogLevel] = [
            "debug": .debug, "verbose": .verbose, "info": .info, "warning": .warning,
            "error": .error,
        ]
        let wanted = ProcessInfo.processInfo.environment["DIVAN_LOG"]
        LogSinks.console = wanted.flatMap { levels[$0] }.map { ConsoleLogSink(level: $0) }
    }
}
