/// Bounds of what a query may cost before it runs.
public struct QueryLimits: Sendable {
    /// Levels of expressions and sub-queries; 100, which fit a stack of 4 MiB even in a debug build.
    public var depth = 100
    /// Containers inside each other in a value that a query gives; 384.
    ///
    /// A document has 128 of them, and each of the 100 levels of an expression may put two around it.
    static let valueDepth = 384
    /// Bytes of SQL++ or JSON text; 1 MiB.
    public var byteCount = 1 << 20
    /// Sources of one statement, joined and unnested ones included; 64, as SQLite joins no more.
    public var sourceCount = 64
    /// Columns of one statement, and keys that it groups or sorts by; 2,000, as SQLite takes no more.
    public var columnCount = 2_000
    /// Arguments of one function; 127, as SQLite takes no more.
    public var argumentCount = 127

    /// Values, operators and calls of one statement, without constants in a list behind `IN`; 10,000.
    ///
    /// SQLite takes longer than linear time for them, and cannot be interrupted meanwhile.
    public var expressionCount = 10_000

    /// Bytes of the SQL that a statement becomes; 16 MiB.
    ///
    /// What an alias stands for is written wherever it is used.
    static let sqlByteCount = 16 << 20

    /// Conditions joined by `AND` and `OR` for which SQLite looks for an index; 300.
    ///
    /// Longer chains are tested for each row that the others leave.
    static let plannedConditionCount = 300

    /// Properties that a statement shows, of which each may hold a copy of its document while the statement
    /// runs; 8.
    ///
    /// Further ones share one, which costs some nanoseconds more for each.
    static let heldBodyCount = 8

    /// The bounds that are used where nobody says otherwise.
    public static let standard = QueryLimits()

    /// Creates the standard bounds, to change some of them.
    public init() {}
}
