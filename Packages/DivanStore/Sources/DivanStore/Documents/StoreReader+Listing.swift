public import DivanRevisions

// A list leaves out what is damaged and says so, so that one bad row does not withhold the others.
extension StoreReader {
    /// Calls `body` with each live document of a collection, in the order of IDs, and `damaged` with each document
    /// that cannot be read.
    ///
    /// Documents that damage has marked as deleted come last. Inside `write`, whose block may change the collection
    /// meanwhile, such documents are not detected.
    ///
    /// - Throws: `corrupt` if the index of IDs or the counters are wrong; what the blocks throw.
    public func forEachDocument(
        in path: CollectionPath,
        damaged: (DocumentID, StoreError) throws -> Void,
        _ body: (StoredDocument) throws -> Void
    ) throws {
        var (last, count) = (DocumentID?.none, 0)
        var lost: Set<DocumentID> = []
        while true {
            let page = try documentIDs(in: path, after: last, limit: 256)
            for documentID in page {
                switch readable(documentID, in: path) {
                case .success(let document?):
                    count += 1
                    try body(document)
                case .success(nil): break
                case .failure(let error):
                    guard error.isDamageOfOneDocument else { throw error }
                    lost.insert(documentID)
                    try damaged(documentID, error)
                }
            }
            guard page.count == 256 else { break }
            last = page.last
        }
        for (documentID, error) in try hidden(besides: lost, count, in: path) {
            try damaged(documentID, error)
        }
    }

    private func readable(
        _ documentID: DocumentID,
        in path: CollectionPath
    ) -> Result<StoredDocument?, StoreError> {
        Result { () throws(StoreError) in try document(documentID, in: path) }
    }

    /// The damaged documents that no list of IDs has, in the order of IDs; the list has those in `lost`, and
    /// `soundCount` others.
    private func hidden(
        besides lost: Set<DocumentID>,
        _ soundCount: Int,
        in path: CollectionPath
    ) throws -> [(DocumentID, StoreError)] {
        guard !(self is StoreWriter) else { return [] }
        let collection = try self.collection(path)
        let expected = try state(of: collection).liveCount
        guard soundCount + lost.count != expected else { return [] }
        var (liveCount, hidden) = (0, [DocumentID: StoreError]())
        try current().forEachRow(in: collection.id) { row in
            switch row {
            case .success(let row):
                if !row.flags.contains(.tombstone) { liveCount += 1 }
            case .failure(let error):
                guard case .damagedDocument(let documentID, _) = error.code else { throw error }
                if !lost.contains(documentID) { hidden[documentID] = error }
            }
        }
        if liveCount != soundCount || hidden.isEmpty {
            // Not a matter of single documents.
            try confirm(listedCount: soundCount + lost.count, in: path)
        }
        return hidden.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
