import Dispatch
import DivanHTTP
import DivanStore
import DivanTransport
import Synchronization
import Testing

@testable import DivanREST

/// What waits for a change ends with whoever wanted to know of it.
@Suite(.timeLimit(.minutes(5))) struct ChangeWaitTests {
    private let queue = WorkQueue(label: "test", limit: 1)
    private let bell: ChangeBell

    init() {
        bell = ChangeBell(.inMemory(), clock: EventLoopGroup.shared.next(), queue: queue)
    }

    /// Lets the queue do what it has.
    private func settle() {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { isDone.signal() }
        isDone.wait()
    }

    @Test func `a stream whose client has gone waits no more`() {
        let body = EventStreamBody(bell, on: queue, heartbeat: .seconds(3_600)) { nil }
        body.next { _ in Issue.record("answered") }
        settle()
        #expect(bell.waiterCount == 1)
        body.cancel()
        #expect(bell.waiterCount == 0)
        settle()
    }

    @Test func `a stream greets first, and then tells what is found`() {
        let hello = Array("data: hello".utf8)
        let body = EventStreamBody(bell, on: queue, heartbeat: .zero, greeting: hello) { nil }
        let pieces = Mutex<[HTTPBodyPiece]>([])
        for _ in 0..<2 {
            body.next { piece in pieces.withLock { $0.append(piece) } }
            settle()
        }
        #expect(pieces.withLock { $0 } == [.bytes(hello), .bytes(HTTPEvent.heartbeat)])
        #expect(bell.waiterCount == 0)
    }
}
