import DivanJSON

/// A revision of a document as a dump with histories names it: one of several, where the document has a
/// conflict.
///
/// Source: the HTTP API reference of CouchDB 3, "Replication and conflict model".
struct CouchLeaf {
    private let id: ExactText
    private let generation: Int64
    private let digests: [String]  // its own, then those of its ancestors, newest first
    private let isDeleted: Bool

    /// Reads the names of a row; `nil` where it tells no history.
    init?(_ row: JSONObject) {
        guard let id = row["_id"]?.string, let revisions = row["_revisions"]?.object,
            let start = revisions["start"]?.int,
            let digests = revisions["ids"]?.array?.compactMap(\.string), !digests.isEmpty,
            start >= digests.count
        else { return nil }
        self.id = ExactText(id)
        generation = start
        self.digests = digests
        isDeleted = row["_deleted"]?.bool == true
    }

    /// Whether both are revisions of one document.
    func isOfSameDocument(as other: CouchLeaf) -> Bool { id == other.id }

    /// Whether this one is what CouchDB shows: what follows the other; else what is not deleted, has the
    /// longer history, and at last the higher digest.
    func wins(over other: CouchLeaf) -> Bool {
        if descends(from: other) { return true }
        if other.descends(from: self) { return false }
        if isDeleted != other.isDeleted { return other.isDeleted }
        if generation != other.generation { return generation > other.generation }
        return other.digests[0].utf8.lexicographicallyPrecedes(digests[0].utf8)
    }

    private func descends(from other: CouchLeaf) -> Bool {
        guard generation > other.generation,
            let distance = Int(exactly: generation - other.generation)
        else { return false }
        return digests.indices.contains(distance)
            && ExactText(digests[distance]) == ExactText(other.digests[0])
    }
}
