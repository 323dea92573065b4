import DivanDatabase
import DivanRevisions

extension StoreReader {
    /// Calls `body` with each document after a sequence, tombstones too, in ascending order: its current
    /// revision, all of its revisions, and when it expires; and `damaged` with the ID of each that cannot
    /// be read.
    ///
    /// A document is read once: it may be long.
    func forEachHistory(
        in collection: CollectionPath,
        after sequence: UInt64 = 0,
        damaged: (DocumentID) throws -> Void,
        _ body: (StoredDocument, any RevisionHistory, _ expiration: Int64?) throws -> Void
    ) throws {
        let limit = 500
        var (last, isLast) = (sequence, false)
        while !isLast {
            var unreadable: [DamagedChange] = []
            let page = try changes(in: collection, after: last, limit: limit, noting: &unreadable)
            for change in unreadable { try damaged(change.documentID) }
            for change in page {
                if let (history, expiration) = try soundRevisions(of: change, in: collection) {
                    try body(StoredDocument(change, in: history), history, expiration)
                } else {
                    try damaged(change.documentID)
                }
            }
            isLast = page.count < limit
            last = page.last?.sequence ?? last
        }
    }

    /// The revisions of a document, and when it expires; `nil` if it is damaged.
    private func soundRevisions(
        of change: ChangeRow,
        in collection: CollectionPath
    ) throws(StoreError) -> (any RevisionHistory, expiration: Int64?)? {
        do throws(StoreError) {
            // Not by its ID, whose index may be damaged.
            return try revisions(of: change.documentID, in: collection, at: change.sequence)
        } catch {
            guard case .damagedDocument = error.code else { throw error }
            return nil
        }
    }

    /// Calls `body` with each document up to a sequence, in ascending order, without reading it.
    func forEachPlace(
        in collection: CollectionPath,
        through end: UInt64,
        _ body: (DocumentPosition) throws -> Void
    ) throws {
        var last: UInt64 = 0
        while last < end {
            let page = try places(in: collection, after: last, limit: 500)
            for place in page where place.sequence <= end { try body(place) }
            guard let place = page.last else { return }
            last = place.sequence
        }
    }
}

extension StoredDocument {
    /// The current revision of a history that was read.
    fileprivate init(_ change: ChangeRow, in history: any RevisionHistory) {
        self.init(
            documentID: change.documentID,
            revisionID: change.revisionID,
            sequence: change.sequence,
            flags: change.flags,
            body: history.current?.body ?? []
        )
    }
}
