import Dispatch
import DivanDatabase
import DivanHTTP
import DivanTransport
import Synchronization
import Testing

@testable import DivanREST

/// A wait for changes ends with whoever started it.
@Suite(.timeLimit(.minutes(5))) struct ChangeWaitTests {
    private let queue = WorkQueue(label: "test", limit: 1)
    private let notifier: ChangeNotifier

    init() {
        notifier = ChangeNotifier(.inMemory(), clock: EventLoopGroup.shared.next(), queue: queue)
    }

    /// Lets the queue finish its work.
    private func settle() {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { isDone.signal() }
        isDone.wait()
    }

    @Test func `a stream stops waiting when its client disconnects`() {
        let body = EventStreamBody(notifier, on: queue, heartbeat: .seconds(3_600)) { nil }
        body.next { _ in Issue.record("answered") }
        settle()
        #expect(notifier.waiterCount == 1)
        body.cancel()
        #expect(notifier.waiterCount == 0)
        settle()
    }

    @Test func `a ticket that arrives late does not replace a newer one`() {
        let wait = ChangeWait(notifier, on: queue)
        let tickets = (0..<2).map { _ in
            notifier.wait(after: notifier.position, until: notifier.clock.now + .seconds(3_600)) {}
        }
        notifier.cancel(tickets[0])
        wait.keep(tickets[1])
        wait.keep(tickets[0])
        #expect(notifier.waiterCount == 1)
        wait.cancel()
        #expect(notifier.waiterCount == 0)
    }

    @Test func `an unfinished check runs again and yields to other work`() {
        let wait = ChangeWait(notifier, on: queue)
        let looks = Mutex(0)
        let others = Mutex(0)
        let isDone = DispatchSemaphore(value: 0)
        wait.wait(until: notifier.clock.now + .seconds(3_600)) { [queue] in
            queue.async { others.withLock { $0 += 1 } }
            let count = looks.withLock { looks in
                looks += 1
                return looks
            }
            return count < 5 ? .unfinished : .found(others.withLock { $0 })
        } _: { (outcome: Result<Int?, any Error>) in
            #expect((try? outcome.get()) == 4)
            isDone.signal()
        }
        isDone.wait()
        settle()
        #expect(notifier.waiterCount == 0)
    }

    @Test func `a cancelled wait stops checking`() {
        let wait = ChangeWait(notifier, on: queue)
        let looks = Mutex(0)
        wait.wait(until: notifier.clock.now + .seconds(3_600)) {
            if looks.withLock({ looks in
                looks += 1
                return looks == 3
            }) {
                wait.cancel()
            }
            return ChangePollResult<Int>.unfinished
        } _: { _ in
            Issue.record("answered")
        }
        for _ in 0..<5 { settle() }
        #expect(looks.withLock { $0 } == 3)
    }

    @Test func `an empty body page is requested again until its client disconnects`() {
        let count = Mutex(0)
        let body = PagedBody(on: queue) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number < 4 ? [] : Array("x".utf8)
        }
        let pieces = Mutex<[HTTPBodyPiece]>([])
        body.next { piece in pieces.withLock { $0.append(piece) } }
        for _ in 0..<5 { settle() }
        #expect(pieces.withLock { $0 } == [.bytes(Array("x".utf8))])
        count.withLock { $0 = -1_000_000 }
        body.next { piece in pieces.withLock { $0.append(piece) } }
        body.cancel()
        for _ in 0..<5 { settle() }
        #expect(pieces.withLock { $0 }.last == .end)
    }

    @Test func `a stream sends its greeting before any event`() {
        let hello = Array("data: hello".utf8)
        let body = EventStreamBody(notifier, on: queue, heartbeat: .zero, greeting: hello) { nil }
        let pieces = Mutex<[HTTPBodyPiece]>([])
        for _ in 0..<2 {
            body.next { piece in pieces.withLock { $0.append(piece) } }
            settle()
        }
        #expect(pieces.withLock { $0 } == [.bytes(hello), .bytes(HTTPEvent.heartbeat)])
        #expect(notifier.waiterCount == 0)
    }
}
