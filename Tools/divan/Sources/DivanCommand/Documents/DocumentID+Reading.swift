import DivanCommandLine
import DivanRevisions

/// The ID of a document as the packages below take it; `Divan` has a property wrapper of that name.
typealias DocumentID = DivanRevisions.DocumentID

extension Arguments {
    /// The document that an operand names, to look for: one that no document can have finds none.
    func documentID(at place: Int) -> DocumentID {
        DocumentID(unchecked: operands[place])
    }
}

extension DocumentID {
    /// Whether the ID begins with these bytes.
    func begins(with prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

    /// The ID as a terminal may show it.
    func escapingControlCharacters() -> String { text.escapingControlCharacters() }
}
