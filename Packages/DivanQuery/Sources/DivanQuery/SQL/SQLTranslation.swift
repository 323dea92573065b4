public import DivanJSON

/// A checked query as one statement for SQLite, on a connection that has the functions of
/// DivanSQLFunctions.
///
/// **Theory.** Values are carried so that SQLite's own order and equality are the language's:
/// MISSING is NULL, null is a BLOB without bytes, containers are BLOBs of JSON. An expression is
/// written in one of two forms. Where it is compared it is *plain*: a boolean is 0 or 1. Where its
/// type matters, in results and arguments, it is *exact*: a boolean is a BLOB of one byte.
/// So an index on a plain expression serves every comparison, and no type gets lost in a sorter.
/// SQLite's parser takes few levels of parentheses, so chains are balanced trees, and what is deep all
/// the same can be divided.
public struct SQLTranslation: Sendable {
    /// The statement.
    public let sql: String
    /// What is bound to the first parameter, the second and so on.
    public let bindings: [Binding]
    /// The names of the columns.
    public let titles: [ExactText]

    /// A value for a parameter of the statement.
    public enum Binding: Hashable, Sendable {
        /// A parameter of the query; in plain form, or in exact form.
        case parameter(ExactText, isExact: Bool)
        /// Text that the query has.
        case text(ExactText)
        /// A number that the query has, as the bits of a double.
        case double(UInt64)
        /// An array or object that the query has, as JSON.
        case container(ExactText)
        /// How many live documents a collection has.
        case liveCount(QueryCollection)
    }

    /// Translates a query.
    ///
    /// - Parameters:
    ///   - statement: The query.
    ///   - schema: The tables.
    ///   - isDivided: Whether deep expressions are written in pieces: slower, and only for a query
    ///     that SQLite refuses because it is too deep.
    /// - Throws: What `schema` throws, and `QueryError` for a full-text condition without index.
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
    }
}

/// What a translation must know of the tables.
public protocol SQLSchema {
    /// The table of a collection, as it is written in SQL.
    func table(of collection: QueryCollection) throws -> String
    /// The table of a full-text index.
    func fullTextTable(
        _ index: ExactText,
        in collection: QueryCollection
    ) throws -> SQLFullTextTable
    /// The table that has the items below a path, of which each leads from an item of the one
    /// before; `nil` where no index keeps one.
    func itemTable(of collection: QueryCollection, _ paths: [QueryPath]) throws -> String?
    /// The columns of each index of values that has all documents of a collection, as
    /// `SQLIndexTranslation` writes them.
    func valueIndexes(of collection: QueryCollection) throws -> [[String]]
    /// Whether the number of live documents is known without counting them
    /// (`SQLTranslation.Binding.liveCount`).
    var knowsLiveCounts: Bool { get }
}

/// A table of words.
public struct SQLFullTextTable: Hashable, Sendable {
    /// Its name in SQL.
    public let name: String
    /// What queries call its columns, in order.
    public let columns: [ExactText]

    /// Describes a table.
    public init(name: String, columns: [ExactText]) {
        self.name = name
        self.columns = columns
    }
}

extension SQLSchema {
    /// None.
    public func itemTable(
        of collection: QueryCollection,
        _ paths: [QueryPath]
    ) throws -> String? { nil }

    /// None.
    public func valueIndexes(of collection: QueryCollection) throws -> [[String]] { [] }

    /// No.
    public var knowsLiveCounts: Bool { false }
}

/// How a value is written.
enum SQLForm {
    /// For comparison: booleans are numbers.
    case plain
    /// With its exact type.
    case exact
}
