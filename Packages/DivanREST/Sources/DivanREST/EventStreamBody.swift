public import DivanHTTP
import DivanLog
public import DivanTransport
import Synchronization

/// An endless event stream: events for each change of a database, and keep-alive lines.
public final class EventStreamBody: HTTPBodySource {
    private let wait: ChangeWait
    private let heartbeat: Duration
    private let greeting: Mutex<[UInt8]>
    private let look: @Sendable () throws -> ChangePollResult<[UInt8]>

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - notifier: Notifies of possible events.
    ///   - queue: The queue on which the database is read.
    ///   - heartbeat: Maximum time without a line.
    ///   - greeting: Events that are sent immediately.
    ///   - look: Returns the events since the last call, never called concurrently; `nil` if there are none.
    public convenience init(
        _ notifier: ChangeNotifier,
        on queue: WorkQueue,
        heartbeat: Duration,
        greeting: [UInt8] = [],
        look: @escaping @Sendable () throws -> [UInt8]?
    ) {
        self.init(
            notifier,
            on: queue,
            heartbeat: heartbeat,
            greeting: greeting,
            looking: {
                try look().map { .found($0) } ?? .nothing
            }
        )
    }

    /// The same for a look that may be unfinished.
    init(
        _ notifier: ChangeNotifier,
        on queue: WorkQueue,
        heartbeat: Duration,
        greeting: [UInt8] = [],
        looking look: @escaping @Sendable () throws -> ChangePollResult<[UInt8]>
    ) {
        wait = ChangeWait(notifier, on: queue)
        self.heartbeat = heartbeat
        self.greeting = Mutex(greeting)
        self.look = look
    }

    /// Waits for the next events.
    public func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
        let greeting = greeting.withLock { greeting in
            defer { greeting = [] }
            return greeting
        }
        guard greeting.isEmpty else { return answer(.bytes(greeting)) }
        wait.wait(until: wait.notifier.clock.now + heartbeat, for: look) { outcome in
            switch outcome {
            case .success(let events): answer(.bytes(events ?? HTTPEvent.heartbeat))
            case .failure(let error):
                Log(.listener).warning("Changes feed failed: \(error)")
                answer(.failed)
            }
        }
    }

    /// It never ends.
    public var isEndless: Bool { true }

    /// Ends the stream.
    public func cancel() {
        wait.cancel()
    }
}
