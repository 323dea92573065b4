import DivanJSON
import DivanQuery
import DivanStore
import DivanTransport
import Synchronization

/// The rows of a query on their way to a client.
///
/// The first piece is read before there is an answer, so that a query that fails at once is answered
/// with its error instead of an answer that ends in the middle. The database keeps a snapshot for the rest,
/// which a client that takes nothing does not hold for long: it is given back when the time is over, or when
/// much has been written since the last piece.
final class OpenRows: Sendable {
    private struct State {
        /// `nil` once the snapshot is given back.
        var rows: StorageRows?
        /// What has been read ahead.
        var pages: [ListBody.Page]
        /// What the rest is refused with.
        var failure: QueryStop?
        var timer: TimerToken?
    }

    private let titles: [ExactText]
    private let pieceByteCount: Int
    private let clock: any EventLoop
    private let queue: WorkQueue
    private let state: Mutex<State>
    /// Whether a piece was taken since the log grew.
    private let wasRead = Atomic(false)

    /// Opens the rows of a query.
    ///
    /// - Parameters:
    ///   - query: What is asked.
    ///   - pieceByteCount: Bytes of a page.
    ///   - limit: How long the snapshot is kept, from now on.
    ///   - clock: What tells the time.
    ///   - queue: Where the snapshot is given back.
    /// - Throws: What the query fails with at its first rows.
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
        query.watch.whenLogIsLong { [weak self] in self?.logIsLong() }
        let timer = clock.schedule(at: clock.now + limit) { [weak self, queue] in
            queue.async { [weak self] in self?.giveBack(.tookTooLong(limit: limit)) }
        }
        state.withLock { $0.timer = timer }
    }

    /// So many rows as fill a piece.
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

    /// Called on the thread of a writer; a client that takes no more is not waited for.
    func logIsLong() {
        guard !wasRead.exchange(false, ordering: .relaxed) else { return }
        queue.async { [weak self] in self?.readAhead() }
    }

    /// Gives the snapshot back: with what is read ahead, if that is all.
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
            var object = JSONObject()
            for (title, value) in zip(titles, row) {
                if let json = value.writableJSON { object[title.text] = json }
            }
            // A row lies around what it gives, which may be as deep as a document.
            let text = try JSON.object(object).canonicalBytes(limits: JSONLimits(depth: .max))
            size += text.count
            page.items.append(text)
        }
        return page
    }

    /// Gives the snapshot back.
    func end() {
        state.withLock { close(&$0) }
    }
}
