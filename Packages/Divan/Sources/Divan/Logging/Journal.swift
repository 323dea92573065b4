import DivanLog

/// What this module logs with, under the domain of databases.
enum Journal {
    private static let log = DivanLog.Log(.database, to: .shared)

    static func info(_ message: @autoclosure () -> String) { log.info(message()) }
    static func warning(_ message: @autoclosure () -> String) { log.warning(message()) }
    static func error(_ message: @autoclosure () -> String) { log.error(message()) }
}
