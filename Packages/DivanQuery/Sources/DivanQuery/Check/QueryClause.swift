/// Where an expression stands, which decides what it may hold.
enum QueryClause: String {
    /// Among the columns, which do not see each other's aliases: a name there is a property.
    case columns = "SELECT"
    /// `ON`, or what is unnested.
    case join = "ON"
    /// `WHERE`.
    case filter = "WHERE"
    /// `GROUP BY`.
    case group = "GROUP BY"
    /// `HAVING` and `ORDER BY`.
    case result = "HAVING"
    /// `LIMIT` and `OFFSET`.
    case count = "LIMIT"
    /// What an index is made of.
    case index = "an index"

    var allowsAggregates: Bool { self == .columns || self == .result }
    var allowsAliases: Bool { self == .filter || self == .group || self == .result }

    /// The error of a full-text condition that does not stand at the top of `WHERE`.
    var misplacedMatch: QueryError {
        self == .filter
            ? QueryError("MATCH can only appear at top-level, or in a top-level AND")
            : QueryError("a MATCH is not allowed outside the WHERE clause")
    }
}
