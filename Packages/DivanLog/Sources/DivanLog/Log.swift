/// Logs messages of one part of the library: a domain, and a router to the sinks.
///
/// A plain value. Messages are closures that are called only if a sink accepts them, so they can be expensive.
public struct Log: Sendable {
    /// The domain of every entry.
    public let domain: LogDomain
    private let router: LogRouter

    /// Creates a log of one domain.
    public init(_ domain: LogDomain, to router: LogRouter = .shared) {
        self.domain = domain
        self.router = router
    }

    /// Logs a message for the developers of this library; does nothing in release builds.
    public func debug(_ message: @autoclosure () -> LogMessage) {
        #if DEBUG
        log(.debug, message)
        #endif
    }

    /// Logs a step of an operation.
    public func verbose(_ message: @autoclosure () -> LogMessage) { log(.verbose, message) }

    /// Logs information for operators.
    public func info(_ message: @autoclosure () -> LogMessage) { log(.info, message) }

    /// Logs a problem that may cost time or a connection.
    public func warning(_ message: @autoclosure () -> LogMessage) { log(.warning, message) }

    /// Logs a failure.
    public func error(_ message: @autoclosure () -> LogMessage) { log(.error, message) }

    /// Returns whether an entry of `level` would reach a sink.
    public func isInterested(in level: LogLevel) -> Bool { router.isInterested(in: level) }

    private func log(_ level: LogLevel, _ message: () -> LogMessage) {
        guard router.isInterested(in: level) else { return }
        let text = message().text(router.redaction)
        router.route(LogEntry(level: level, domain: domain, message: text))
    }
}
