import DivanPlatform
internal import Synchronization

/// Why a query ended before its last row.
public enum QueryStop: Error, Hashable, Sendable {
    /// `QueryControl.cancel()` was called.
    case cancelled
    /// It exceeded its time limit.
    case tookTooLong(limit: Duration)
    /// Its rows were not read while the database was written; the log cannot be cleared until they are read.
    case leftWaiting
    /// It needed more memory than a single query can use (`QueryMemory.singleByteLimit`).
    case tookTooMuchMemory(byteLimit: Int)
    /// Other queries use all the memory that queries can use together.
    case othersHoldMemory
}

extension QueryStop: CustomStringConvertible {
    /// One sentence with the remedy.
    public var description: String {
        switch self {
        case .cancelled: "the query was cancelled"
        case .tookTooLong(let limit):
            "the query took longer than \(limit); create an index for it, or allow more time"
        case .leftWaiting:
            "the query was stopped because its rows were not read while the database was written; "
                + "read them sooner, or read all of them at once"
        case .tookTooMuchMemory(let byteLimit):
            "the query needs more than \(byteLimit >> 20) MiB of memory; create an index for the "
                + "properties that it sorts or groups by, or select fewer properties"
        case .othersHoldMemory:
            "other queries use all the memory available for queries; try again later"
        }
    }
}

/// Stops a running query: from any thread, after a time, or when it needs too much memory.
public final class QueryControl: Sendable {
    private enum State: Int {
        case running
        case cancelled
        case tookTooLong
        case closed
    }

    private let state = Atomic<Int>(State.running.rawValue)
    private let deadline: (limit: Duration, nanoseconds: UInt64)?
    /// The memory that its query may use.
    public let memory: QueryMemory
    private let logHandler = Mutex<(@Sendable () -> Void)?>(nil)
    private let cancelHandler = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates a control whose time limit, if any, begins now.
    ///
    /// - Parameters:
    ///   - limit: How long the query may run; `nil` means without limit.
    ///   - memory: The memory limit of the query.
    public init(limit: Duration? = nil, memory: QueryMemory = .process) {
        self.memory = memory
        deadline = limit.map { limit in
            let (seconds, attoseconds) = limit.components
            let nanoseconds =
                UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
            let length =
                nanoseconds.overflow
                ? UInt64.max / 4
                : nanoseconds.partialValue / 2 + UInt64(clamping: attoseconds / 2_000_000_000)
            // Halved, so that no sum overflows.
            return (limit, Self.now / 2 + min(length, UInt64.max / 4))
        }
    }

    /// Ends the query: its next row throws `QueryStop.cancelled`.
    public func cancel() {
        stop(.cancelled)
        cancelHandler.withLock { $0 }?()
    }

    /// Ends the query because its database is being closed: its next row throws a `StoreError` with `notOpen`.
    public func endForClosing() {
        stop(.closed)
    }

    /// Calls `body` when the control is cancelled, at once if it already is; `nil` removes it.
    public func onCancel(_ body: (@Sendable () -> Void)?) {
        cancelHandler.withLock { $0 = body }
        if mustStop { body?() }
    }

    /// Calls `body`, on a writer's thread, each time the log grows much longer than without this query's snapshot.
    public func whenLogIsLong(_ body: @escaping @Sendable () -> Void) {
        logHandler.withLock { $0 = body }
    }

    /// Calls the handler of `whenLogIsLong(_:)`, if there is one.
    public func logIsLong() { logHandler.withLock { $0 }?() }

    private func stop(_ reason: State) {
        _ = state.compareExchange(
            expected: State.running.rawValue,
            desired: reason.rawValue,
            ordering: .relaxed
        )
    }

    /// Whether the query must end now.
    public var mustStop: Bool {
        if let deadline, Self.now / 2 > deadline.nanoseconds { stop(.tookTooLong) }
        return state.load(ordering: .relaxed) != State.running.rawValue
    }

    /// Throws the reason if the query must end; for engines that run queries.
    ///
    /// - Parameter path: The database's path, for the error.
    /// - Throws: `QueryStop`; `StoreError` with `notOpen` if the database was closed.
    public func check(path: String) throws {
        guard mustStop, let reason = State(rawValue: state.load(ordering: .relaxed)) else { return }
        switch reason {
        case .running: return
        case .cancelled: throw QueryStop.cancelled
        case .tookTooLong: throw QueryStop.tookTooLong(limit: deadline?.limit ?? .zero)
        case .closed: throw StoreError(.notOpen, at: path)
        }
    }

    private static var now: UInt64 { MonotonicClock.now() }
}
