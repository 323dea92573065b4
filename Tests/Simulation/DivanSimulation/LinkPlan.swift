import DivanStore

/// One replication: who starts it, with whom, and what it carries.
struct LinkPlan: Sendable {
    var active: Int
    var passive: Int
    var isContinuous = true
    var usesDeltas = true
    /// Documents by ID; empty means all.
    var documentIDs: [String] = []

    /// Whether documents of this ID go through when their filters let them.
    func names(_ documentID: String) -> Bool {
        documentIDs.isEmpty || documentIDs.contains(documentID)
    }
}

/// The names of documents say what may become of them.
enum DocumentName {
    /// A document that everyone shares.
    static func shared(_ number: Int) -> String { "d\(number)" }

    /// A document that never leaves its node: push and pull filters refuse it.
    static func privately(_ number: Int, of node: Int) -> String { "private-\(node)-\(number)" }

    /// A document that only one node edits.
    static func owned(_ number: Int, by node: Int) -> String { "own-\(node)-\(number)" }

    /// Whether filters refuse the document.
    static func isPrivate(_ documentID: String) -> Bool { documentID.hasPrefix("private-") }

    /// The node in the name of a private or owned document.
    static func owner(of documentID: String) -> Int? {
        let parts = documentID.split(separator: "-")
        return parts.count == 3 ? Int(parts[1]) : nil
    }
}
