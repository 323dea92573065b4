/// The kinds of small values, each with keys of its own.
public enum ValueSpace: String, CaseIterable, Sendable {
    /// Facts about the database, such as its UUIDs.
    case database
    /// Remote URLs; the value is the number in decimal.
    case remotes
    /// Our own checkpoints, by checkpoint ID.
    case localCheckpoints
    /// Checkpoints kept for peers, by checkpoint ID.
    case peerCheckpoints
    /// Whose the checkpoints of `peerCheckpoints` are, and their age (`CheckpointLedger`).
    case checkpointOwners
    /// Of which collection checkpoints are: `CheckpointKind` and ID, and the collection's full name.
    case checkpointCollections
    /// What remotes have of a collection, by its number (`KnownSequences`).
    case knownSequences
    /// Through which sequences clients of a listener may have current bodies (`DeltaSources`).
    case deltaSources
    /// What remotes refused, by collection, remote and document (`Refusal`).
    case refusals
    /// The indexes, by collection and name (`IndexRecord`).
    case indexes
    /// How bodies of a collection are packed, by its number (`PackedCollection`).
    case packing
    /// Values of the packages above.
    case metadata
}
