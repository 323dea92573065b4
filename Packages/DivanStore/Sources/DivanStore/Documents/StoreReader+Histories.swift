internal import DivanDelta
internal import DivanRevisions

extension StoreReader {
    /// The history of a whole row, with every body as it was stored.
    func history(
        of row: DocumentRow,
        in collection: OpenCollection
    ) throws(StoreError) -> any RevisionHistory {
        var history = try outline(of: row, in: collection)
        try history.transformOldBodies { (bytes) throws(StoreError) in
            try unpacked(bytes, in: row)
        }
        return history
    }

    /// An old body of a whole row, as it was stored.
    func unpacked(_ body: [UInt8], in row: DocumentRow) throws(StoreError) -> [UInt8] {
        do throws(BodyArchiveError) {
            let limit = StorageLimits.bodyByteCount
            return try archive.unpacked(body, beside: row.body, limit: limit)
        } catch {
            if case .unknownCodec(let number) = error {
                throw StoreError(.unknownCodec(number: number), at: path)
            }
            throw StoreError(
                .damagedDocument(documentID: row.documentID, "revision tree: \(error)"),
                at: path
            )
        }
    }

    /// The history of a row whose old bodies are only counted or kept, so they stay packed.
    func outline(
        of row: DocumentRow,
        in collection: OpenCollection
    ) throws(StoreError) -> any RevisionHistory {
        var history: any RevisionHistory
        do {
            history = try scheme.history(of: row)
        } catch {
            throw StoreError(
                .damagedDocument(documentID: row.documentID, "revision tree: \(error)"),
                at: path
            )
        }
        if case .single = row.tree {
            for remote in try known(in: collection).holders(of: row.sequence) {
                history.markLatest(row.revisionID, at: remote, goesBack: false)
            }
        }
        return history
    }
}
