import DivanBLIP
import DivanRevisions

/// The revisions that were asked for and have not come, by the peer's sequences.
///
/// Nearly all sequences are numbers that rise, and are found without a hash.
struct RequestedRevisions {
    private var numbered = NumberTable<DocumentID>()
    private var others: [RemoteSequence: DocumentID] = [:]
    /// The same by their documents.
    private var othersOf: [DocumentID: Set<RemoteSequence>] = [:]

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
        guard let sequence, let asked = othersOf[documentID] else { return [] }
        return asked.filter { $0.precedes(sequence) == nil }
    }

    /// Notes that a document was asked for.
    mutating func add(_ documentID: DocumentID, at sequence: RemoteSequence) {
        if let number = sequence.integer {
            numbered.insert(documentID, at: number)
        } else {
            remove(sequence)
            others[sequence] = documentID
            othersOf[documentID, default: []].insert(sequence)
        }
    }

    /// A sequence that a `norev` names, as the list had it that announced it.
    ///
    /// Sync Gateway before 3.3.3, and 4.0 before 4.0.3, leaves out the quotes there (CBG-5051).
    func announced(_ sequence: RemoteSequence) -> RemoteSequence {
        let isExact = sequence.integer.map { numbered[$0] != nil } ?? (others[sequence] != nil)
        guard !isExact, !others.isEmpty else { return sequence }
        let quoted = RemoteSequence(json: "\"\(sequence.json)\"")
        return others[quoted] == nil ? sequence : quoted
    }

    /// What was asked for under a sequence is not to come any more.
    mutating func remove(_ sequence: RemoteSequence) {
        if let number = sequence.integer {
            _ = numbered.remove(number)
        } else if let documentID = others.removeValue(forKey: sequence) {
            othersOf[documentID]?.remove(sequence)
            if othersOf[documentID]?.isEmpty ?? false { othersOf[documentID] = nil }
        }
    }
}
