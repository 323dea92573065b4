internal import DivanStorage

/// The documents that a user can access; the user's queries run only on these documents.
///
/// Adding the condition to the query would hide rows, but could reveal information about them: SQLite evaluates the
/// terms of a `WHERE` in its own order, so an expression that fails or takes long for a secret value reveals it,
/// and full-text ranks count hidden documents. Therefore the accessible documents are copied, and the query runs on
/// the copy.
public struct QueryVisibility: Sendable {
    /// The condition that documents must meet.
    public let condition: BodyCondition
    /// Bytes of bodies that are copied; a query that needs more is rejected.
    public let byteLimit: Int

    /// Creates a restriction to the documents that meet a condition.
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
