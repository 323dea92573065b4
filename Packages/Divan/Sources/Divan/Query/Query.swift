public import Dispatch
import DivanQuery
import Foundation

/// Something that creates queries from SQL++ text: a database.
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
/// It can be executed any number of times and keeps its database alive. Safe to use from any thread.
///
/// The official SDK has a class here, with a subclass for each clause. With a protocol each class can be final, so the
/// compiler knows that it may be used from any thread.
///
/// Source: `sqlpp.md` §11.
public protocol Query: AnyObject, CustomStringConvertible, Sendable {}

/// The requirements of every query in this module.
protocol MadeQuery: Query {
    var made: QueryCore { get }
}

/// A query from SQL++ text.
final class TextQuery: MadeQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

extension Query {
    /// The core of this query.
    var core: QueryCore {
        // The types are listed: a cast to `any MadeQuery` would find only the conformances that were linked.
        let made: (any MadeQuery)? =
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

    /// The values of its parameters; copied when set, read-only when returned.
    ///
    /// Setting it reruns live queries at once; `nil` removes all values.
    public var parameters: Parameters? {
        get { core.parameters.map { Parameters(settling: $0) } }
        set { core.parameters = newValue.map { Parameters(settling: $0) } }
    }

    /// Runs the query and returns all of its current rows.
    ///
    /// - Throws: `CBLError.invalidQueryParam` for a value that no parameter of the query takes; `notOpen`; code 1 of
    ///   the domain `CouchbaseLite.SQLite` for an argument that a function refuses, such as a search text with an
    ///   unclosed quotation mark; for a built query also errors thrown by `Database.createQuery(_:)`.
    public func execute() throws -> ResultSet {
        try translatingErrors { try core.results(core.run()) }
    }

    /// Describes how the query would run: the SQL, SQLite's plan, the JSON form.
    ///
    /// Look for `SCAN`, which reads everything, and `USING INDEX`.
    ///
    /// - Throws: The same errors as ``execute()``.
    public func explain() throws -> String {
        try translatingErrors { try core.explain() }
    }

    /// Adds a listener that receives the rows soon, and again each time a commit changes them.
    ///
    /// It runs on `Database.defaultListenerQueue`.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        _ listener: @escaping @Sendable (QueryChange) -> Void
    ) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Adds a listener that receives the rows soon, and again each time a commit changes them.
    ///
    /// Each listener gets its own rows. Commits within a quarter of a second of each other are reported together, half
    /// a second later. A failing query is reported too. If the queue falls behind, only the newest eight changes are
    /// kept.
    ///
    /// - Parameters:
    ///   - queue: Where the listener runs; `nil` means `Database.defaultListenerQueue`.
    ///   - listener: Receives the rows.
    /// - Returns: The token that removes the listener; dropping it does not, but closing the database does.
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

/// A report from a live query.
public struct QueryChange: Sendable {
    /// The query.
    public let query: any Query
    /// All of its rows, or `nil` if it failed.
    public let results: ResultSet?
    /// Why it failed, or `nil`.
    public let error: (any Error)?
}
