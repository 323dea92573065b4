import Synchronization

/// Passes entries to the sinks that accept them.
///
/// Can be used from any thread. If no sink accepts an entry, the check costs one atomic load, and the message is
/// not created.
public final class LogRouter: Sendable {
    /// The default router of the process.
    public static let shared = LogRouter()

    private let sinks: Mutex<[any LogSink]>
    private let leastLevel: Atomic<UInt8>
    private let shownData = Mutex(LogRedaction.none)

    /// Creates a router with its first sinks.
    public init(sinks: [any LogSink] = []) {
        leastLevel = Atomic(Self.leastLevel(of: sinks).rawValue)
        self.sinks = Mutex(sinks)
    }

    /// How later entries show user data; `none` by default.
    ///
    /// Sinks receive the redacted text.
    public var redaction: LogRedaction {
        get { shownData.withLock { $0 } }
        set { shownData.withLock { $0 = newValue } }
    }

    /// Replaces all sinks; entries in progress still reach the previous sinks.
    public func setSinks(_ sinks: [any LogSink]) {
        self.sinks.withLock { held in
            held = sinks
            leastLevel.store(Self.leastLevel(of: sinks).rawValue, ordering: .relaxed)
        }
    }

    /// Returns whether any sink accepts entries of `level`; this check is fast.
    public func isInterested(in level: LogLevel) -> Bool {
        level.rawValue >= leastLevel.load(ordering: .relaxed)
    }

    /// Passes `entry` to the sinks that accept it, on this thread; an entry of `.none` is discarded.
    public func route(_ entry: LogEntry) {
        guard entry.level != .none, isInterested(in: entry.level) else { return }
        // Sinks are called outside the lock: one that is slow or logs does not block the others.
        for sink in sinks.withLock({ $0 })
        where entry.level >= sink.level && sink.accepts(entry.domain) {
            sink.write(entry)
        }
    }

    private static func leastLevel(of sinks: [any LogSink]) -> LogLevel {
        sinks.map(\.level).min() ?? .none
    }
}
