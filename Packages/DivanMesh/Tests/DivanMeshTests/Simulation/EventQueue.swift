/// What happens in a simulation, in the order of time; at one time, in the order in which it was added.
///
/// A binary heap: a run has millions of events.
struct EventQueue<Event> {
    private struct Entry {
        let time: Duration
        let order: Int
        let event: Event

        func isBefore(_ other: Entry) -> Bool {
            (time, order) < (other.time, other.order)
        }
    }

    private var heap: [Entry] = []
    private var addedCount = 0

    /// The time of the next event.
    var next: Duration? { heap.first?.time }

    mutating func add(_ event: Event, at time: Duration) {
        heap.append(Entry(time: time, order: addedCount, event: event))
        addedCount += 1
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> (time: Duration, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, first.event)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
