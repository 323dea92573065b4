internal import DivanRevisions

extension StoreWriter {
    /// Stores the first revision of a document, the common case of a revision without a parent,
    /// without looking for the document first.
    ///
    /// Returns `nil`, and does nothing, if the document is not new.
    func saveFirst(
        _ revision: LocalRevision,
        in collection: OpenCollection
    ) throws(StoreError) -> DocumentRow? {
        let documentID = revision.documentID
        guard !isLatestRow(documentID, in: collection.id) else { return nil }
        let authorBefore = author
        do {
            let retained = retention.bodies(over: nil, in: collection.id)
            var history = scheme.emptyHistory
            author.blinding = Self.blinding(for: revision.body)
            _ = try history.save(revision.edit(after: nil, retaining: retained), by: &author)
            let row = try self.row(of: history, documentID, in: collection, over: nil)
            if try add(row, in: collection) { return row }
        } catch let error as RevisionError {
            throw StoreError(.badRevision(documentID: documentID, error), at: path)
        } catch {
            throw StoreError(wrapping: error, at: path)
        }
        author = authorBefore
        return nil
    }
}
