import DivanDatabase
import DivanJSON
import DivanQuery
import DivanTransport
import Synchronization

/// The rows of a query while they are sent to a client.
///
/// The first piece is read before the answer begins, so that a query that fails at once is answered with its error
/// instead of a truncated answer. The database keeps a snapshot for the rest, but not for long if the client reads
/// nothing: it is released when the time is over, or when much has been written since the last piece.
final class OpenRows: Sendable {
    private struct State {
        /// `nil` once the snapshot is released.
        var rows: StorageRows?
        /// Pages that were read ahead.
        var pages: [ListBody.Page]
        /// The error for the remaining rows.
        var failure: QueryStop?
        var timer: TimerToken?
    }

    private let titles: [ExactText]
    private let pieceByteCount: Int
    private let clock: any EventLoop
    private let queue: WorkQueue
    private let state: Mutex<State>
    /// Whether a piece was read since the log grew.
    private let wasRead = Atomic(false)

    /// Opens the rows of a query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - pieceByteCount: Bytes of a page.
    ///   - limit: How long the snapshot is kept, from now on.
    ///   - clock: The clock for the limit.
    ///   - queue: The queue on which the snapshot is released.
    /// - Throws: The error of the query's first rows.
    init(
        _ query: RESTQuery,
        pieceByteCount: Int,
        limit: Duration,
        clock: any EventLoop,
        queue: WorkQueue
    ) throws {
        let opened = try query.rows()
        titles = opened.titles
        self.pieceByteCount = pieceByteCount
        (self.clock, self.queue) = (clock, queue)
        let first: ListBody.Page
        do {
            first = try Self.page(of: opened, opened.titles, pieceByteCount)
        } catch {
            opened.end()
            throw error
        }
        let isOpen = first.end == nil
        state = Mutex(State(rows: isOpen ? opened : nil, pages: [first]))
        guard isOpen else { return }
        query.control.whenLogIsLong { [weak self] in self?.logIsLong() }
        let timer = clock.schedule(at: clock.now + limit) { [weak self, queue] in
            queue.async { [weak self] in self?.giveBack(.tookTooLong(limit: limit)) }
        }
        state.withLock { $0.timer = timer }
    }

    /// As many rows as fill a piece.
    func page() throws -> ListBody.Page {
        wasRead.store(true, ordering: .relaxed)
        return try state.withLock { state in
            guard state.pages.isEmpty else { return state.pages.removeFirst() }
            if let failure = state.failure { throw failure }
            guard let rows = state.rows else { return ListBody.Page(items: [], end: [:]) }
            let page = try Self.page(of: rows, titles, pieceByteCount)
            if page.end != nil { close(&state) }
            return page
        }
    }

    /// Called on a writer's thread; it does not wait for a client that has stopped reading.
    func logIsLong() {
        guard !wasRead.exchange(false, ordering: .relaxed) else { return }
        queue.async { [weak self] in self?.readAhead() }
    }

    /// Releases the snapshot after reading one more page; rows that follow it are refused.
    private func readAhead() {
        guard !wasRead.load(ordering: .relaxed) else { return }
        state.withLock { state in
            guard let rows = state.rows else { return }
            do {
                let page = try Self.page(of: rows, titles, pieceByteCount)
                if page.end == nil { state.failure = .leftWaiting }
                state.pages.append(page)
            } catch {
                state.failure = error as? QueryStop ?? .leftWaiting
            }
            close(&state)
        }
    }

    private func giveBack(_ reason: QueryStop) {
        state.withLock { state in
            guard state.rows != nil else { return }
            state.failure = reason
            close(&state)
        }
    }

    private func close(_ state: inout State) {
        state.rows?.end()
        state.rows = nil
        if let timer = state.timer.take() { clock.cancel(timer) }
    }

    private static func page(
        of rows: StorageRows,
        _ titles: [ExactText],
        _ byteCount: Int
    ) throws -> ListBody.Page {
        var page = ListBody.Page(items: [])
        var size = 0
        while size < byteCount {
            guard let row = try rows.next() else {
                page.end = [:]
                break
            }
            let text = try QueryRowText.object(titles, row)
            size += text.count
            page.items.append(text)
        }
        return page
    }

    /// Releases the snapshot.
    func end() {
        state.withLock { close(&$0) }
    }
}
