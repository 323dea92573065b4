import DivanJSON

/// A revision of a document as a dump with histories names it: one of several, if the document has a
/// conflict.
///
/// Source: the HTTP API reference of CouchDB 3, "Replication and conflict model".
struct CouchLeaf {
    private let id: ExactText
    private let names: CouchRevisions
    private let isDeleted: Bool

    /// Reads the revision IDs of a row; `nil` if it has none.
    init?(_ row: JSONObject) {
        guard let id = row["_id"]?.string,
            let names = CouchRevisions(row["_revisions"])
                ?? row["_rev"]?.string.flatMap({ CouchRevisions(withoutHistory: $0) })
        else { return nil }
        self.id = ExactText(id)
        self.names = names
        isDeleted = row["_deleted"]?.bool == true
    }

    /// Whether both are revisions of one document.
    func isOfSameDocument(as other: CouchLeaf) -> Bool { id == other.id }

    /// Whether CouchDB shows this one: the one that descends from the other; else the one that is not
    /// deleted, has the longer history, and finally the higher digest.
    func wins(over other: CouchLeaf) -> Bool {
        if descends(from: other) { return true }
        if other.descends(from: self) { return false }
        if isDeleted != other.isDeleted { return other.isDeleted }
        let (ours, theirs) = (names, other.names)
        if ours.generation != theirs.generation { return ours.generation > theirs.generation }
        return theirs.digests[0].utf8.lexicographicallyPrecedes(ours.digests[0].utf8)
    }

    private func descends(from other: CouchLeaf) -> Bool {
        let (ours, theirs) = (names, other.names)
        guard ours.generation > theirs.generation,
            let distance = Int(exactly: ours.generation - theirs.generation)
        else { return false }
        return ours.digests.indices.contains(distance)
            && ExactText(ours.digests[distance]) == ExactText(theirs.digests[0])
    }
}

/// The IDs of a revision and of its ancestors, as CouchDB lists them under `_revisions`.
struct CouchRevisions {
    let generation: Int64
    /// At least one: its own, then those of its ancestors, newest first.
    let digests: [String]

    /// A revision whose ancestors are not known, such as `2-a5`.
    init?(withoutHistory revision: String) {
        guard let hyphen = revision.firstIndex(of: "-"),
            let generation = Int64(revision[..<hyphen]), generation > 0
        else { return nil }
        self.generation = generation
        digests = [String(revision[revision.index(after: hyphen)...])]
    }

    /// `nil` if there are none, or more than generations.
    init?(_ value: JSON?) {
        guard let revisions = value?.object, let start = revisions["start"]?.int,
            let digests = revisions["ids"]?.array?.compactMap(\.string), !digests.isEmpty,
            start >= digests.count
        else { return nil }
        generation = start
        self.digests = digests
    }
}
