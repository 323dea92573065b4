/// Values that arrive over time, for `for await`: the results of a live query, changes, the status of a sync.
///
/// Each loop subscribes anew, and unsubscribes when it ends or its task is cancelled. At most ``bufferLimit`` values
/// wait for a slow loop; then the oldest one is dropped. A sequence whose `Failure` is `Never` needs no `try`.
///
/// ```swift
/// for try await open in notes.live(where: #Predicate<Note> { !$0.done }) { show(open) }
/// ```
public struct Updates<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    typealias Source = AsyncThrowingStream<Element, any Error>

    /// How many values wait for a slow loop.
    public let bufferLimit: Int
    private let start: @Sendable (Continuation) -> @Sendable () -> Void

    /// Creates a sequence from a function that subscribes and returns how to unsubscribe.
    init(
        bufferLimit: Int = 1_024,
        _ start: @escaping @Sendable (Continuation) -> @Sendable () -> Void
    ) {
        self.bufferLimit = bufferLimit
        self.start = start
    }

    /// Receives the values of one subscription; may be used from any thread.
    struct Continuation: Sendable {
        fileprivate let source: Source.Continuation

        /// Delivers a value; ignored after the end.
        func yield(_ element: Element) { source.yield(element) }
        /// Ends the sequence.
        func finish() { source.finish() }
        /// Ends the sequence with an error.
        func finish(throwing error: Failure) { source.finish(throwing: error) }
    }

    /// Subscribes, and returns an iterator for the values from now on.
    public func makeAsyncIterator() -> Iterator {
        let stream = Source(bufferingPolicy: .bufferingNewest(bufferLimit)) { continuation in
            let stop = start(Continuation(source: continuation))
            continuation.onTermination = { _ in stop() }
        }
        return Iterator(stream.makeAsyncIterator())
    }

    /// Iterates over the values of one subscription.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: Source.Iterator

        fileprivate init(_ source: Source.Iterator) {
            self.source = source
        }

        /// Returns the next value, or `nil` at the end or after the task was cancelled.
        public mutating func next() async throws(Failure) -> Element? {
            try await next(isolation: #isolation)
        }

        /// Returns the next value, or `nil` at the end or after the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Element? {
            do {
                return try await source.next(isolation: actor)
            } catch {
                // Only `finish(throwing:)` ends the stream with an error.
                guard let failure = error as? Failure else { return nil }
                throw failure
            }
        }
    }
}
