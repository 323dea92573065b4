import DivanBLIP
import DivanRevisions

/// The revisions that were asked for and have not come, by the peer's sequences.
///
/// Nearly all sequences are numbers that rise, and are found without a hash.
struct RequestedRevisions {
    private var numbered = NumberTable<DocumentID>()
    private var others: [RemoteSequence: DocumentID] = [:]

    var isEmpty: Bool { count == 0 }
    var count: Int { numbered.count + others.count }

    /// Some document that is still to come.
    var someDocumentID: DocumentID? {
        numbered.elements.first ?? others.first?.value
    }

    /// The documents that are still to come.
    var documentIDs: Set<DocumentID> { Set(numbered.elements).union(others.values) }

    /// The sequences under which a document was asked for, as far as nobody can tell whether they come
    /// before another one.
    func incomparable(
        of documentID: DocumentID,
        to sequence: RemoteSequence?
    ) -> Set<RemoteSequence> {
        guard let sequence, !others.isEmpty else { return [] }
        return Set(
            others.lazy.filter { $0.value == documentID && $0.key.precedes(sequence) == nil }
                .map(\.key)
        )
    }

    /// Notes that a document was asked for.
    mutating func add(_ documentID: DocumentID, at sequence: RemoteSequence) {
        if let number = sequence.integer {
            numbered.insert(documentID, at: number)
        } else {
            others[sequence] = documentID
        }
    }

    /// What was asked for under a sequence is not to come any more.
    mutating func remove(_ sequence: RemoteSequence) {
        if let number = sequence.integer {
            _ = numbered.remove(number)
        } else {
            others[sequence] = nil
        }
    }
}
