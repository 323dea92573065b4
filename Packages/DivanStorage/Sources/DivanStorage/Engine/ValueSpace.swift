/// The kinds of small values, each with separate keys.
public enum ValueSpace: String, CaseIterable, Sendable {
    /// Facts about the database, such as its UUIDs.
    case database
    /// Remote URLs; the value is the number in decimal.
    case remotes
    /// Local checkpoints, by checkpoint ID.
    case localCheckpoints
    /// Checkpoints stored for peers, by checkpoint ID.
    case peerCheckpoints
    /// The owners and ages of the checkpoints in `peerCheckpoints` (`CheckpointQuota`).
    case checkpointOwners
    /// The collections of checkpoints: `CheckpointKind` and ID, and the collection's full name.
    case checkpointCollections
    /// What remotes have of a collection, by its number (`KnownSequences`).
    case knownSequences
    /// The sequences up to which clients of a listener may have current bodies (`DeltaSources`).
    case deltaSources
    /// Documents that remotes rejected or could not send, by collection, remote and document (`Refusal`).
    case refusals
    /// The indexes, by collection and name (`IndexRecord`).
    case indexes
    /// The compression of a collection's bodies, by its number (`PackedCollection`).
    case packing
    /// Values of other packages.
    case metadata
}
