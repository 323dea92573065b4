import DivanDatabase
import DivanQuery
import Foundation
import Synchronization

/// The rows of a query, streamed as they are found, for `for try await`.
///
/// The first row arrives immediately, and memory use does not depend on their number, unless the query sorts or groups
/// them. The rows are a snapshot, which the database keeps while the loop runs, so do not pause the loop for long. If
/// the loop reads no rows while more than about 160 MiB are written, the next 1,000 rows are buffered; if there are
/// more, the stream ends with an error. Each loop runs the query again.
///
/// An addition to the official API.
public struct ResultStream: AsyncSequence, Sendable {
    /// A row.
    public typealias Element = Result

    private let query: QueryCore
    private let limit: Duration?

    init(_ query: QueryCore, limit: Duration?) {
        self.query = query
        self.limit = limit
    }

    /// Returns an iterator, which starts the query with its first step.
    public func makeAsyncIterator() -> Iterator {
        Iterator(cursor: ResultCursor(query, control: QueryControl(limit: limit)))
    }

    /// Iterates over the rows.
    public struct Iterator: AsyncIteratorProtocol {
        private let cursor: ResultCursor
        private var rows: ArraySlice<Result> = []

        fileprivate init(cursor: ResultCursor) {
            self.cursor = cursor
        }

        /// Returns the next row, or `nil` after the last one.
        ///
        /// - Throws: Errors thrown by `Query.execute()`; `CancellationError` if the task was cancelled;
        ///   `CBLError.notOpen` if the database was closed; `CBLError.unexpectedError` if the loop paused for too long.
        public mutating func next() async throws -> Result? {
            if Task.isCancelled, !rows.isEmpty {
                rows = []
                await cursor.end()
                throw CancellationError()
            }
            if rows.isEmpty { rows = try await cursor.rows()[...] }
            cursor.wasRead.store(true, ordering: .relaxed)
            return rows.popFirst()
        }
    }
}

/// The rows of a running query, read by one task at a time.
private actor ResultCursor {
    /// Rows in the first batch, and the most in any.
    private static let counts = (first: 1, most: 256)

    /// Rows that are read ahead so that the database need not keep their snapshot.
    private static let aheadCount = 1_000

    private enum State {
        case asking
        case reading(StorageRows, ResultColumns)
        case readAhead([Result])
        case failed(any Error)
        case ended
    }

    private let query: QueryCore
    private let control: QueryControl
    private var state = State.asking
    private var count = ResultCursor.counts.first
    private var trace: QueryTrace?
    private var rowCount = 0
    /// Whether a row was taken since the snapshot was last requested back.
    let wasRead = Atomic(false)

    init(_ query: QueryCore, control: QueryControl) {
        self.query = query
        self.control = control
    }

    /// The next rows, more with each batch; none after the last one.
    func rows() async throws -> [Result] {
        try await withTaskCancellationHandler {
            do {
                return try piece()
            } catch QueryStop.cancelled {
                state = .ended
                throw CancellationError()
            } catch {
                state = .ended
                throw NSError(from: error)
            }
        } onCancel: {
            control.cancel()
        }
    }

    /// Ends the query because its rows are no longer wanted.
    func end() { state = .ended }

    private func piece() throws -> [Result] {
        if case .asking = state { try begin() }
        switch state {
        case .asking, .ended: return []
        case .failed(let error): throw error
        case .reading(let rows, let columns):
            let found = try self.rows(of: rows, columns, upTo: count)
            if found.count < count {
                state = .ended
                trace?.end(rowCount: rowCount)
            }
            count = min(count * 4, Self.counts.most)
            return found
        case .readAhead(let rows):
            // No statement is running that would notice a cancellation.
            if Task.isCancelled { throw QueryStop.cancelled }
            state = .ended
            trace?.end(rowCount: rowCount)
            return rows
        }
    }

    private func begin() throws {
        let (store, bound) = (try query.database.openStore(), try query.bound(control: control))
        trace = query.trace(bound, in: store)
        let rows = try store.rows(of: bound)
        state = .reading(rows, ResultColumns(rows.titles))
        control.whenLogIsLong { [weak self] in
            // Checked here, where the log grows, because the task may run late.
            guard let self, !wasRead.exchange(false, ordering: .relaxed) else { return }
            Task { await self.letGo() }
        }
    }

    private func rows(
        of rows: StorageRows,
        _ columns: ResultColumns,
        upTo limit: Int
    ) throws -> [Result] {
        var found: [Result] = []
        while found.count < limit, let row = try rows.next() {
            found.append(Result(row, columns, in: query.database))
        }
        rowCount += found.count
        return found
    }

    /// Releases the snapshot, unless rows are taken after all.
    private func letGo() {
        guard case .reading(let rows, let columns) = state, !wasRead.load(ordering: .relaxed)
        else { return }
        do {
            // One more shows whether those were all.
            let ahead = try self.rows(of: rows, columns, upTo: Self.aheadCount + 1)
            state =
                ahead.count <= Self.aheadCount ? .readAhead(ahead) : .failed(QueryStop.leftWaiting)
        } catch {
            state = .failed(error)
        }
        rows.end()
    }
}

extension Query {
    /// Returns the rows as a stream, in constant memory.
    ///
    /// ```swift
    /// for try await row in query.stream() { print(row.string(forKey: "name") ?? "?") }
    /// ```
    ///
    /// - Parameter limit: Maximum time from the start to the last row; `nil` for no limit.
    /// - Returns: The rows, for `for try await`.
    public func stream(limit: Duration? = nil) -> ResultStream { ResultStream(core, limit: limit) }
}
