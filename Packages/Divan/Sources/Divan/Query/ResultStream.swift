import DivanQuery
import DivanStore
import Foundation

/// The rows of a query as they are found, for `for try await`.
///
/// The first one comes at once, and memory does not grow with their number, unless the query sorts
/// or groups them. They are a snapshot of the moment of the first row, which the database keeps as
/// long as the loop runs: do not leave one waiting. Each loop asks anew.
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

    /// Returns an iterator, which asks with its first step.
    public func makeAsyncIterator() -> Iterator {
        Iterator(cursor: ResultCursor(query, watch: QueryWatch(limit: limit)))
    }

    /// Steps from row to row.
    public struct Iterator: AsyncIteratorProtocol {
        private let cursor: ResultCursor
        private var rows: ArraySlice<Result> = []

        fileprivate init(cursor: ResultCursor) {
            self.cursor = cursor
        }

        /// Returns the next row, or `nil` behind the last one.
        ///
        /// - Throws: What `Query.execute()` throws; `CancellationError` when the task was
        ///   cancelled; `CBLError.notOpen` when the database was closed meanwhile.
        public mutating func next() async throws -> Result? {
            if rows.isEmpty { rows = try await cursor.rows()[...] }
            return rows.popFirst()
        }
    }
}

/// The rows of a running query, read by one task at a time.
private actor ResultCursor {
    /// Rows of the first piece, and of any.
    private static let counts = (first: 1, most: 256)

    private enum State {
        case asking
        case reading(StorageRows, ResultColumns)
        case ended
    }

    private let query: QueryCore
    private let watch: QueryWatch
    private var state = State.asking
    private var count = ResultCursor.counts.first

    init(_ query: QueryCore, watch: QueryWatch) {
        self.query = query
        self.watch = watch
    }

    /// The next rows, more from piece to piece; none behind the last one.
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
            watch.cancel()
        }
    }

    private func piece() throws -> [Result] {
        if case .asking = state { try begin() }
        guard case .reading(let rows, let columns) = state else { return [] }
        var found: [Result] = []
        while found.count < count, let row = try rows.next() {
            found.append(Result(row, columns, in: query.database))
        }
        if found.count < count { state = .ended }
        count = min(count * 4, Self.counts.most)
        return found
    }

    private func begin() throws {
        let rows = try query.database.openStore().rows(of: query.bound(watch: watch))
        state = .reading(rows, ResultColumns(rows.titles))
    }
}

extension Query {
    /// The rows as they are found: the first one at once, in constant memory.
    ///
    /// ```swift
    /// for try await row in query.stream() { print(row.string(forKey: "name") ?? "?") }
    /// ```
    ///
    /// - Parameter limit: The longest time from the first step to the last row; `nil` is none.
    /// - Returns: The rows, to be gone through with `for try await`.
    public func stream(limit: Duration? = nil) -> ResultStream { ResultStream(core, limit: limit) }
}
