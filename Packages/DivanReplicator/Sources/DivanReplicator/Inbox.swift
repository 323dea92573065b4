import DivanBLIP
import DivanRevisions
import DivanStore

/// A received revision on its way into the store.
struct IncomingRevision {
    /// The request to answer after the commit; `nil` when no answer is wanted.
    var request: BLIPRequestID?
    var collection: Int
    var message: RevisionMessage
    var body: [UInt8] = []
    var hasBlobs = false
    /// The difference that the body was made from, if any.
    var delta: DeltaUse?
    /// Keep its blobs from being collected until it is stored.
    var holds: [BlobHold] = []
}

/// What became of a received revision.
enum RevisionResult {
    case inserted(sequence: UInt64, isConflict: Bool, isBranched: Bool)
    case alreadyThere(lastSequence: UInt64)
    /// It was given up here, and stays so.
    case givenUp(sequence: UInt64, current: RevisionID)
    case failed(SyncError)
}

/// A document that the user may no longer see.
struct Removal {
    var request: BLIPRequestID?
    var collection: Int
    var documentID: DocumentID
    /// The revision that the server names, if it names one of a tree.
    var revisionID: RevisionID?
    var sequence: RemoteSequence?
    var purges: Bool
    /// Withdrawn, and deleted as well where the server says so.
    var flags: SyncFlags = .accessRemoved

    /// What the pull filter is asked, which may veto the purge.
    var question: FilteredRevision {
        FilteredRevision(documentID, revisionID, body: [], flags: .accessRemoved)
    }
}

/// Collects what the next transaction is to store, and holds revisions back until their blobs
/// have arrived.
struct Inbox {
    private(set) var ready: [IncomingRevision] = []
    private(set) var removals: [Removal] = []
    private(set) var marks: [Mark] = []  // revisions that the remote is now known to have
    private(set) var refusals: [PushRefusal] = []
    private(set) var parkedByteCount = 0
    private var parked: [Int: Parked] = [:]
    private var nextParkedID = 0

    /// A revision that the remote has, and the number of its collection.
    struct Mark {
        var collection: Int
        var revision: KnownRevision
        /// How far the remote's sequences were then, if it said.
        var remoteSequence: UInt64?
        /// Whether we have a newer one.
        var isBehind = false
    }

    /// What the peer refused for good, and the number of its collection.
    struct PushRefusal {
        var collection: Int
        var refusal: Refusal
    }

    private struct Parked {
        var revision: IncomingRevision
        var missingCount: Int
    }

    var isEmpty: Bool { hasOnlyMarks && marks.isEmpty && refusals.isEmpty }

    /// What the peer said about revisions of ours.
    var remarkCount: Int { marks.count + refusals.count }

    var hasOnlyMarks: Bool { ready.isEmpty && removals.isEmpty }

    /// Whether the limits leave room for another revision that waits.
    func hasRoom(for byteCount: Int, _ limits: Limits) -> Bool {
        parked.count < limits.parkedRevisionsCount
            && parkedByteCount + byteCount <= limits.parkedByteCount
    }

    mutating func add(_ revision: consuming IncomingRevision) {
        parkedByteCount += revision.body.count
        ready.append(consume revision)
    }

    mutating func add(_ removal: Removal) {
        removals.append(removal)
    }

    mutating func add(_ mark: Mark) {
        marks.append(mark)
    }

    mutating func add(_ refusal: PushRefusal) {
        refusals.append(refusal)
    }

    /// Holds a revision back until `missingCount` blobs have arrived; returns its ticket.
    mutating func park(_ revision: IncomingRevision, missingCount: Int) -> Int {
        parkedByteCount += revision.body.count
        nextParkedID += 1
        parked[nextParkedID] = Parked(revision: revision, missingCount: missingCount)
        return nextParkedID
    }

    /// A blob arrived, or could not; returns the revision when it failed with it.
    mutating func resolved(
        _ completion: BlobFetcher.Completion
    ) -> (revision: IncomingRevision, error: SyncError)? {
        guard var entry = parked[completion.parkedID] else { return nil }
        if let error = completion.error {
            parked[completion.parkedID] = nil
            parkedByteCount -= entry.revision.body.count
            return (entry.revision, error)
        }
        entry.missingCount -= 1
        if entry.missingCount == 0 {
            parked[completion.parkedID] = nil
            ready.append(entry.revision)
        } else {
            parked[completion.parkedID] = entry
        }
        return nil
    }

    /// Hands out what the peer refused.
    mutating func takeRefusals() -> [PushRefusal] {
        defer { refusals = [] }
        return refusals
    }

    /// Hands out everything else that is ready, in the order of arrival.
    mutating func take() -> (ready: [IncomingRevision], removals: [Removal], marks: [Mark]) {
        for revision in ready { parkedByteCount -= revision.body.count }
        defer {
            ready = []
            removals = []
            marks = []
        }
        return (ready, removals, marks)
    }

    /// Drops what waits for blobs: the connection is gone.
    mutating func abandonParked() -> [IncomingRevision] {
        defer {
            parked = [:]
            parkedByteCount = ready.reduce(0) { $0 + $1.body.count }
        }
        return parked.values.map(\.revision)
    }
}
