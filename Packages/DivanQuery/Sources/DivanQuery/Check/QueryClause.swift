/// The clause that contains an expression; it decides what the expression may contain.
enum QueryClause: String {
    /// Among the columns, which cannot refer to each other's aliases: a name there is a property.
    case columns = "SELECT"
    /// `ON`, or an unnested expression.
    case join = "ON"
    /// `WHERE`.
    case filter = "WHERE"
    /// `GROUP BY`.
    case group = "GROUP BY"
    /// `HAVING` and `ORDER BY`.
    case result = "HAVING"
    /// `LIMIT` and `OFFSET`.
    case count = "LIMIT"
    /// The key of an index.
    case index = "an index"

    /// Why an aggregate is not allowed in this clause; `nil` where it is.
    var aggregateProblem: String? {
        switch self {
        case .columns, .result: nil
        case .index: "cannot be indexed; index its argument, and aggregate in the query"
        case .filter: "is not allowed in WHERE; use HAVING for conditions on groups"
        case .join, .group, .count:
            "is not allowed in \(rawValue); use it in SELECT, HAVING or ORDER BY"
        }
    }
    var allowsAliases: Bool { self == .filter || self == .group || self == .result }

    /// The error for a full-text condition that is not at the top level of `WHERE`.
    var misplacedMatch: QueryError {
        self == .filter
            ? QueryError("MATCH can only appear at top-level, or in a top-level AND")
            : QueryError("a MATCH is not allowed outside the WHERE clause")
    }
}
