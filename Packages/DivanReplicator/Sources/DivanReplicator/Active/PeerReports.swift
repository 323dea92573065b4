import DivanBLIP
import DivanRevisions
import DivanStore

/// What the peer reported about documents without sending any: what it has, what it does not accept, and what the user
/// lost.
///
/// Stored with the next transaction. Pusher and puller add to it; marks alone may wait for more of them
/// (`ReplicatorLimits.heldMarksCount`).
final class PeerReports {
    private(set) var removals: [Removal] = []
    // Revisions that the remote is now known to have; unchecked, as one thread adds to the array, which calls nothing.
    @exclusivity(unchecked) private(set) var marks: [Mark] = []
    private(set) var refusals: [PushRefusal] = []
    private(set) var pulls: [PullResult] = []

    /// A revision that the remote has, and the number of its collection.
    struct Mark {
        var collection: Int
        var revision: KnownRevision
        /// How far the remote's sequences had come then, if it said.
        var remoteSequence: UInt64?
        /// Whether the remote already had it before it was sent, as its current revision or not.
        var wasThere = false
        /// Whether we have a newer one.
        var isBehind = false
    }

    /// What the peer permanently refused, and the number of its collection.
    struct PushRefusal {
        var collection: Int
        var refusal: Refusal
    }

    /// Whether a document could be pulled, if that is to be recorded, and the number of its collection.
    struct PullResult {
        var collection: Int
        var documentID: DocumentID
        /// Why not; `nil` if an earlier failure no longer applies.
        var failure: Refusal?

        init(_ documentID: DocumentID, in collection: Int, _ failure: Refusal?) {
            self.collection = collection
            self.documentID = documentID
            self.failure = failure
        }
    }

    /// A document that the user may no longer see.
    struct Removal {
        var request: BLIPRequestID?
        var collection: Int
        var documentID: DocumentID
        /// The revision that the server names, if it names one of a tree.
        var revisionID: RevisionID?
        var sequence: RemoteSequence?
        /// What had been requested of the document when the loss was reported, if sequences cannot be compared.
        var awaited: Set<RemoteSequence> = []
        var purges: Bool
        /// Withdrawn, and also deleted if the server says so.
        var flags: SyncFlags = .accessRemoved

        func event(in path: CollectionPath, _ error: SyncError?) -> DocumentEvent {
            DocumentEvent(pulling: documentID, in: path, flags: flags, error)
        }

        /// The question to the pull filter, which may veto the purge.
        var question: FilteredRevision {
            FilteredRevision(documentID, revisionID, body: [], flags: .accessRemoved)
        }
    }

    /// What happens to a document that the user may no longer see.
    enum Verdict {
        case purges
        /// Nothing is to be purged.
        case keeps
        /// The pull filter wants it to stay.
        case vetoed
    }

    var isEmpty: Bool {
        removals.isEmpty && marks.isEmpty && refusals.isEmpty && pulls.isEmpty
    }

    /// The number of the peer's statements about our revisions, and of pulls to record.
    var count: Int { marks.count + refusals.count + pulls.count }

    /// Documents of a collection with a revision that the peer reported and that is not recorded yet.
    func markedDocumentIDs(in collection: Int) -> Set<DocumentID> {
        Set(marks.lazy.filter { $0.collection == collection }.map(\.revision.documentID))
    }

    /// Documents of a collection that the user lost and that are still here.
    func lostDocumentIDs(in collection: Int) -> Set<DocumentID> {
        guard !removals.isEmpty else { return [] }
        return Set(removals.lazy.filter { $0.collection == collection }.map(\.documentID))
    }

    func add(_ removal: Removal) { removals.append(removal) }

    func add(_ mark: Mark) { marks.append(mark) }

    func add(_ refusal: PushRefusal) { refusals.append(refusal) }

    func add(_ result: PullResult) { pulls.append(result) }

    /// Everything, in the order of arrival.
    struct Contents {
        var removals: [Removal]
        var marks: [Mark]
        var refusals: [PushRefusal]
        var pulls: [PullResult]
    }

    /// Returns, and removes, everything.
    func take() -> Contents {
        defer { (removals, marks, refusals, pulls) = ([], [], [], []) }
        return Contents(removals: removals, marks: marks, refusals: refusals, pulls: pulls)
    }
}

extension StoreWriter {
    /// Records refusals, in the collections that `paths` numbers.
    func note(
        _ refusals: [PeerReports.PushRefusal],
        _ paths: [CollectionPath],
        at remote: RemoteID?
    ) throws {
        guard let remote, !refusals.isEmpty else { return }
        for (number, path) in paths.enumerated() {
            let here = refusals.lazy.filter { $0.collection == number }.map(\.refusal)
            try note(Array(here), at: remote, in: path)
        }
    }

    /// Records which documents could not be pulled, in the collections that `paths` numbers.
    func note(
        _ pulls: [PeerReports.PullResult],
        _ paths: [CollectionPath],
        at remote: RemoteID?
    ) throws {
        guard let remote, !pulls.isEmpty else { return }
        for (number, path) in paths.enumerated() {
            // The last result of each document counts.
            var results: [DocumentID: Refusal?] = [:]
            for pull in pulls where pull.collection == number {
                results[pull.documentID] = .some(pull.failure)
            }
            try noteFailedPulls(results.values.compactMap(\.self), from: remote, in: path)
            let settled = results.filter { $0.value == nil }.map(\.key)
            try forgetFailedPulls(of: settled, from: remote, in: path)
        }
    }

    /// Marks what the remote has, in the collections that `paths` numbers.
    func mark(
        _ marks: [PeerReports.Mark],
        _ paths: [CollectionPath],
        at remote: RemoteID?
    ) throws {
        guard let remote, !marks.isEmpty else { return }
        guard paths.count > 1 else {
            for path in paths { try markKnown(marks.map(\.revision), at: remote, in: path) }
            return
        }
        for (number, path) in paths.enumerated() {
            let known = marks.lazy.filter { $0.collection == number }.map(\.revision)
            if !known.isEmpty { try markKnown(Array(known), at: remote, in: path) }
        }
    }
}
