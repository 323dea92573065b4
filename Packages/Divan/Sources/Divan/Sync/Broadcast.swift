internal import Synchronization

/// Delivers each value to all current readers.
final class Broadcast<Element: Sendable>: Sendable {
    private typealias Reader = Updates<Element, Never>.Continuation

    private struct State {
        var readers: [UInt64: Reader] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    deinit { finish() }

    /// Whether there are no readers.
    var isEmpty: Bool { state.withLock { $0.readers.isEmpty } }

    /// The values from the beginning of each loop on, after those of `first`.
    ///
    /// `first` is called under the lock, so that no value is lost, or delivered before an older one. If `hasEnded` is
    /// true then, nothing follows.
    func updates(
        bufferLimit: Int = 1_024,
        first: @escaping @Sendable () -> [Element] = { [] },
        hasEnded: @escaping @Sendable () -> Bool = { false }
    ) -> Updates<Element, Never> {
        Updates(bufferLimit: bufferLimit) { [self] reader in
            let (number, isOver) = state.withLock { state in
                state.lastNumber += 1
                state.readers[state.lastNumber] = reader
                for element in first() { reader.yield(element) }
                return (state.lastNumber, hasEnded())
            }
            if isOver { reader.finish() }
            return { [weak self] in
                // Released outside the lock: a reader may hold anything.
                let removed = self?.state.withLock { $0.readers.removeValue(forKey: number) }
                withExtendedLifetime(removed) {}
            }
        }
    }

    func send(_ element: Element) {
        state.withLock { state in for reader in state.readers.values { reader.yield(element) } }
    }

    /// Ends the sequences of all current readers.
    func finish() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
