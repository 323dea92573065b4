internal import DivanDelta
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
        guard body.count >= StorageLimits.longBodyByteCount,
            !isLatestRow(documentID, in: collection)
        else { return try row(documentID, in: collection) }
        return try current().longRow(documentID, in: collection)
    }

    /// The history that a revision with a body is added to.
    ///
    /// Deltas are never based on a long body: next to it, old bodies stay packed if they can, and the body of `old` is
    /// packed at once, so that fewer copies of long bodies are in memory.
    func history(
        over old: inout DocumentRow?,
        for body: [UInt8],
        in collection: OpenCollection
    ) throws(StoreError) -> any RevisionHistory {
        let longest = JSONDelta.bodyByteCounts.upperBound
        guard var row = old, body.count > longest, row.body.count > longest else {
            return try history(over: old, in: collection)
        }
        old = nil
        forgetRow()
        let packed = archive.packed(row.body, beside: [])
        row.body = packed
        old = row
        // Deltas from a long body do not exist, so that none of the old ones needs it.
        var history = try outline(of: row, in: collection)
        try history.transformOldBodies { (bytes) throws(StoreError) in
            BodyArchive.isPackedAlone(bytes) ? bytes : try unpacked(bytes, in: row)
        }
        return history
    }

    /// A row whose body may have been packed by `history(over:for:in:)`, with its plain body.
    func plain(_ row: DocumentRow) throws(StoreError) -> DocumentRow {
        guard BodyArchive.isPackedAlone(row.body) else { return row }
        var row = row
        row.body = try unpacked(row.body, in: row)
        row.bodyByteCount = row.body.count
        return row
    }

    /// The row of a history that is not needed any more, under the collection's next sequence.
    ///
    /// Releases the bodies of the history and of the replaced row before the new row is written.
    func lastRow(
        of history: inout any RevisionHistory,
        _ documentID: DocumentID,
        in collection: OpenCollection,
        over old: inout DocumentRow?
    ) throws(StoreError) -> DocumentRow {
        releaseBody(of: &old)
        let row = try row(of: history, documentID, in: collection, over: old)
        history = scheme.emptyHistory
        old?.tree = .single(knownAt: nil)
        return row
    }

    /// Releases the body of a replaced row if it is long.
    func releaseBody(of row: inout DocumentRow?) {
        guard let count = row?.bodyByteCount, count >= StorageLimits.longBodyByteCount else {
            return
        }
        row?.body = []
        forgetRow()
    }
}
