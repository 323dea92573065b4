import DivanRevisions
import DivanStore

/// What became of a received revision.
enum RevisionResult {
    case inserted(sequence: UInt64, isConflict: Bool, isBranched: Bool)
    case alreadyThere(lastSequence: UInt64)
    /// It lies behind another one, which may have won over it here.
    case overtaken(lastSequence: UInt64, winner: ChangeRow?)
    /// It was given up here, and stays so.
    case givenUp(sequence: UInt64, current: RevisionID)
    /// One that was lost with its transaction, or to a full disk, must come again.
    case failed(SyncError, isLost: Bool)
}
