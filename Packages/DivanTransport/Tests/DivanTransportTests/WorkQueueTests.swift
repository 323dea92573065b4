import Dispatch
import DivanTransport
import Synchronization
import Testing

/// Work that waits in line for a thread.
@Suite(.timeLimit(.minutes(5))) struct WorkQueueTests {
    /// Numbers that any thread may change.
    private final class Ledger: Sendable {
        struct State {
            var done: [Int] = []
            var running = 0
            var most = 0
            var kept = 0
            var keptAtEnd = 0
        }

        let state = Mutex(State())
    }

    /// Counts itself as long as it is retained.
    private final class Kept: Sendable {
        private let ledger: Ledger

        init(_ ledger: Ledger) {
            self.ledger = ledger
            ledger.state.withLock { $0.kept += 1 }
        }

        deinit { ledger.state.withLock { $0.kept -= 1 } }
    }

    /// Gives the queue work when it is released.
    private final class Parting: Sendable {
        private let queue: WorkQueue
        private let didGo: @Sendable () -> Void

        init(_ queue: WorkQueue, _ didGo: @escaping @Sendable () -> Void) {
            self.queue = queue
            self.didGo = didGo
        }

        deinit { queue.async(didGo) }
    }

    @Test func `values held by finished work can use the queue while they are released`() async {
        let queue = WorkQueue(label: "test", limit: 1)
        let (gone, continuation) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<100 {
            let parting = Parting(queue) { continuation.yield() }
            queue.async { withExtendedLifetime(parting) {} }
        }
        var count = 0
        for await _ in gone {
            count += 1
            if count == 100 { break }
        }
        #expect(count == 100)
    }

    @Test(arguments: [1, 3]) func `concurrent work stays within the limit, and everything runs`(
        _ limit: Int
    ) async {
        let queue = WorkQueue(label: "test", limit: limit)
        let ledger = Ledger()
        await withCheckedContinuation { continuation in
            for number in 0..<500 {
                queue.async {
                    ledger.state.withLock { state in
                        state.running += 1
                        state.most = max(state.most, state.running)
                    }
                    let isLast = ledger.state.withLock { state in
                        state.running -= 1
                        state.done.append(number)
                        return state.done.count == 500
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
        let (done, most) = ledger.state.withLock { ($0.done, $0.most) }
        #expect(most <= limit)
        #expect(limit == 1 ? done == Array(0..<500) : Set(done) == Set(0..<500))
    }

    @Test func `a queue that is never empty releases finished work`() async {
        let queue = WorkQueue(label: "test", limit: 1)
        let ledger = Ledger()
        let begin = DispatchSemaphore(value: 0)
        queue.async { begin.wait() }
        await withCheckedContinuation { continuation in
            for _ in 0..<400 {
                let kept = Kept(ledger)
                queue.async { withExtendedLifetime(kept) {} }
            }
            queue.async {
                ledger.state.withLock { $0.keptAtEnd = $0.kept }
                continuation.resume()
            }
            // After the last one, so that the line is not empty when it is done.
            queue.async {}
            begin.signal()
        }
        #expect(ledger.state.withLock { $0.keptAtEnd } < 250)
    }

    @Test func `part of a queue leaves capacity for others, and all its work runs`() {
        let whole = WorkQueue(label: "test", limit: 2)
        let part = WorkQueue(partOf: whole, limit: 1)
        let (end, done, other) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        for _ in 0..<5 {
            part.async {
                end.wait()
                done.signal()
            }
        }
        for _ in 0..<3 {
            whole.async { other.signal() }
            #expect(other.wait(timeout: .now() + 20) == .success)
        }
        for _ in 0..<5 { end.signal() }
        for _ in 0..<5 { #expect(done.wait(timeout: .now() + 20) == .success) }
    }

    /// A program that blocks in its process's pool must not keep clients out of its listener.
    @Test func `blocking the threads of the global pool does not delay the queue`() {
        let (end, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let blockedCount = 200
        for _ in 0..<blockedCount { DispatchQueue.global().async { end.wait() } }
        defer { for _ in 0..<blockedCount { end.signal() } }
        let queue = WorkQueue(label: "test", limit: 2)
        for _ in 0..<4 { queue.async { done.signal() } }
        // The pool grows by one thread per second, so a place in its line would take minutes.
        for _ in 0..<4 { #expect(done.wait(timeout: .now() + 20) == .success) }
    }
}
