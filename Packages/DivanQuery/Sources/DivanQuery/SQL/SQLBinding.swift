public import DivanJSON

/// A value for a parameter of the statement.
public enum SQLBinding: Hashable, Sendable {
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
