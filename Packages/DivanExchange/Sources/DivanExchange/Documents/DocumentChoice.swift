public import DivanDatabase
public import DivanRevisions

/// Chooses the documents of a collection that an export writes.
///
/// Calls `visit` with the ID of each document once, in the order in which they are written. Some formats call it twice,
/// so it must choose the same documents again. It reads the snapshot that it gets, not the current state. Documents that
/// do not exist, or have expired, are left out. Errors that it throws, and those of `visit`, end the export, whose call
/// throws them unchanged.
public typealias DocumentChoice = (
    _ path: CollectionPath, _ snapshot: StoreReader,
    _ visit: (DivanRevisions.DocumentID) throws -> Void
) throws -> Void

extension StoreReader {
    /// The number of documents in collections, or of those of a choice; expired documents count.
    func count(in paths: [CollectionPath], choosing choice: DocumentChoice? = nil) throws -> Int {
        var count = 0
        for path in paths {
            if let choice {
                try choice(path, self) { _ in count += 1 }
            } else {
                count += try self.count(in: path)
            }
        }
        return count
    }

    /// Calls `body` with the documents of a collection: those of a choice in its order, or all in the order of IDs.
    ///
    /// Calls `damaged` with each document that cannot be read.
    func forEachDocument(
        in path: CollectionPath,
        choosing choice: DocumentChoice?,
        damaged: (DocumentID) throws -> Void,
        _ body: (StoredDocument) throws -> Void
    ) throws {
        guard let choice else {
            return try forEachDocument(in: path, damaged: { id, _ in try damaged(id) }, body)
        }
        try choice(path, self) { documentID in
            switch Result(catching: { () throws(StoreError) in try document(documentID, in: path) })
            {
            case .success(let document?): try body(document)
            case .success(nil): break
            case .failure(let error):
                guard case .damagedDocument = error.code else { throw error }
                try damaged(documentID)
            }
        }
    }
}
