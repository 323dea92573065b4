public import DivanJSON
public import DivanQuery

/// A checked query as one SQLite statement, for a connection with the functions of DivanSQL.
///
/// **Theory.** Values are represented so that SQLite's order and equality match the language: MISSING is NULL, null
/// is a BLOB without bytes, containers are BLOBs of JSON. An expression is written in one of two forms. Where it is
/// compared, it is *plain*: a boolean is 0 or 1. Where its type matters, in results and arguments, it is *exact*: a
/// boolean is a BLOB of one byte. So an index on a plain expression can be used by every comparison, and sorting
/// loses no types. SQLite's parser accepts few levels of parentheses, so chains are balanced trees, and expressions
/// that are still too deep can be divided.
public struct SQLTranslation: Sendable {
    /// The statement.
    public let sql: String
    /// The values of the parameters, in order.
    public let bindings: [Binding]
    /// The names of the columns.
    public let titles: [ExactText]
    /// The statement that finds the documents that meet the other conditions of a vector search; `nil` without such
    /// conditions, or if the search does not test them.
    public let nearestFilter: String?

    /// A value for a parameter of the statement.
    public typealias Binding = SQLBinding

    /// Translates a query.
    ///
    /// - Parameters:
    ///   - statement: The query.
    ///   - schema: The tables.
    ///   - isDivided: Whether deep expressions are divided: slower, and only for a query that SQLite rejects
    ///     because it is nested too deeply.
    /// - Throws: The errors of `schema`, and `QueryError` for a full-text condition without an index.
    public init(
        _ statement: CheckedStatement,
        schema: some SQLSchema,
        isDivided: Bool = false
    ) throws {
        let writer = SQLStatementWriter(statement, schema: schema, name: "s")
        var text = SQLText(isDivided: isDivided)
        try writer.write(to: &text)
        sql = text.statement
        bindings = text.bindings
        titles = statement.columns.map(\.title)
        nearestFilter = text.nearestFilter
    }
}
