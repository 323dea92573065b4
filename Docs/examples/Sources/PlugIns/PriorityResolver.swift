public import DivanConflicts
import DivanJSON

/// Chooses the side with the higher priority, a property; if they are equal, the greater revision ID.
///
/// Both peers have the same two leaves, so both choose the same one.
public struct PriorityResolver: ConflictResolver {
    private let property: String

    /// Compares the numbers of a top-level property; a document without it has the lowest priority.
    public init(property: String = "priority") { self.property = property }

    /// Returns the side to keep.
    public func resolve(_ conflict: Conflict) throws -> Resolution {
        let (local, remote) = (try priority(conflict.local), try priority(conflict.remote))
        if local != remote { return local > remote ? .keepLocal : .keepRemote }
        return conflict.local.revisionID > conflict.remote.revisionID ? .keepLocal : .keepRemote
    }

    private func priority(_ leaf: Leaf) throws -> Double {
        try JSON(parsing: leaf.body).object?[property]?.double ?? -.infinity
    }
}
