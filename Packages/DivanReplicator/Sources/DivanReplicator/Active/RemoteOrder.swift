import DivanRevisions
import DivanStore

/// The order in which the peer had the revisions that it reports.
///
/// Statements on different paths do not arrive in order: a list of changes overtakes an answer, an answer overtakes a
/// large revision. A Divan peer says with an answer how far its sequences had come, and each revision comes with its
/// own.
struct RemoteOrder {
    /// The newest statement of the peer about a document.
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
    private var latestRoom = notedDocumentsCount
    /// The newest sequences under which first revisions arrived, nearly all of a first pull; these only serve to detect
    /// whether their documents were recreated.
    private var firsts: [DocumentID: UInt64] = [:]
    private var firstsRoom = notedDocumentsCount

    /// How a statement of the peer about a document relates to earlier ones.
    private enum Verdict {
        case news
        /// It has reported another revision under the same sequence.
        case beside
        /// It has reported something newer, which stays recorded.
        case passed
    }

    /// Records the peer's statement about a document, unless outdated; `awaited` names what is in transit.
    private mutating func note(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        _ sequence: UInt64,
        awaited: @autoclosure () -> Set<DocumentID>
    ) -> Verdict {
        // Later documents take the room of what has arrived: a whole backlog passes through here.
        latest.makeRoom(for: documentID, in: &latestRoom, keeping: awaited)
        let new = Latest(sequence: sequence, revisionID: revisionID)
        // One lookup for both questions.
        return latest[documentID, default: new].move(to: new)
    }

    /// Returns what the peer reported about a document, and records it as the latest; `nil` if the peer has already
    /// reported something newer.
    mutating func upToDate(
        _ mark: PeerReports.Mark,
        awaited: @autoclosure () -> Set<DocumentID>
    ) -> PeerReports.Mark? {
        guard let sequence = mark.remoteSequence else { return mark }
        let documentID = mark.revision.documentID
        // That it already had this revision need not be news, nor need the revision be current there.
        if mark.wasThere, tells(of: documentID) { return nil }
        var mark = mark
        switch note(documentID, mark.revision.revisionID, sequence, awaited: awaited()) {
        case .passed: return nil
        // A later revision may have arrived under the same sequence, in place of this one.
        case .beside: mark.revision.isCurrentThere = false
        case .news: break
        }
        return mark
    }

    /// Records a revision that arrived; returns whether the peer has reported something newer about its document.
    ///
    /// One that `isFirst` has no predecessor.
    mutating func noteArrival(
        of documentID: DocumentID,
        _ revisionID: RevisionID,
        _ sequence: UInt64,
        isFirst: Bool,
        awaited: @autoclosure () -> Set<DocumentID>
    ) -> Bool {
        guard isFirst else {
            let isPassed = !firsts.isEmpty && sequence < firsts[documentID] ?? 0
            return note(documentID, revisionID, sequence, awaited: awaited()) == .passed || isPassed
        }
        if !latest.isEmpty, sequence < latest[documentID]?.sequence ?? 0 { return true }
        firsts.makeRoom(for: documentID, in: &firstsRoom, keeping: awaited)
        return firsts[documentID, default: sequence].rise(to: sequence) > sequence
    }

    /// Whether the peer has reported something newer about a document than this sequence.
    func hasPassed(_ documentID: DocumentID, _ sequence: RemoteSequence?) -> Bool {
        guard let number = sequence?.number else { return false }
        return number < max(latest[documentID]?.sequence ?? 0, firsts[documentID] ?? 0)
    }

    /// Whether the peer has reported anything about a document.
    private func tells(of documentID: DocumentID) -> Bool { latest[documentID] != nil }

    /// Nothing is in transit any more.
    mutating func clear() {
        if !latest.isEmpty { latest = [:] }
        if !firsts.isEmpty { firsts = [:] }
    }
}

extension UInt64 {
    /// Raises the value to a greater number; returns the result.
    fileprivate mutating func rise(to other: UInt64) -> UInt64 {
        self = Swift.max(self, other)
        return self
    }
}

/// Number of documents recorded; more only while that many are in transit.
let notedDocumentsCount = 10_000

extension Dictionary where Key == DocumentID {
    /// Forgets the documents that are not in transit, if there is no room for one more.
    ///
    /// The room grows if most of them are, as otherwise all would be scanned for each new one.
    mutating func makeRoom(
        for documentID: DocumentID,
        in room: inout Int,
        keeping awaited: () -> Set<DocumentID>
    ) {
        guard count >= room, self[documentID] == nil else { return }
        let awaited = awaited()
        self = filter { awaited.contains($0.key) }
        room = Swift.max(notedDocumentsCount, 2 * count)
    }
}
