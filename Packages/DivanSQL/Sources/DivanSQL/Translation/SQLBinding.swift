public import DivanJSON
public import DivanQuery

/// A value for a parameter of the statement.
public enum SQLBinding: Hashable, Sendable {
    /// A parameter of the query, in plain or exact form.
    case parameter(ExactText, isExact: Bool)
    /// Text from the query.
    case text(ExactText)
    /// A number from the query, as the bits of a double.
    case double(UInt64)
    /// An array or object from the query, as JSON.
    case container(ExactText)
    /// The number of live documents in a collection.
    case liveCount(QueryCollection)
}
