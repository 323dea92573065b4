/// Timers by deadline; timers with the same deadline run in the order in which they were added.
///
/// For implementations of `EventLoop`, which protect it like their other state.
public struct TimerQueue: Sendable {
    private struct Entry: Sendable {
        let deadline: Duration
        let number: UInt64

        func isBefore(_ other: Entry) -> Bool {
            (deadline, number) < (other.deadline, other.number)
        }
    }

    private var heap: [Entry] = []
    private var work: [UInt64: @Sendable () -> Void] = [:]  // without those cancelled

    /// Creates a queue without timers.
    public init() {}

    /// The time at which the next timer is due.
    public mutating func deadline() -> Duration? {
        while let first = heap.first, work[first.number] == nil { removeFirst() }
        return heap.first?.deadline
    }

    /// Adds a timer under a number higher than all numbers used before.
    public mutating func insert(
        _ number: UInt64,
        at deadline: Duration,
        _ work: @escaping @Sendable () -> Void
    ) {
        self.work[number] = work
        heap.append(Entry(deadline: deadline, number: number))
        siftUp(from: heap.count - 1)
    }

    /// Cancels a timer; its heap entry is removed when it is due, or together with many others.
    public mutating func cancel(_ number: UInt64) {
        _ = remove(number)
    }

    /// Like `cancel`, but returns the work, for callers that must not release it while the queue is being changed.
    mutating func remove(_ number: UInt64) -> (@Sendable () -> Void)? {
        guard let removed = work.removeValue(forKey: number) else { return nil }
        if heap.count > 64, heap.count > 4 * work.count { compact() }
        return removed
    }

    /// Removes and returns the first timer if it is due at `now` and its number is at most `newest`.
    public mutating func take(at now: Duration, upTo newest: UInt64) -> (@Sendable () -> Void)? {
        guard let deadline = deadline(), deadline <= now, let first = heap.first,
            first.number <= newest
        else { return nil }
        removeFirst()
        return work.removeValue(forKey: first.number)
    }

    private mutating func compact() {
        heap = heap.filter { work[$0.number] != nil }.sorted { $0.isBefore($1) }
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isBefore(heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
