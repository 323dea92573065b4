import DivanRevisions

/// In which order the peer had the revisions of which it tells.
///
/// What it says on several ways does not arrive as it happened: a list of changes overtakes an
/// answer, an answer overtakes a large revision. A peer of ours says with an answer how far its
/// sequences were, and each revision comes with its own.
struct RemoteOrder {
    /// Documents that are named; far more than are on their way twice at one time.
    private static let documentsCount = 10_000

    /// The newest that the peer told of a document.
    private struct Latest {
        var sequence: UInt64
        var revisionID: RevisionID

        mutating func move(to new: Latest) -> Verdict {
            guard new.sequence >= sequence else { return .passed }
            let isBeside = new.sequence == sequence && new.revisionID != revisionID
            self = new
            return isBeside ? .beside : .news
        }
    }

    private var latest: [DocumentID: Latest] = [:]

    /// What is to be thought of something that the peer told of a document.
    enum Verdict {
        case news
        /// It has told of another revision under the same sequence.
        case beside
        /// It has told something newer, which stays noted.
        case passed
    }

    /// Notes what the peer told of a document, unless that was passed.
    mutating func note(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        _ sequence: UInt64
    ) -> Verdict {
        if latest.count >= Self.documentsCount, !tells(of: documentID) {
            // The next ones take the room of these: a backlog comes through here as a whole.
            latest.removeAll(keepingCapacity: true)
        }
        let new = Latest(sequence: sequence, revisionID: revisionID)
        // One look into the table for both questions.
        return latest[documentID, default: new].move(to: new)
    }

    /// Whether the peer has told something newer of a document.
    func isPassed(_ documentID: DocumentID, _ sequence: UInt64) -> Bool {
        !latest.isEmpty && sequence < latest[documentID]?.sequence ?? 0
    }

    /// Whether the peer has told of a document.
    func tells(of documentID: DocumentID) -> Bool { latest[documentID] != nil }

    /// Nothing is on its way any more.
    mutating func clear() {
        if !latest.isEmpty { latest = [:] }
    }
}
