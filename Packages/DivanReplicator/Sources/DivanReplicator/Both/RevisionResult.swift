import DivanRevisions
import DivanStore

/// The result of a received revision: nearly always inserted, so the other cases are indirect.
enum RevisionResult: Sendable {
    case inserted(sequence: UInt64, isConflict: Bool, isBranched: Bool)
    case alreadyThere(lastSequence: UInt64)
    /// It is older than another revision, which may have won over it here.
    indirect case overtaken(lastSequence: UInt64, winner: ChangeRow?)
    /// It was given up here, and remains so.
    indirect case givenUp(sequence: UInt64, current: RevisionID)
    /// If lost with its transaction, or to a full disk, it must be sent again.
    indirect case failed(SyncError, isLost: Bool)
}
