internal import Synchronization

/// Delivers each value to all current readers.
final class Broadcast<Element: Sendable>: Sendable {
    private struct Reader {
        let receive: @Sendable (Element) -> Void
        let end: @Sendable () -> Void
    }

    private struct State {
        var readers: [UInt64: Reader] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    deinit { finish() }

    /// Whether there are no readers.
    var isEmpty: Bool { state.withLock { $0.readers.isEmpty } }

    /// Adds a reader; returns how to remove it.
    func add(
        _ receive: @escaping @Sendable (Element) -> Void,
        end: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.readers[state.lastNumber] = Reader(receive: receive, end: end)
            return state.lastNumber
        }
        return { [weak self] in
            // Released outside the lock: a reader may hold anything.
            let removed = self?.state.withLock { $0.readers.removeValue(forKey: number) }
            withExtendedLifetime(removed) {}
        }
    }

    /// The values from the beginning of each loop on, after those of `first`.
    func updates(
        bufferLimit: Int = 1_024,
        first: @escaping @Sendable () -> [Element] = { [] }
    ) -> Updates<Element, Never> {
        Updates(bufferLimit: bufferLimit) { [self] continuation in
            for element in first() { continuation.yield(element) }
            return add({ continuation.yield($0) }, end: { continuation.finish() })
        }
    }

    func send(_ element: Element) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.receive(element) }
    }

    /// Ends the sequences of all current readers.
    func finish() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.end() }
    }
}
