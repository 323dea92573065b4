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
    /// Who owns the checkpoints of `peerCheckpoints`, and their age (`CheckpointLedger`).
    case checkpointOwners
    /// Which collection checkpoints belong to: `CheckpointKind` and ID, and the collection's full name.
    case checkpointCollections
    /// What remotes have of a collection, by its number (`KnownSequences`).
    case knownSequences
    /// Up to which sequences clients of a listener may have current bodies (`DeltaSources`).
    case deltaSources
    /// What remotes refused, by collection, remote and document (`Refusal`).
    case refusals
    /// The indexes, by collection and name (`IndexRecord`).
    case indexes
    /// How the bodies of a collection are packed, by its number (`PackedCollection`).
    case packing
    /// Values of higher packages.
    case metadata
}
