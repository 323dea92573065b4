import Dispatch
import DivanJSON
import DivanPlatform
import Synchronization

/// A replicator, listener or other task that runs for a database and must end before it closes.
///
/// Its database keeps it alive while it runs.
///
/// Source: `behaviour.md` §6 (11), §13, §15.
protocol DatabaseService: AnyObject, Sendable {
    /// Asks the service to end because the database is closing; does not wait.
    func beginStop()

    /// Blocks until the service has ended, after `beginStop()`; returns at once if it is not running.
    func waitForStop()

    /// Returns the service's current state, for other processes; `nil` if it publishes none.
    var report: (@Sendable () -> JSONObject)? { get }

    /// Whether it can end during a batch of another database, which may block the threads that services share.
    var endsBesideBatches: Bool { get }
}

extension DatabaseService {
    var report: (@Sendable () -> JSONObject)? { nil }
    var endsBesideBatches: Bool { false }
}

/// Lets a thread wait for a service to end.
final class ServiceEnd: Sendable {
    private let running = DispatchGroup()

    /// Notes that the service is running; each call is matched by one to `ended()`.
    func began() { running.enter() }

    /// Notes that the service has ended.
    func ended() { running.leave() }

    /// Blocks until the service has ended; not inside a callback of a service, which ends only afterwards.
    func wait() { running.wait() }
}

/// One call of the application's code: a task started in it inherits this, and may continue elsewhere or afterwards.
private final class Call: Sendable {
    private let thread = CurrentThread.id
    private let hasReturned = Atomic(false)

    var isHere: Bool {
        thread == CurrentThread.id && !hasReturned.load(ordering: .acquiring)
    }

    func end() { hasReturned.store(true, ordering: .releasing) }
}

/// Marks the time during which a thread runs the block of a batch of any database.
enum BatchBlock {
    @TaskLocal private static var call: Call?

    /// Whether this thread is inside such a block.
    static var isRunning: Bool { call?.isHere ?? false }

    /// Runs the block and marks the time.
    static func run(_ block: () throws -> Void) rethrows {
        let call = Call()
        defer { call.end() }
        try $call.withValue(call, operation: block)
    }
}

/// Marks the time during which a service's own thread runs the application's code.
enum ServiceCallback {
    @TaskLocal private static var call: Call?

    /// Whether this thread is inside such a callback.
    static var isRunning: Bool { call?.isHere ?? false }

    /// Runs the application's code and marks the time.
    static func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        let call = Call()
        defer { call.end() }
        return try $call.withValue(call, operation: body)
    }
}
