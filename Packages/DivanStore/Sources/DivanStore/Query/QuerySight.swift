/// The documents that somebody may see; a query of theirs is answered over these alone.
///
/// A condition that is merely added to a query holds rows back, but not what is known of them:
/// SQLite evaluates the terms of a `WHERE` in its own order, so an expression that fails, or takes
/// long, for a secret value reveals it, and full-text ranks count hidden documents. So the visible
/// ones are copied, and the query is run where there are no others.
public struct QuerySight: Sendable {
    /// The condition that documents must meet.
    public let condition: BodyCondition
    /// Bytes of bodies that are copied; a query that needs more is rejected.
    public let byteLimit: Int

    /// Creates a sight.
    public init(_ condition: BodyCondition, byteLimit: Int) {
        self.condition = condition
        self.byteLimit = byteLimit
    }

    /// Whether a document is in sight; one for which the condition fails is not.
    func contains(_ row: DocumentRow) -> Bool {
        let isDeleted = row.flags.contains(.tombstone)
        let holds = try? condition.holds(of: row.documentID, body: row.body, isDeleted: isDeleted)
        return holds ?? false
    }
}
