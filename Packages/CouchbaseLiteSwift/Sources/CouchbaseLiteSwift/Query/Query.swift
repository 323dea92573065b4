public import Dispatch
import DivanQuery
import Foundation

/// A type that creates queries from SQL++ text: a database.
public protocol QueryFactory {
    /// Creates a query without executing it.
    func createQuery(_ query: String) throws -> any Query
}

extension Database: QueryFactory {
    /// Creates a query from SQL++ text without executing it.
    ///
    /// ```swift
    /// let query = try database.createQuery("SELECT name FROM shop.chairs WHERE price < $most")
    /// query.parameters = Parameters().setInt(100, forName: "most")
    /// for row in try query.execute() { print(row.string(forKey: "name") ?? "?") }
    /// ```
    ///
    /// - Throws: `CBLError.invalidQuery` with the position in the text, `missingIndex` for `MATCH` without its index,
    ///   `notOpen`.
    public func createQuery(_ query: String) throws -> any Query {
        _ = try openStore()
        return TextQuery(try translatingErrors { try QueryCore(sql: query, of: self) })
    }
}

/// A database query, from SQL++ text or built with ``QueryBuilder``.
///
/// A query can be executed any number of times and keeps its database alive. Safe to use from any thread.
///
/// In the official SDK, this is a class with a subclass for each clause. As a protocol, it allows final, `Sendable`
/// classes.
///
/// Source: `sqlpp.md` §11.
public protocol Query: AnyObject, CustomStringConvertible, Sendable {}

/// The requirements of every query in this module.
protocol ConcreteQuery: Query {
    var made: QueryCore { get }
}

/// A query from SQL++ text.
final class TextQuery: ConcreteQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

extension Query {
    /// The core of this query.
    var core: QueryCore {
        // The types are listed: a cast to `any ConcreteQuery` would find only the conformances that were linked.
        let made: (any ConcreteQuery)? =
            switch self {
            case let query as TextQuery: query
            case let query as From: query
            case let query as Joins: query
            case let query as Where: query
            case let query as GroupBy: query
            case let query as Having: query
            case let query as OrderBy: query
            case let query as Limit: query
            default: nil
            }
        guard let made else {
            stopForMisuse(
                "\(type(of: self)) is not a query; use Database.createQuery or QueryBuilder"
            )
        }
        return made.made
    }

    /// The values of the query's parameters; copied when set, read-only when returned.
    ///
    /// Setting it reruns live queries immediately; `nil` removes all values.
    public var parameters: Parameters? {
        get { core.parameters.map { Parameters(settling: $0) } }
        set { core.parameters = newValue.map { Parameters(settling: $0) } }
    }

    /// Runs the query and returns all rows.
    ///
    /// - Throws: `CBLError.invalidQueryParam` for a value that no parameter accepts; `notOpen`; code 1 of the domain
    ///   `CouchbaseLite.SQLite` for an invalid function argument, such as a search text with an unclosed quotation
    ///   mark; for a built query also errors thrown by `Database.createQuery(_:)`.
    public func execute() throws -> ResultSet {
        try translatingErrors { try core.results(core.run()) }
    }

    /// Describes how the query runs: the SQL, SQLite's query plan, and the JSON form.
    ///
    /// `SCAN` means that all documents are read; `USING INDEX` means that an index is used.
    ///
    /// - Throws: The same errors as ``execute()``.
    public func explain() throws -> String {
        try translatingErrors { try core.explain() }
    }

    /// Adds a listener that receives the current rows, and all rows again each time a commit changes them.
    ///
    /// It runs on `Database.defaultListenerQueue`.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        _ listener: @escaping @Sendable (QueryChange) -> Void
    ) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Adds a listener that receives the current rows, and all rows again each time a commit changes them.
    ///
    /// Each listener gets its own result set. Commits within a quarter of a second are reported together, after half a
    /// second. Errors of the query are also reported. If the queue is slow, only the latest eight changes are kept.
    ///
    /// - Parameters:
    ///   - queue: The queue for the listener; `nil` means `Database.defaultListenerQueue`.
    ///   - listener: Receives the rows.
    /// - Returns: The token to remove the listener. Closing the database also removes it; releasing the token does not.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping @Sendable (QueryChange) -> Void
    ) -> ListenerToken {
        let listeners = ListenerList<QueryChange>()
        _ = listeners.add(
            queue: queue,
            keepingNewest: LiveQueryLimits.waitingCount,
            listener
        )
        let live = LiveQuery(
            self,
            ended: { listeners.end() },
            { _, change in listeners.post(change) }
        )
        live.start()
        return ListenerToken { live.end() }
    }

    /// Removes a listener.
    @available(*, deprecated, message: "Use ListenerToken.remove().")
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }

    /// The query's SQL++ text.
    public var description: String { core.description }
}

/// A change of a live query's result.
public struct QueryChange: Sendable {
    /// The query.
    public let query: any Query
    /// All rows; `nil` if the query failed.
    public let results: ResultSet?
    /// The error if the query failed, otherwise `nil`.
    public let error: (any Error)?
}
