/// A mistake that a replicator could make, built into a run to see it caught.
///
/// None of them is in the product: each stands in a wrapper around the storage engine, the blobs,
/// the transport, a filter or a resolver.
public enum SeededBug: String, CaseIterable, Sendable {
    /// The checkpoint claims what was only announced.
    case checkpointBeforeData = "checkpoint-before-data"
    /// The checkpoint's sparse set is written as if it had no gaps.
    case sequenceSkipped = "sequence-skipped"
    /// Where a revision came from is forgotten, so that it is pushed back.
    case echoNotSuppressed = "echo-not-suppressed"
    /// One peer throws away tombstones that it pulls.
    case tombstoneDropped = "tombstone-dropped"
    /// Revisions are stored before their blobs are there.
    case blobNotFetched = "blob-not-fetched"
    /// Every peer makes a merge of its own, whatever the ancestor.
    case pingPong = "ping-pong"
    /// A delta is applied to an older body than the one it was made from.
    case deltaOnWrongBase = "delta-on-wrong-base"
    /// Revisions are pushed without their ancestors.
    case historyTruncated = "history-truncated"
    /// One peer prefers the losing side of a conflict.
    case winnerReversed = "winner-reversed"
    /// One peer pushes what its filter refuses.
    case filterIgnored = "filter-ignored"
    /// Damaged bytes get through.
    case checksumUnchecked = "checksum-unchecked"
    /// A database that was restored keeps the checkpoints of later, and its sequences.
    case restoredCheckpointKept = "restored-checkpoint-kept"
    /// No checkpoint says from which saves it comes.
    case lineageLost = "lineage-lost"
    /// Of two revisions that were given up for each other none comes first: whoever speaks last wins.
    case mutualClosing = "mutual-closing"
    /// A revision is acknowledged although it could not be stored.
    case acknowledgedBeforeStored = "acknowledged-before-stored"
    /// The disk says that it has synced, and has not.
    case syncSkipped = "sync-skipped"

    // With version vectors.

    /// Times go through a double, which has 53 bits.
    case timeRounded = "time-rounded"
    /// What wins over a later revision is pushed without having seen it.
    case loserForgotten = "loser-forgotten"
    /// One peer writes `*` for itself on the wire.
    case meOnTheWire = "me-on-the-wire"
    /// One peer takes every version of its own source for known, also where it is a restored copy.
    case ownTakenForKnown = "own-taken-for-known"
    /// A received vector counts as one that has seen the current revision.
    case vectorOverstated = "vector-overstated"
    /// No clock: times count on from what the database has, also after it was restored.
    case clockStands = "clock-stands"

    /// Whether it is one of version vectors, which nothing shows in a fleet of trees.
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

    /// Whether messages have to be taken apart to make the mistake.
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
