import Dispatch
import DivanLog
import Synchronization

/// The listeners of one source of events; posts each event to each listener's queue, in order.
///
/// Safe to use from any thread. Removing a listener stops the delivery of events that are not queued yet.
final class ListenerList<Event: Sendable>: Sendable {
    private struct State {
        var listeners: [UInt64: Listener<Event>] = [:]
        var order: [UInt64] = []
        var lastKey: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Whether there are no listeners.
    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Adds a listener that receives each event posted from now on.
    ///
    /// It runs on `queue`; `nil` means `Database.defaultListenerQueue` at the time of delivery. At most the newest
    /// `limit` waiting events are kept. `removed` runs after the listener is removed through its token, on the same
    /// thread.
    func add(
        queue: DispatchQueue?,
        keepingNewest limit: Int = .max,
        removed: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Event) -> Void
    ) -> ListenerToken {
        insert(Listener(delivery: .queue(queue), limit: limit, body: body), removed: removed)
    }

    /// Adds a listener that runs on the main actor.
    func add(
        removed: (@Sendable () -> Void)? = nil,
        onMain body: @escaping @MainActor @Sendable (Event) -> Void
    ) -> ListenerToken {
        // The main actor runs on the main queue.
        add(queue: .main, removed: removed) { event in MainActor.assumeIsolated { body(event) } }
    }

    /// Adds a listener that runs on the posting thread; it must be quick and never block.
    ///
    /// `ended` runs when `end()` is called before the listener is removed.
    func addInline(
        removed: (@Sendable () -> Void)? = nil,
        ended: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Event) -> Void
    ) -> ListenerToken {
        insert(Listener(delivery: .postingThread, ended: ended, body: body), removed: removed)
    }

    /// Delivers `event` to every listener, in the order they were added.
    func post(_ event: Event) {
        let listeners = state.withLock { state in
            state.order.compactMap { state.listeners[$0] }
        }
        for listener in listeners { listener.deliver(event) }
    }

    /// Removes all listeners because there will be no more events.
    func end() {
        let listeners = state.withLock { state in
            defer { state = State(lastKey: state.lastKey) }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.end() }
    }

    private func insert(
        _ listener: Listener<Event>,
        removed: (@Sendable () -> Void)?
    ) -> ListenerToken {
        let key = state.withLock { state in
            state.lastKey += 1
            state.listeners[state.lastKey] = listener
            state.order.append(state.lastKey)
            return state.lastKey
        }
        return ListenerToken { [weak self] in
            self?.remove(key)
            removed?()
        }
    }

    private func remove(_ key: UInt64) {
        // Released outside the lock: an object that the listener holds may remove another listener when it is released.
        let removed = state.withLock { state in
            state.order.removeAll { $0 == key }
            return state.listeners.removeValue(forKey: key)
        }
        removed?.cancel()
    }
}

/// One listener: a closure, where it runs, and how many events arrived since it ran.
private final class Listener<Event: Sendable>: Sendable {
    enum Delivery: Sendable {
        case queue(DispatchQueue?)
        case postingThread
    }

    /// Events that may wait before a warning reports that nobody drains the queue.
    private let waitingCountLimit = 1_000

    private let delivery: Delivery
    /// The most events that wait; `Int.max` for all.
    private let limit: Int
    /// The waiting events, if there is a limit.
    private let kept = Mutex<[Event]>([])
    private let ended: (@Sendable () -> Void)?
    private let body: @Sendable (Event) -> Void
    private let isCancelled = Atomic(false)
    private let waitingCount = Atomic(0)
    private let hasWarned = Atomic(false)

    init(
        delivery: Delivery,
        limit: Int = .max,
        ended: (@Sendable () -> Void)? = nil,
        body: @escaping @Sendable (Event) -> Void
    ) {
        self.delivery = delivery
        self.limit = limit
        self.ended = ended
        self.body = body
    }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
    }

    func end() {
        cancel()
        ended?()
    }

    func deliver(_ event: Event) {
        switch delivery {
        case .postingThread:
            body(event)
        case .queue(let queue) where limit == .max:
            noteWaiting()
            enqueue(on: queue) { event }
        case .queue(let queue):
            noteWaiting()
            guard needsTurn(event) else { return }
            enqueue(on: queue) { self.kept.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        }
    }

    /// Keeps an event; returns whether it needs its own turn on the queue, because it did not replace the oldest event
    /// and take over that one's turn.
    private func needsTurn(_ event: Event) -> Bool {
        let oldest = kept.withLock { kept -> Event? in
            kept.append(event)
            return kept.count > limit ? kept.removeFirst() : nil
        }
        return oldest == nil
    }

    private func enqueue(on queue: DispatchQueue?, _ take: @escaping @Sendable () -> Event?) {
        (queue ?? ListenerQueue.standard).async { self.run(take()) }
    }

    private func run(_ event: Event?) {
        if limit == .max {
            waitingCount.subtract(1, ordering: .relaxed)
        } else {
            waitingCount.store(0, ordering: .relaxed)
        }
        guard let event, !isCancelled.load(ordering: .acquiring) else { return }
        body(event)
    }

    private func noteWaiting() {
        let waiting = waitingCount.add(1, ordering: .relaxed).newValue
        guard waiting > waitingCountLimit,
            !hasWarned.exchange(true, ordering: .relaxed)
        else { return }
        Journal.database.warning(
            "Listener: \(waiting) events are waiting in its queue; run the main run loop, pass a "
                + "queue, or set Database.defaultListenerQueue"
        )
    }
}
