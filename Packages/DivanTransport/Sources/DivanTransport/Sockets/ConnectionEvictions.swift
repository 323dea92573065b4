public import DivanLog
import Synchronization

/// Counts the connections that a server closed to make room for others, and logs at most one line in ten seconds.
public final class ConnectionEvictions: Sendable {
    /// The least time between two lines.
    private static let pause = Duration.seconds(10)

    private struct State {
        var count: UInt64 = 0
        var reportedCount: UInt64 = 0
        var lastReport: Duration?
    }

    private let state = Mutex(State())

    /// Creates a count of zero.
    public init() {}

    /// The number of closed connections.
    public var count: UInt64 { state.withLock { $0.count } }

    /// Counts one connection; `holder` describes its client for the log.
    public func note(at now: Duration, _ log: Log, _ holder: @autoclosure () -> String) {
        let fresh = state.withLock { state -> UInt64? in
            state.count += 1
            if let last = state.lastReport, now - last < Self.pause { return nil }
            state.lastReport = now
            defer { state.reportedCount = state.count }
            return state.count - state.reportedCount
        }
        guard let fresh else { return }
        log.warning("closed \(fresh) connections to accept others; \(holder())")
    }
}
