public import Dispatch
import DivanQuery
import Foundation

/// Something that makes queries of SQL++ text: a database.
public protocol QueryFactory {
    /// Makes a query; nothing is executed yet.
    func createQuery(_ query: String) throws -> any Query
}

extension Database: QueryFactory {
    /// Makes a query of SQL++ text; nothing is executed yet.
    ///
    /// ```swift
    /// let query = try database.createQuery("SELECT name FROM shop.chairs WHERE price < $most")
    /// query.parameters = Parameters().setInt(100, forName: "most")
    /// for row in try query.execute() { print(row.string(forKey: "name") ?? "?") }
    /// ```
    ///
    /// - Throws: `CBLError.invalidQuery` with the place in the text, `missingIndex` for `MATCH`
    ///   without its index, `notOpen`.
    public func createQuery(_ query: String) throws -> any Query {
        _ = try openStore()
        return TextQuery(try translatingErrors { try QueryCore(sql: query, of: self) })
    }
}

/// A question to a database: of SQL++ text, or built by ``QueryBuilder``.
///
/// It can be executed any number of times and keeps its database alive. Safe from any thread.
///
/// A protocol, where the official SDK has a class with a subclass for each clause: so each of them is
/// final, and the compiler sees that it may be used from any thread.
///
/// Source: `api.md` §1.
public protocol Query: AnyObject, CustomStringConvertible, Sendable {}

/// What every query of this module holds.
protocol MadeQuery: Query {
    var made: QueryCore { get }
}

/// A query of SQL++ text.
final class TextQuery: MadeQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

extension Query {
    /// What this query holds.
    var core: QueryCore {
        guard let query = self as? any MadeQuery else {
            stopForMisuse("\(type(of: self)) is no query; use Database.createQuery or QueryBuilder")
        }
        return query.made
    }

    /// The values of its parameters: what is set is copied, what is returned cannot be changed.
    ///
    /// Live queries run again at once when it is set; `nil` takes all values back.
    public var parameters: Parameters? {
        get { core.parameters.map { Parameters($0, isReadOnly: true) } }
        set { core.parameters = newValue.map { Parameters($0, isReadOnly: true) } }
    }

    /// Runs the query and returns all of its rows, as they are now.
    ///
    /// - Throws: `CBLError.invalidQueryParam` for a value whose name the query does not have;
    ///   `notOpen`; code 1 of the domain `CouchbaseLite.SQLite` for what a function refuses, such as
    ///   words to be searched for with an open quotation mark; of a built query also what
    ///   `Database.createQuery(_:)` throws.
    public func execute() throws -> ResultSet {
        try translatingErrors { try core.results(core.run()) }
    }

    /// Tells how the query would be run: the SQL, SQLite's plan, the JSON form.
    ///
    /// Look for `SCAN`, which reads everything, and `USING INDEX`.
    ///
    /// - Throws: As ``execute()``.
    public func explain() throws -> String {
        try translatingErrors { try core.explain() }
    }

    /// Adds a listener that gets the rows soon, and again when a commit has changed them.
    ///
    /// It runs on `Database.defaultListenerQueue`.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        _ listener: @escaping @Sendable (QueryChange) -> Void
    ) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Adds a listener that gets the rows soon, and again when a commit has changed them.
    ///
    /// Each listener has rows of its own. Commits that follow each other within a quarter of a
    /// second are told together, half a second later. A query that fails is told too. Of changes that the
    /// queue does not come to, the newest eight wait.
    ///
    /// - Parameters:
    ///   - queue: Where it runs; `nil` is `Database.defaultListenerQueue`.
    ///   - listener: What gets the rows.
    /// - Returns: The way to end it; dropping the token does not. Closing the database does.
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

/// What a live query tells.
public struct QueryChange: Sendable {
    /// The query.
    public let query: any Query
    /// All of its rows, or `nil` when it failed.
    public let results: ResultSet?
    /// Why it failed, or `nil`.
    public let error: (any Error)?
}
