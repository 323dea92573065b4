import DivanLog

/// This module's interface to `DivanLog`, whose name `Log` is also a public name here.
struct Journal: Sendable {
    /// Databases, documents and blobs.
    static let database = Journal(.database)
    /// Queries and indexes.
    static let query = Journal(.query)
    /// Replicators.
    static let sync = Journal(.sync)
    /// Listeners.
    static let listener = Journal(.listener)

    private let log: DivanLog.Log

    init(_ domain: DivanLog.LogDomain) {
        log = DivanLog.Log(domain, to: .shared)
    }

    /// Whether single steps are logged; checked before formatting them.
    var isVerbose: Bool { log.isInterested(in: .verbose) }

    func verbose(_ message: @autoclosure () -> LogMessage) { log.verbose(message()) }
    func info(_ message: @autoclosure () -> LogMessage) { log.info(message()) }
    func warning(_ message: @autoclosure () -> LogMessage) { log.warning(message()) }
    func error(_ message: @autoclosure () -> LogMessage) { log.error(message()) }
}
