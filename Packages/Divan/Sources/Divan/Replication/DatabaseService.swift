import Dispatch
import DivanJSON
import Glibc
import Synchronization

/// What runs on behalf of a database and must end before it closes: a replicator or a listener.
///
/// While it runs, its database keeps it alive.
///
/// Source: `behaviour.md` §6 (11), §13, §15.
protocol DatabaseService: AnyObject, Sendable {
    /// Asks the service to end before the database closes, and does not wait.
    func beginStop()

    /// Blocks until the service has ended, behind `beginStop()`; returns at once when it does not run.
    func waitForStop()

    /// Says how the service is, for other processes, each time that it is called; `nil` for one that tells
    /// nobody.
    var report: (@Sendable () -> JSONObject)? { get }

    /// Whether it ends by itself while a batch of another database runs, which may hold up the threads that
    /// services share.
    var endsBesideBatches: Bool { get }
}

extension DatabaseService {
    var report: (@Sendable () -> JSONObject)? { nil }
    var endsBesideBatches: Bool { false }
}

/// Lets a thread wait until a service has ended.
final class ServiceEnd: Sendable {
    private let running = DispatchGroup()

    /// Notes that the service runs now; each call is followed by one of `ended()`.
    func began() { running.enter() }

    /// Notes that the service has ended.
    func ended() { running.leave() }

    /// Blocks until the service has ended.
    ///
    /// Stops the program when this thread is inside a callback of a service: the service cannot
    /// end before the callback returns, so both would wait for ever.
    func wait(closing name: String) {
        guard !ServiceCallback.isRunning else {
            stopForMisuse(
                "Database \(name): closed from a filter, resolver or authenticator, which "
                    + "the close has to wait for; close it from another thread"
            )
        }
        running.wait()
    }
}

/// One call of the application's code: a task that is begun in it inherits this, and may go on elsewhere or
/// afterwards.
private final class Call: Sendable {
    private let thread = UInt(pthread_self())
    private let hasReturned = Atomic(false)

    var isHere: Bool {
        thread == UInt(pthread_self()) && !hasReturned.load(ordering: .acquiring)
    }

    func end() { hasReturned.store(true, ordering: .releasing) }
}

/// Marks the time in which a thread runs the block of a batch, of any database.
enum BatchBlock {
    @TaskLocal private static var call: Call?

    /// Whether this thread is inside such a block.
    static var isRunning: Bool { call?.isHere ?? false }

    /// Runs the block, marked.
    static func run(_ block: () throws -> Void) rethrows {
        let call = Call()
        defer { call.end() }
        try $call.withValue(call, operation: block)
    }
}

/// Marks the time in which a service's own thread runs the application's code.
enum ServiceCallback {
    @TaskLocal private static var call: Call?

    /// Whether this thread is inside such a callback.
    static var isRunning: Bool { call?.isHere ?? false }

    /// Runs the application's code, marked.
    static func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        let call = Call()
        defer { call.end() }
        return try $call.withValue(call, operation: body)
    }
}
