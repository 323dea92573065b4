/// The means by which a part of the library logs: a domain and a router to the sinks.
///
/// A plain value; copy it freely. Messages are closures that are only called if a sink wants
/// them, so they may be expensive.
public struct Log: Sendable {
    /// The domain of every entry.
    public let domain: LogDomain
    private let router: LogRouter

    /// Creates a log of one domain.
    public init(_ domain: LogDomain, to router: LogRouter = .shared) {
        self.domain = domain
        self.router = router
    }

    /// Logs something for the developers of this library; nothing at all in release builds.
    public func debug(_ message: @autoclosure () -> String) {
        #if DEBUG
        log(.debug, message)
        #endif
    }

    /// Logs a step.
    public func verbose(_ message: @autoclosure () -> String) { log(.verbose, message) }

    /// Logs something that an operator may want to know.
    public func info(_ message: @autoclosure () -> String) { log(.info, message) }

    /// Logs something that may cost time or a connection.
    public func warning(_ message: @autoclosure () -> String) { log(.warning, message) }

    /// Logs a failure.
    public func error(_ message: @autoclosure () -> String) { log(.error, message) }

    /// Returns whether an entry of `level` would reach a sink.
    public func isInterested(in level: LogLevel) -> Bool { router.isInterested(in: level) }

    private func log(_ level: LogLevel, _ message: () -> String) {
        guard router.isInterested(in: level) else { return }
        router.route(LogEntry(level: level, domain: domain, message: message()))
    }
}
