public import DivanJSON
public import DivanQuery

/// A checked query with what it is run with.
public struct StorageQuery: Sendable {
    /// What is asked.
    public let statement: CheckedStatement
    /// Values for its parameters; one that is absent is MISSING.
    public let parameters: [ExactText: QueryValue]
    /// Through which it is stopped; each run has its own.
    public let watch: QueryWatch

    /// The names of its columns.
    var titles: [ExactText] { statement.columns.map(\.title) }

    /// Creates a query.
    public init(
        _ statement: CheckedStatement,
        parameters: [ExactText: QueryValue] = [:],
        watch: QueryWatch = QueryWatch()
    ) {
        self.statement = statement
        self.parameters = parameters
        self.watch = watch
    }
}

/// The rows of a running query, one after the other.
///
/// They keep a snapshot of the database: end them as soon as no more are wanted, which happens by
/// itself behind the last row, after an error and in `deinit`. Used by one thread at a time; only
/// the query's `QueryWatch` may be used from others.
public final class StorageRows {
    /// The names of the columns, each one different.
    public let titles: [ExactText]
    private var source: (next: () throws -> [QueryValue]?, end: () -> Void)?

    /// Creates rows that `next` gives until it returns `nil`; then `end` is called once.
    public init(
        titles: [ExactText],
        next: @escaping () throws -> [QueryValue]?,
        end: @escaping () -> Void = {}
    ) {
        self.titles = titles
        source = (next, end)
    }

    deinit { end() }

    /// The next row, a value for each title; `nil` behind the last one.
    ///
    /// - Throws: `QueryStop` when the query was stopped; `StoreError`, `notOpen` when the database
    ///   was closed meanwhile.
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

    /// Gives the snapshot back; there are no more rows.
    public func end() {
        source?.end()
        source = nil
    }
}
