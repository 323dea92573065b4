import DivanDatabase
import DivanRevisions

/// What peers reported as saved, and whether it is there in the end.
struct Ledger {
    /// An acknowledged write.
    private struct Entry: Hashable {
        let peer: Int
        let documentID: DocumentID
        let revisionID: RevisionID
        let isDeletion: Bool
    }

    private var entries: Set<Entry> = []
    /// Versions that lost a conflict, by decision; `nil` for a deletion, whose revision is not reported.
    private var given: [DocumentID: Set<RevisionID?>] = [:]

    /// Acknowledged writes.
    var count: Int { entries.count }

    /// Reads a peer's output.
    mutating func read(_ lines: [String], of peer: Int) {
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            // A line truncated by the kill acknowledges nothing.
            guard words.count == 3, ["saved", "deleted", "gave"].contains(words[0]) else {
                continue
            }
            let documentID = DocumentID(unchecked: words[1])
            let id = RevisionID(ofAnyScheme: words[2])
            let isWhole = id.map { $0.isVersion || $0.description.utf8.count >= 42 } ?? false
            if words[0] == "gave" {
                if isWhole || words[2] == "-" { given[documentID, default: []].insert(id) }
            } else if let id, isWhole {
                let isDeletion = words[0] == "deleted"
                entries.insert(
                    Entry(
                        peer: peer,
                        documentID: documentID,
                        revisionID: id,
                        isDeletion: isDeletion
                    )
                )
            }
        }
    }

    /// Examines the databases at the end: sound, equal, and no acknowledged write is lost.
    ///
    /// - Returns: How many documents there are, and how many blobs.
    /// - Throws: `KillSyncFailure` that names the document.
    func judge(_ stores: [Store]) throws -> (documentCount: Int, blobCount: Int) {
        var contents: [[DocumentID: StoredDocument]] = []
        for store in stores {
            try store.checkIntegrity()
            let open = try store.read { try $0.conflicts(in: .default) }
            guard open.isEmpty else { throw KillSyncFailure("conflicts are left: \(open)") }
            contents.append(try Comparison.contents(store))
        }
        let documentIDs = contents.reduce(into: Set<DocumentID>()) { $0.formUnion($1.keys) }
        for id in documentIDs { try requireEqual(contents.map { $0[id] }, id) }
        try lookForEntries(stores, contents)
        let blobCounts = try zip(contents, stores).map { try Comparison.readBlobs($0, $1) }
        guard Set(blobCounts).count <= 1 else {
            throw KillSyncFailure("blobs of each database: \(blobCounts)")
        }
        return (documentIDs.count, blobCounts.first ?? 0)
    }

    /// A peer need not have received a document that was deleted before they connected, and it does not matter
    /// which of two deletions of one document it has.
    private func requireEqual(_ documents: [StoredDocument?], _ id: DocumentID) throws {
        let found = documents.compactMap(\.self)
        if found.allSatisfy(\.isTombstone) { return }
        guard found.count == documents.count, let first = found.first,
            found.allSatisfy({ $0.revisionID == first.revisionID && $0.body == first.body })
        else {
            let all = documents.map { $0.map { "\($0.revisionID)" } ?? "–" }
            throw KillSyncFailure("\(id) is not equal: \(all)")
        }
    }

    private func lookForEntries(
        _ stores: [Store],
        _ contents: [[DocumentID: StoredDocument]]
    ) throws {
        for (documentID, entries) in Dictionary(grouping: entries, by: \.documentID) {
            let histories = try stores.compactMap { store in
                try store.read { try $0.revisions(of: documentID, in: .default) }
            }
            for entry in entries where !isThere(entry, histories) {
                throw KillSyncFailure(
                    "\(documentID) \(entry.revisionID), acknowledged by peer \(entry.peer), is lost; "
                        + "current is \(histories.map { $0.current?.id.description ?? "–" })"
                )
            }
        }
    }

    /// Whether a write is in the history of the current revision.
    ///
    /// In a document that several edit it may also have lost a conflict: then another process has its closed
    /// branch, or has reported it if versions have no branches. Pruning removes ancestors beyond a tree's
    /// depth.
    private func isThere(_ entry: Entry, _ histories: [any RevisionHistory]) -> Bool {
        let depth = UInt64(RevisionLimits.depth) - 5
        let isOwn = entry.documentID.text.hasPrefix("own-")
        let isCurrent: (any RevisionHistory) -> Bool = { history in
            guard let current = history.current?.id else { return false }
            return current == entry.revisionID || history.isAncestor(entry.revisionID, of: current)
                || current.generation > entry.revisionID.generation + depth
        }
        // No process purges: its writer has it, if only its tombstone.
        if isOwn { return !histories.isEmpty && histories.allSatisfy(isCurrent) }
        return histories.contains { $0[entry.revisionID] != nil || isCurrent($0) }
            || wasGiven(entry)
    }

    /// Whether a version, or a later one of its writer, lost a conflict.
    private func wasGiven(_ entry: Entry) -> Bool {
        guard let version = entry.revisionID.version, let given = given[entry.documentID] else {
            return false
        }
        return given.contains { id in
            guard let loser = id?.version else { return id == nil && entry.isDeletion }
            return loser.source == version.source && loser.time >= version.time
        }
    }
}
