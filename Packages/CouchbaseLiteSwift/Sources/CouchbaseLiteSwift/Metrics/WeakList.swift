import Synchronization

/// Live objects in the order they were created.
final class WeakList<Element: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var element: Element?
    }

    private struct State {
        var entries: [Entry] = []
        var sweepCount = 64  // how many entries there may be before the dead ones are removed
    }

    private let state = Mutex(State())

    func add(_ element: Element) {
        state.withLock { state in
            state.entries.append(Entry(element: element))
            guard state.entries.count > state.sweepCount else { return }
            state.entries.removeAll { $0.element == nil }
            state.sweepCount = max(64, state.entries.count * 2)
        }
    }

    var all: [Element] { state.withLock { $0.entries.compactMap(\.element) } }
}
