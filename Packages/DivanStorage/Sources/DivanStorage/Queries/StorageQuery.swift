public import DivanJSON
public import DivanQuery

/// A checked query with its parameters and its control.
public struct StorageQuery: Sendable {
    /// The statement.
    public let statement: CheckedStatement
    /// Values for its parameters; an absent one is MISSING.
    public let parameters: [ExactText: QueryValue]
    /// Stops the query; each run needs its own control.
    public let control: QueryControl

    /// The names of its columns.
    public var titles: [ExactText] { statement.columns.map(\.title) }

    /// Creates a query.
    public init(
        _ statement: CheckedStatement,
        parameters: [ExactText: QueryValue] = [:],
        control: QueryControl = QueryControl()
    ) {
        self.statement = statement
        self.parameters = parameters
        self.control = control
    }
}

/// The rows of a running query, one after another.
///
/// They hold a snapshot of the database, so call `end` when you need no more rows. The snapshot is released
/// automatically after the last row, after an error and in `deinit`. Use the rows on one thread at a time; only the
/// query's `QueryControl` can be used from other threads.
public final class StorageRows {
    /// The names of the columns, which are all different.
    public let titles: [ExactText]
    private var source: (next: () throws -> [QueryValue]?, end: () -> Void)?

    /// Creates rows that `next` supplies until it returns `nil`; then `end` is called once.
    public init(
        titles: [ExactText],
        next: @escaping () throws -> [QueryValue]?,
        end: @escaping () -> Void = {}
    ) {
        self.titles = titles
        source = (next, end)
    }

    deinit { end() }

    /// The next row, a value for each title; `nil` after the last one.
    ///
    /// - Throws: `QueryStop` if the query was stopped; `StoreError`, `notOpen` if the database was
    ///   closed in the meantime.
    public func next() throws -> [QueryValue]? {
        guard let source else { return nil }
        do {
            if let row = try source.next() { return row }
            end()
            return nil
        } catch {
            end()
            throw error
        }
    }

    /// Releases the snapshot; there are no more rows.
    public func end() {
        source?.end()
        source = nil
    }
}

extension StorageQuery {
    /// Rejects values for parameters that the query does not have.
    public func checkParameters() throws(QueryError) {
        guard !parameters.isEmpty else { return }
        let unknown = parameters.keys.filter { !statement.parameters.contains($0) }.min()
        guard let unknown else { return }
        throw QueryError(
            "Unknown query property '\(unknown.text)'",
            code: .invalidQueryParameter
        )
    }
}
