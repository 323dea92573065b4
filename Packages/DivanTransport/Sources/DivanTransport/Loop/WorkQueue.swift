import Dispatch
import Synchronization

/// Runs work that would block a loop on its own threads, with a limited number of items at a time.
///
/// Its users limit the number of waiting items: servers limit their connections, each of which sends one request at
/// a time, and the work of a disconnected client is removed. Can be used from any thread.
public final class WorkQueue: Sendable {
    /// Runs one thing at a time.
    private enum Lane {
        /// A serial queue has its own thread; a concurrent one shares the process's pool, where code that blocks would
        /// keep us from running.
        case thread(DispatchQueue)
        /// A place in the line of another queue.
        case place(in: WorkQueue)
    }

    private struct State {
        var idleLanes: [Lane] = []
        var laneCount = 0
        /// By number; numbers only grow.
        var waiting: [UInt64: @Sendable () -> Void] = [:]
        var nextNumber: UInt64 = 0
        var lastNumber: UInt64 = 0

        mutating func wait(_ work: @escaping @Sendable () -> Void) -> UInt64 {
            lastNumber += 1
            waiting[lastNumber] = work
            return lastNumber
        }

        /// The caller must release the work outside the lock: what it holds may use the queue then.
        mutating func takeWaiting() -> (@Sendable () -> Void)? {
            while !waiting.isEmpty {
                nextNumber += 1
                if let work = waiting.removeValue(forKey: nextNumber) { return work }
            }
            (waiting, nextNumber) = ([:], lastNumber)
            return nil
        }
    }

    private static let mark = DispatchSpecificKey<Void>()

    /// Whether the caller runs on a thread of one of these queues.
    public static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

    private let label: String
    private let limit: Int
    private let whole: WorkQueue?
    private let state = Mutex(State())

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - label: The name of its threads, for debuggers.
    ///   - limit: The number of items that run at a time, at least one.
    public init(label: String, limit: Int) {
        self.label = label
        self.limit = max(1, limit)
        whole = nil
    }

    /// Creates a queue that uses at most a part of another queue: the work of one client waits in this queue, and
    /// at most `limit` of its items are in the other.
    ///
    /// - Parameters:
    ///   - whole: The queue that runs the work.
    ///   - limit: The number of items of this queue that it contains at a time, at least one.
    public init(partOf whole: WorkQueue, limit: Int) {
        label = whole.label
        self.limit = max(1, limit)
        self.whole = whole
    }

    /// Runs `work` soon, after the work that is already queued.
    public func async(_ work: @escaping @Sendable () -> Void) {
        enter(work)
    }

    /// Like `async`, for a client: when it disconnects, work that has not started is removed.
    public func async(
        unlessGone client: DisconnectSignal,
        _ work: @escaping @Sendable () -> Void
    ) {
        guard !client.isOver, let number = enter({ if !client.isOver { work() } }) else { return }
        client.whenOver { [weak self] in
            let work = self?.state.withLock { $0.waiting.removeValue(forKey: number) }
            withExtendedLifetime(work) {}
        }
    }

    /// Starts the work, or returns its number in the line.
    @discardableResult
    private func enter(_ work: @escaping @Sendable () -> Void) -> UInt64? {
        let (lane, number) = state.withLock { state -> (Lane?, UInt64?) in
            if let lane = state.idleLanes.popLast() { return (lane, nil) }
            guard state.laneCount < limit else { return (nil, state.wait(work)) }
            state.laneCount += 1
            return (whole.map { .place(in: $0) } ?? .thread(makeThread()), nil)
        }
        if let lane { run(work, on: lane) }
        return number
    }

    private func makeThread() -> DispatchQueue {
        let thread = DispatchQueue(label: label)
        thread.setSpecific(key: Self.mark, value: ())
        return thread
    }

    private func run(_ work: @escaping @Sendable () -> Void, on lane: Lane) {
        let turn = { @Sendable in
            work()
            if let next = self.takeNext(for: lane) { self.run(next, on: lane) }
        }
        switch lane {
        case .thread(let thread): thread.async(execute: turn)
        case .place(let whole): whole.async(turn)
        }
    }

    /// The lane's next work; if there is none, the lane becomes idle.
    private func takeNext(for lane: Lane) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let next = state.takeWaiting() else {
                state.idleLanes.append(lane)
                return nil
            }
            return next
        }
    }
}
