import DivanDatabase
import DivanRevisions

/// One replication: who starts it, with whom, and what it transfers.
struct LinkPlan: Sendable {
    var active: Int
    var passive: Int
    var isContinuous = true
    var usesDeltas = true
    /// Documents by ID; empty means all.
    var documentIDs: [DocumentID] = []

    /// Whether a document with this ID is transferred if the filters permit it.
    func names(_ documentID: DocumentID) -> Bool {
        documentIDs.isEmpty || documentIDs.contains(documentID)
    }
}

/// The names of documents determine what may happen to them.
///
/// Every second one ends in a letter that Unicode can encode in three ways, and each of them is a
/// separate document: code that uses strings as keys would confuse the three.
enum DocumentName {
    private static let spellings = ["", "\u{212B}", "", "\u{C5}", "", "A\u{30A}"]

    /// A document that everyone shares.
    static func shared(_ number: Int) -> DocumentID { name("d", number) }

    /// A document that never leaves its node: push and pull filters refuse it.
    static func privately(_ number: Int, of node: Int) -> DocumentID {
        name("private-\(node)-", number)
    }

    /// A document that only one node edits.
    static func owned(_ number: Int, by node: Int) -> DocumentID { name("own-\(node)-", number) }

    /// Numbers 1, 3 and 5 of each six differ only in the encoding of their letter.
    private static func name(_ beginning: String, _ number: Int) -> DocumentID {
        let spelling = spellings[number % spellings.count]
        let shown = spelling.isEmpty ? number : number / spellings.count
        return DocumentID(unchecked: "\(beginning)\(shown)\(spelling)")
    }

    /// Whether filters refuse the document.
    static func isPrivate(_ documentID: DocumentID) -> Bool {
        documentID.text.utf8.starts(with: "private-".utf8)
    }

    /// The node in the name of a private or owned document.
    static func owner(of documentID: DocumentID) -> Int? {
        let parts = documentID.text.split(separator: "-")
        return parts.count == 3 ? Int(parts[1]) : nil
    }
}
