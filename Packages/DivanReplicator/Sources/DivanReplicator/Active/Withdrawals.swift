import DivanBLIP
import DivanRevisions

/// Documents that were withdrawn while revisions of them were in transit.
///
/// A revision that the peer sent before it withdrew the document may arrive, or get its last blob, afterwards; it is
/// not stored. Anything the peer sends after granting access again has a later sequence.
struct Withdrawals {
    private struct Loss {
        let sequence: RemoteSequence
        /// Sequences known to have been sent before, for a peer whose sequences cannot be compared.
        let earlier: Set<RemoteSequence>
    }

    /// By document, when it was last withdrawn.
    private var latest: [DocumentID: Loss] = [:]
    private var room = notedDocumentsCount

    var isEmpty: Bool { latest.isEmpty }

    /// Records a loss, if the peer reported it under a sequence; `awaited` names what is in transit.
    mutating func note(_ removal: PeerReports.Removal, awaited: @autoclosure () -> Set<DocumentID>)
    {
        guard let sequence = removal.sequence else { return }
        latest.makeRoom(for: removal.documentID, in: &room, keeping: awaited)
        latest[removal.documentID] = Loss(sequence: sequence, earlier: removal.awaited)
    }

    /// Whether a revision with this sequence was sent before the document was withdrawn.
    func covers(_ documentID: DocumentID, _ sequence: RemoteSequence?) -> Bool {
        guard let sequence, let loss = latest[documentID] else { return false }
        return sequence.precedes(loss.sequence) ?? loss.earlier.contains(sequence)
    }

    /// Nothing is in transit any more.
    mutating func clear() {
        if !latest.isEmpty { latest = [:] }
    }
}

extension Puller {
    /// What to do about a document whose requested revision the peer withholds.
    func removal(by message: RevisionMessage, _ request: BLIPIncomingRequest) -> PeerReports.Removal
    {
        removal(
            of: message.documentID,
            message.revisionID,
            request: request.isNoReply ? nil : request.id,
            sequence: message.sequence
        )
    }
}
