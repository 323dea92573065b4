internal import DivanRevisions

extension StoreWriter {
    /// The parent of a save; `nil` if the save is in conflict.
    func expected(
        _ parent: ExpectedParent,
        on row: DocumentRow?
    ) -> (id: RevisionID?, Void)? {
        switch parent {
        case .current: (row?.revisionID, ())
        case .existing: row.map { ($0.revisionID, ()) }
        case .revision(nil) where row?.flags.contains(.tombstone) ?? true: (row?.revisionID, ())
        case .revision(let id) where id == row?.revisionID: (id, ())
        case .revision: nil
        }
    }

    /// The whole row that a revision with a body replaces, or `nil` if there is none.
    ///
    /// Next to a long body, another long one is read with as little memory as possible.
    func replacedRow(
        _ documentID: DocumentID,
        by body: [UInt8],
        in collection: CollectionID
    ) throws(StoreError) -> DocumentRow? {
        guard body.count >= StoreLimits.longBodyByteCount,
            !isLatestRow(documentID, in: collection)
        else { return try row(documentID, in: collection) }
        return try current().longRow(documentID, in: collection)
    }

    /// Releases the body of a replaced row if it is long, before its successor is written.
    func releaseBody(of row: inout DocumentRow?) {
        guard let count = row?.body.count, count >= StoreLimits.longBodyByteCount else { return }
        row?.body = []
        forgetRow()
    }
}
