internal import DivanRevisions

// A document that both sides deleted has nothing to decide. A replicator that pulls closes such a conflict when it
// starts; a database that only serves, or is only edited, closes it here.
//
// Source: `version-vectors.md` §6; `revisions.md` §8.

extension StoreWriter {
    /// Ends the conflicts of a history in which both sides deleted the document: the remote's tombstone stays.
    func closeDeletions(in history: inout any RevisionHistory) throws(RevisionError) {
        while let (local, remote) = history.conflict, local.isTombstone, remote.isTombstone {
            _ = try history.end(
                (local.id, remote.id),
                as: .keepRemote,
                closesRemote: false,
                by: &author
            )
            // Each round ends one conflict.
            guard history.conflict?.remote.id != remote.id else { return }
        }
    }

    /// Ends such conflicts of a collection that are stored; damaged documents are skipped.
    fileprivate func closeDeletions(
        in path: CollectionPath,
        after sequence: inout UInt64,
        limit: Int
    ) throws(StoreError) -> Int {
        let collection = try self.collection(path)
        let documents = try conflicts(in: path, after: sequence, limit: limit)
        for document in documents {
            sequence = document.sequence
            do throws(StoreError) {
                guard let row = try row(document.documentID, in: collection.id) else { continue }
                try closeDeletions(of: row, in: collection)
            } catch  where error.concernsOneDocument {}
        }
        return documents.count
    }

    private func closeDeletions(
        of row: DocumentRow,
        in collection: OpenCollection
    ) throws(StoreError) {
        var history = try history(of: row, in: collection)
        guard let (local, remote) = history.conflict, local.isTombstone, remote.isTombstone else {
            return
        }
        do {
            try closeDeletions(in: &history)
        } catch {
            throw StoreError(.badRevision(documentID: row.documentID, error), at: path)
        }
        _ = try put(history, row.documentID, in: collection, over: row)
    }
}

extension Store {
    /// Resolves all conflicts of documents that both sides deleted; for a database that starts a listener.
    public func closeDeletions() throws {
        guard !isReadOnly else { return }
        let limit = 256  // in one transaction, so that other writers get in between
        for path in try collections() {
            let end = try read { try $0.hasCollection(path) ? $0.lastSequence(in: path) : 0 }
            var sequence: UInt64 = 0
            while sequence < end {
                // Without any, nothing is written.
                guard try !read({ try $0.conflicts(in: path, after: sequence, limit: 1) }).isEmpty
                else { break }
                let count = try write {
                    try $0.closeDeletions(in: path, after: &sequence, limit: limit)
                }
                if count < limit { break }
            }
        }
    }
}
