import DivanRevisions
import DivanStore

/// In which order the peer had the revisions of which it tells.
///
/// What it says on several ways does not arrive as it happened: a list of changes overtakes an
/// answer, an answer overtakes a large revision. A peer of ours says with an answer how far its
/// sequences were, and each revision comes with its own.
struct RemoteOrder {
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
    private var latestRoom = notedDocumentsCount
    /// The newest sequences under which first revisions came: nearly all of a first pull, of which nothing
    /// else is asked than whether their documents were made anew.
    private var firsts: [DocumentID: UInt64] = [:]
    private var firstsRoom = notedDocumentsCount

    /// What is to be thought of something that the peer told of a document.
    private enum Verdict {
        case news
        /// It has told of another revision under the same sequence.
        case beside
        /// It has told something newer, which stays noted.
        case passed
    }

    /// Notes what the peer told of a document, unless that was passed; `awaited` names what is on its way.
    private mutating func note(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        _ sequence: UInt64,
        awaited: @autoclosure () -> Set<DocumentID>
    ) -> Verdict {
        // The next ones take the room of what has arrived: a backlog comes through here as a whole.
        latest.makeRoom(for: documentID, in: &latestRoom, keeping: awaited)
        let new = Latest(sequence: sequence, revisionID: revisionID)
        // One look into the table for both questions.
        return latest[documentID, default: new].move(to: new)
    }

    /// Returns what the peer told of a document, and notes it as the newest; `nil` when the peer has told
    /// something newer already.
    mutating func upToDate(
        _ mark: Remarks.Mark,
        awaited: @autoclosure () -> Set<DocumentID>
    ) -> Remarks.Mark? {
        guard let sequence = mark.remoteSequence else { return mark }
        let documentID = mark.revision.documentID
        // That it had this one need not be news, nor this one be current there.
        if mark.wasThere, tells(of: documentID) { return nil }
        var mark = mark
        switch note(documentID, mark.revision.revisionID, sequence, awaited: awaited()) {
        case .passed: return nil
        // A later revision may have come under the same sequence, in place of this one.
        case .beside: mark.revision.isCurrentThere = false
        case .news: break
        }
        return mark
    }

    /// Notes a revision that came; returns whether the peer has told something newer of its document.
    ///
    /// One that `isFirst` follows no other.
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

    /// Whether the peer has told something newer of a document than what has this sequence.
    func hasPassed(_ documentID: DocumentID, _ sequence: RemoteSequence?) -> Bool {
        guard let number = sequence?.number else { return false }
        return number < max(latest[documentID]?.sequence ?? 0, firsts[documentID] ?? 0)
    }

    /// Whether the peer has told of a document.
    private func tells(of documentID: DocumentID) -> Bool { latest[documentID] != nil }

    /// Nothing is on its way any more.
    mutating func clear() {
        if !latest.isEmpty { latest = [:] }
        if !firsts.isEmpty { firsts = [:] }
    }
}

extension UInt64 {
    /// Takes a greater number; returns what it is now.
    fileprivate mutating func rise(to other: UInt64) -> UInt64 {
        self = Swift.max(self, other)
        return self
    }
}

/// Documents of which something is noted; more only where as many are on their way.
let notedDocumentsCount = 10_000

extension Dictionary where Key == DocumentID {
    /// Forgets the documents that are not on their way, where there is no room for one more.
    ///
    /// The room grows where most of them are, or all would be looked through for each one that comes.
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
