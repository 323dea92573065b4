import DivanBLIP
import DivanRevisions

/// The revisions that were requested and have not arrived, by the peer's sequences.
///
/// Nearly all sequences are increasing numbers, and are found without hashing.
struct RequestedRevisions {
    private var numbered = NumberTable<DocumentID>()
    private var others: [RemoteSequence: DocumentID] = [:]
    /// The same by document.
    private var othersOf: [DocumentID: Set<RemoteSequence>] = [:]

    var isEmpty: Bool { count == 0 }
    var count: Int { numbered.count + others.count }

    /// Any document that is still to come.
    var someDocumentID: DocumentID? {
        numbered.elements.first ?? others.first?.value
    }

    /// The documents that are still to come.
    var documentIDs: Set<DocumentID> { Set(numbered.elements).union(others.values) }

    /// The sequences under which a document was requested, if they cannot be ordered relative to another one.
    func incomparable(
        of documentID: DocumentID,
        to sequence: RemoteSequence?
    ) -> Set<RemoteSequence> {
        guard let sequence, let asked = othersOf[documentID] else { return [] }
        return asked.filter { $0.precedes(sequence) == nil }
    }

    /// Records that a document was requested.
    mutating func add(_ documentID: DocumentID, at sequence: RemoteSequence) {
        if let number = sequence.integer {
            numbered.insert(documentID, at: number)
        } else {
            remove(sequence)
            others[sequence] = documentID
            othersOf[documentID, default: []].insert(sequence)
        }
    }

    /// The sequence that a `norev` names, as it was written in the list that announced it.
    ///
    /// Sync Gateway before 3.3.3, and 4.0 before 4.0.3, omits the quotes there (CBG-5051).
    func announced(_ sequence: RemoteSequence) -> RemoteSequence {
        let isExact = sequence.integer.map { numbered[$0] != nil } ?? (others[sequence] != nil)
        guard !isExact, !others.isEmpty else { return sequence }
        let quoted = RemoteSequence(json: "\"\(sequence.json)\"")
        return others[quoted] == nil ? sequence : quoted
    }

    /// The revision requested under a sequence is no longer expected.
    mutating func remove(_ sequence: RemoteSequence) {
        if let number = sequence.integer {
            _ = numbered.remove(number)
        } else if let documentID = others.removeValue(forKey: sequence) {
            othersOf[documentID]?.remove(sequence)
            if othersOf[documentID]?.isEmpty ?? false { othersOf[documentID] = nil }
        }
    }
}
