import DivanRevisions
import DivanStore

/// What became of a received revision: nearly always it was inserted, so the others are told by reference.
enum RevisionResult: Sendable {
    case inserted(sequence: UInt64, isConflict: Bool, isBranched: Bool)
    case alreadyThere(lastSequence: UInt64)
    /// It lies behind another one, which may have won over it here.
    indirect case overtaken(lastSequence: UInt64, winner: ChangeRow?)
    /// It was given up here, and stays so.
    indirect case givenUp(sequence: UInt64, current: RevisionID)
    /// One that was lost with its transaction, or to a full disk, must come again.
    indirect case failed(SyncError, isLost: Bool)
}
