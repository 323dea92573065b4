public import DivanDatabase
public import DivanTransport
import Synchronization

/// Notifies waiters of changes in a database.
///
/// A waiter records the `position` before it reads the database, and waits for the next one, so that no change is missed.
/// In the writing process, it is notified of each commit. For a database that another process writes, it polls the
/// sequences while there are waiters.
public final class ChangeNotifier: Sendable {
    /// Identifies a waiter.
    public struct Ticket: Hashable, Sendable {
        /// Later waiters have greater numbers.
        let number: UInt64
    }

    private struct Waiter {
        let wake: @Sendable () -> Void
        var timer: TimerToken?
    }

    private struct State {
        var position: UInt64 = 0
        var lastNumber: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var isLooking = false
        var seen: [CollectionPath: UInt64] = [:]
    }

    /// The clock for deadlines.
    public let clock: any EventLoop

    private let store: Store
    private let queue: WorkQueue
    private let interval: Duration
    private let state = Mutex(State())
    private let observation = Mutex<StoreObservation?>(nil)

    /// Creates a notifier.
    ///
    /// - Parameters:
    ///   - store: The database to observe.
    ///   - clock: The clock for deadlines.
    ///   - queue: The queue on which the database is polled.
    ///   - interval: The polling interval for a database that is read-only here.
    public init(
        _ store: Store,
        clock: any EventLoop,
        queue: WorkQueue,
        interval: Duration = .milliseconds(250)
    ) {
        self.store = store
        self.clock = clock
        self.queue = queue
        self.interval = interval
        let observation = store.observe { [weak self] _ in self?.ring() }
        self.observation.withLock { $0 = observation }
    }

    /// The number of waiters.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// The number of notifications so far.
    public var position: UInt64 { state.withLock { $0.position } }

    /// Calls `wake` once, on any thread: immediately or at the first notification after `position`, or at `deadline`.
    public func wait(
        after position: UInt64,
        until deadline: Duration,
        _ wake: @escaping @Sendable () -> Void
    ) -> Ticket {
        let (ticket, isDue, begins) = state.withLock { state in
            state.lastNumber += 1
            let ticket = Ticket(number: state.lastNumber)
            guard state.position == position else { return (ticket, true, false) }
            state.waiters[ticket.number] = Waiter(wake: wake)
            let begins = store.isReadOnly && !state.isLooking
            if begins { state.isLooking = true }
            return (ticket, false, begins)
        }
        guard !isDue else {
            wake()
            return ticket
        }
        let timer = clock.schedule(at: deadline) { [weak self] in self?.expire(ticket) }
        let isWaiting = state.withLock { state in
            state.waiters[ticket.number]?.timer = timer
            return state.waiters[ticket.number] != nil
        }
        if !isWaiting { clock.cancel(timer) }
        if begins { lookLater() }
        return ticket
    }

    /// Removes a waiter; ignored if it was already notified.
    public func cancel(_ ticket: Ticket) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket.number) }
        if let timer = waiter?.timer { clock.cancel(timer) }
    }

    private func expire(_ ticket: Ticket) {
        state.withLock { $0.waiters.removeValue(forKey: ticket.number) }?.wake()
    }

    private func ring() {
        let woken = state.withLock { state in
            state.position += 1
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in woken {
            if let timer = waiter.timer { clock.cancel(timer) }
            waiter.wake()
        }
    }

    /// Polls at intervals until nobody waits.
    private func lookLater() {
        clock.schedule(at: clock.now + interval) { [weak self] in
            guard let self else { return }
            queue.async { [weak self] in self?.look() }
        }
    }

    private func look() {
        let fresh = try? store.read { try $0.lastSequences() }
        let (changed, goesOn) = state.withLock { state in
            let changed = fresh != nil && fresh != state.seen
            if let fresh { state.seen = fresh }
            state.isLooking = !changed && !state.waiters.isEmpty
            return (changed, state.isLooking)
        }
        if changed { ring() }
        if goesOn { lookLater() }
    }
}
