/// How two values are compared.
public enum QueryComparison: String, CaseIterable, Hashable, Sendable {
    /// `=`
    case equal = "="
    /// `!=`
    case notEqual = "!="
    /// `<`
    case less = "<"
    /// `<=`
    case lessOrEqual = "<="
    /// `>`
    case greater = ">"
    /// `>=`
    case greaterOrEqual = ">="
    /// `IS`: equality that is never MISSING.
    case same = "IS"
    /// `IS NOT`: the opposite of `IS`.
    case notSame = "IS NOT"
}

/// An operation on two numbers.
public enum QueryArithmetic: String, CaseIterable, Hashable, Sendable {
    /// `+`
    case plus = "+"
    /// `-`
    case minus = "-"
    /// `*`
    case times = "*"
    /// `/`
    case divided = "/"
    /// `%`
    case modulo = "%"
}

/// How many items must satisfy a condition.
public enum QueryQuantifier: String, CaseIterable, Hashable, Sendable {
    /// `ANY`, `SOME`: at least one.
    case any = "ANY"
    /// `EVERY`: all, even if there are none.
    case every = "EVERY"
    /// `ANY AND EVERY`: all, and at least one.
    case anyAndEvery = "ANY AND EVERY"
}

/// How a source is joined to the earlier sources.
public enum QueryJoin: String, Hashable, Sendable {
    /// Pairs that meet the condition.
    case inner = "INNER"
    /// Pairs that meet the condition, and rows of the earlier sources without a match.
    case leftOuter = "LEFT OUTER"
    /// All pairs.
    case cross = "CROSS"
}

/// The metadata of a document that a query can use.
public enum QueryMetadataKey: String, CaseIterable, Hashable, Sendable {
    /// The document's ID: a string.
    case id
    /// The sequence of its last change: an integer.
    case sequence
    /// Whether it is deleted: a boolean.
    case deleted
    /// When it expires: milliseconds since 1970, or MISSING.
    case expiration
    /// The current revision's ID: a string.
    case revisionID
    /// The row number in the store; undocumented.
    case rowid
}
