/// The documents that somebody may see, and over which alone a query of theirs is answered.
///
/// A condition that is only added to a query keeps rows back, not what is known of them: SQLite asks
/// the terms of a `WHERE` in its own order, so an expression that fails, or takes long, for a secret
/// value tells of it, and full-text ranks count documents that are hidden. So the visible ones are
/// copied, and the query is run where there are no others.
public struct QuerySight: Sendable {
    /// What a document has to meet.
    public let condition: BodyCondition
    /// Bytes of bodies that are copied; a query that needs more is refused.
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
