import Dispatch
import DivanDatabase
import DivanQuery
import DivanRevisions
import DivanTransport
import Testing

@testable import DivanREST

/// A client that reads slowly does not keep a snapshot for long.
@Suite(.timeLimit(.minutes(5))) struct OpenRowsTests {
    private let store = Store.inMemory()
    private let queue = WorkQueue(label: "test", limit: 1)
    private let clock: any EventLoop = EventLoopGroup.shared.next()

    init() throws {
        for number in 0..<100 {
            _ = try store.save(
                DocumentID(unchecked: "d\(number)"),
                in: .default,
                body: Array(#"{"n":\#(number)}"#.utf8)
            )
        }
    }

    private func rows(pieceByteCount: Int, limit: Duration = .seconds(3_600)) throws -> OpenRows {
        let text = "SELECT n FROM _"
        let query = try RESTQuery(
            QueryStatement(sql: text),
            text,
            of: store,
            named: "notes",
            timeout: .seconds(3_600)
        )
        return try OpenRows(
            query,
            pieceByteCount: pieceByteCount,
            limit: limit,
            clock: clock,
            queue: queue
        )
    }

    /// Waits until the clock and the queue have done what is due.
    private func settle() {
        let isDone = DispatchSemaphore(value: 0)
        clock.schedule(at: clock.now + .milliseconds(1)) { [queue] in
            queue.async { isDone.signal() }
        }
        isDone.wait()
    }

    @Test func `after the time limit only rows that were read are returned`() throws {
        let rows = try rows(pieceByteCount: 50, limit: .zero)
        settle()
        #expect(try rows.page().items.isEmpty == false)
        #expect(throws: QueryStop.tookTooLong(limit: .zero)) { try rows.page() }
    }

    @Test func `unread rows are released when the log grows long`() throws {
        let rows = try rows(pieceByteCount: 50)
        _ = try rows.page()
        rows.logIsLong()
        settle()
        #expect(try rows.page().end == nil, "a client that reads goes on")
        rows.logIsLong()
        rows.logIsLong()
        settle()
        #expect(try rows.page().end == nil, "what was read ahead")
        #expect(throws: QueryStop.leftWaiting) { try rows.page() }
    }

    @Test func `the last few rows are read ahead`() throws {
        let rows = try rows(pieceByteCount: 600)
        rows.logIsLong()
        settle()
        let pages = [try rows.page(), try rows.page()]
        #expect(pages.map(\.items.count).reduce(0, +) == 100)
        #expect(pages[0].end == nil && pages[1].end != nil)
    }
}
