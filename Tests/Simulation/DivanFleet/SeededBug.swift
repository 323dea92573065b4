/// A bug that a replicator could have, built into a run to see it caught.
///
/// None of them is in the product: each is in a wrapper around the storage engine, the blobs,
/// the transport, a filter or a resolver.
public enum SeededBug: String, CaseIterable, Sendable {
    /// The checkpoint claims what was only announced.
    case checkpointBeforeData = "checkpoint-before-data"
    /// The checkpoint's sparse set is written as if it had no gaps.
    case sequenceSkipped = "sequence-skipped"
    /// The origin of a revision is forgotten, so that it is pushed back.
    case echoNotSuppressed = "echo-not-suppressed"
    /// One peer discards tombstones that it pulls.
    case tombstoneDropped = "tombstone-dropped"
    /// Revisions are stored before their blobs are there.
    case blobNotFetched = "blob-not-fetched"
    /// Every peer makes its own merge, whatever the ancestor.
    case pingPong = "ping-pong"
    /// A delta is applied to an older body than the one it was computed from.
    case deltaOnWrongBase = "delta-on-wrong-base"
    /// Revisions are pushed without their ancestors.
    case historyTruncated = "history-truncated"
    /// One peer prefers the losing side of a conflict.
    case winnerReversed = "winner-reversed"
    /// One peer pushes what its filter refuses.
    case filterIgnored = "filter-ignored"
    /// Damaged bytes are accepted.
    case checksumUnchecked = "checksum-unchecked"
    /// A restored database keeps the later checkpoints, and its sequences.
    case restoredCheckpointKept = "restored-checkpoint-kept"
    /// No checkpoint says which saves it belongs to.
    case lineageLost = "lineage-lost"
    /// Of two revisions that were abandoned for each other, none comes first: the last sender wins.
    case mutualClosing = "mutual-closing"
    /// A revision is acknowledged although it could not be stored.
    case acknowledgedBeforeStored = "acknowledged-before-stored"
    /// The disk reports a sync that it has not done.
    case syncSkipped = "sync-skipped"

    // With version vectors.

    /// Times are converted to a double, which has 53 bits.
    case timeRounded = "time-rounded"
    /// The winner over a later revision is pushed without that revision in its history.
    case loserForgotten = "loser-forgotten"
    /// One peer writes `*` for itself on the wire.
    case meOnTheWire = "me-on-the-wire"
    /// One peer considers every version of its own source known, even if it is a restored copy.
    case ownTakenForKnown = "own-taken-for-known"
    /// A received vector is treated as if it had seen the current revision.
    case vectorOverstated = "vector-overstated"
    /// No clock: times count on from the database's, even after it was restored.
    case clockStands = "clock-stands"

    /// Whether it concerns version vectors, and so cannot show in a fleet of trees.
    public var isOfVectors: Bool {
        switch self {
        case .timeRounded, .loserForgotten, .meOnTheWire, .ownTakenForKnown, .vectorOverstated,
            .clockStands:
            true
        default: false
        }
    }

    /// Whether it shows only where databases are files.
    var needsFiles: Bool { self == .syncSkipped }

    /// Whether messages must be decoded to cause the bug.
    var needsRelay: Bool {
        switch self {
        case .checkpointBeforeData, .sequenceSkipped, .deltaOnWrongBase, .historyTruncated,
            .checksumUnchecked, .acknowledgedBeforeStored, .mutualClosing, .lineageLost,
            .timeRounded, .loserForgotten, .meOnTheWire, .ownTakenForKnown, .vectorOverstated:
            true
        default: false
        }
    }
}
