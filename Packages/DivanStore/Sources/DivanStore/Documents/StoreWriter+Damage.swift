internal import DivanLog
import DivanRevisions

extension StoreWriter {
    /// Removes the row of a damaged document, possibly with a damaged head, and counts the rest.
    ///
    /// - Returns: How many documents there are without it.
    /// - Throws: `corrupt` if the row is another document's or the collection's own row is damaged, too. What
    ///   was done so far is then not stored, even if the error is caught.
    func removeDamaged(
        _ documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Int {
        var liveCount: Int?
        do throws(StoreError) {
            var isRemoved = false
            try withoutIndexes(of: collection) { () throws(StoreError) in
                isRemoved = try changing().remove(documentID, in: collection)
            }
            if isRemoved {
                let transaction = try changing()
                liveCount =
                    if let repair = transaction.damageRepair {
                        try repair.discard([], in: collection, rebuildingIndexes: false).liveCount
                    } else {
                        try transaction.documentIDs(in: collection, after: nil, limit: .max).count
                    }
            }
        } catch {
            fail(error)
            throw error
        }
        guard let liveCount else {
            let problem = "the index of document IDs has the wrong row for \(documentID)"
            throw StoreError(.corrupt(problem), at: path)
        }
        return liveCount
    }
    /// Runs `body` while a collection has no indexes of SQL, which could not be changed beside damage.
    func withoutIndexes(
        of collection: CollectionID,
        _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let indexing = try changing().sqlIndexing else { return try body() }
        try indexing.withoutIndexes(of: collection, body)
    }

    /// Rebuilds the index of document IDs, and the others that the collection has by itself.
    @_spi(Database) public func repairNames(
        in path: CollectionPath
    ) throws(StoreError) -> NameRepair {
        let collection = try self.collection(path)
        let repair = try changing().damageRepair?.repairNames(of: collection.id) ?? NameRepair()
        noteTreeChange()
        guard let state = repair.state else { return repair }
        for row in repair.removed {
            StoreLog.database.warning("\(user: row.second(in: path))")
        }
        forgetRow()
        setState(state, of: collection)
        collection.hasNewState = true
        collection.mayRepeat = true
        return repair
    }
}
