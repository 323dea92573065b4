import DivanRevisions

/// Documents that the user lost while revisions of them were on their way here.
///
/// A revision that the peer sent before it withdrew the document may arrive, or get its last blob,
/// afterwards; it is not stored. Whatever the peer sends after it has granted access again has a
/// later sequence.
struct Withdrawals {
    /// By document, the sequence under which it was withdrawn.
    private var latest: [DocumentID: RemoteSequence] = [:]

    var isEmpty: Bool { latest.isEmpty }

    /// Notes a loss, which the peer told under this sequence; `awaited` names what is on its way.
    mutating func note(
        _ documentID: DocumentID,
        _ sequence: RemoteSequence,
        awaited: @autoclosure () -> Set<DocumentID>
    ) {
        latest.makeRoom(for: documentID, keeping: awaited)
        latest[documentID] = sequence
    }

    /// Whether a revision with this sequence was sent before the document was withdrawn.
    func covers(_ documentID: DocumentID, _ sequence: RemoteSequence?) -> Bool {
        guard let sequence, let loss = latest[documentID] else { return false }
        return sequence.precedes(loss) ?? false
    }

    /// Nothing is on its way any more.
    mutating func clear() {
        if !latest.isEmpty { latest = [:] }
    }
}
