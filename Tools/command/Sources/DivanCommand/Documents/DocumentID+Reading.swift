import DivanCommandLine
import DivanRevisions

/// The document ID of the packages below; `Divan` has a property wrapper of that name.
typealias DocumentID = DivanRevisions.DocumentID

extension Arguments {
    /// The document that an operand names, for a lookup: an ID that no document can have finds none.
    func documentID(at place: Int) -> DocumentID {
        DocumentID(unchecked: operands[place])
    }
}

extension DocumentID {
    /// Whether the ID begins with these bytes.
    func begins(with prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

    /// The ID, safe to show on a terminal.
    func escapingControlCharacters() -> String { text.escapingControlCharacters() }
}
