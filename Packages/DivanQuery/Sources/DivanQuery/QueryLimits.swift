/// The limits of a query.
public struct QueryLimits: Sendable {
    /// Levels of nested expressions and subqueries; 100, which fit in a stack of 4 MiB even in a debug build.
    public var depth = 100
    /// Nesting of containers in a value that a query returns; 384.
    ///
    /// A document has up to 128 levels, and each of the 100 levels of an expression may add two.
    static let valueDepth = 384
    /// Bytes of SQL++ or JSON text; 1 MiB.
    public var byteCount = 1 << 20
    /// Sources of one statement, including joined and unnested ones; 64, SQLite's own limit.
    public var sourceCount = 64
    /// Columns of one statement, and keys that it groups or sorts by; 2,000, SQLite's own limit.
    public var columnCount = 2_000
    /// Arguments of one function; 127, SQLite's own limit.
    public var argumentCount = 127

    /// Values, operators and calls of one statement, without constants in a list after `IN`; 10,000.
    ///
    /// SQLite needs more than linear time for them, and cannot be interrupted meanwhile.
    public var expressionCount = 10_000

    /// The default limits.
    public static let standard = QueryLimits()

    /// Creates the default limits, which you can change.
    public init() {}
}
