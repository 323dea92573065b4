public import DivanConflicts
import DivanJSON

/// Keeps the side whose property says that it matters more; of two alike, the greater revision ID.
///
/// Both peers see the same two leaves, so both keep the same one.
public struct PriorityResolver: ConflictResolver {
    private let property: String

    /// Compares the numbers of a top-level property; a document without one has the least.
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
