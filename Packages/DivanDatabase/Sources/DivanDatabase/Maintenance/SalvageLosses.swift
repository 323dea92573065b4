internal import DivanRevisions
internal import DivanStore

/// A document that a salvage cannot copy, unless a peer has it.
struct UnrecoveredDocument: Equatable, Sendable {
    let collection: CollectionPath
    let documentID: DocumentID
    /// The revision that was current here, if readable.
    let revisionID: RevisionID?
    let problem: String

    init(
        _ collection: CollectionPath,
        _ documentID: DocumentID,
        _ revisionID: RevisionID?,
        _ problem: String
    ) {
        self.collection = collection
        self.documentID = documentID
        self.revisionID = revisionID
        self.problem = problem
    }

    /// What is lost of it, now that everything obtainable has arrived.
    func loss(in reader: StoreReader) throws(StoreError) -> String? {
        var history: (any RevisionHistory)?
        if try reader.hasCollection(collection) {
            history = try reader.revisions(of: documentID, in: collection)
        }
        guard let history else { return "document \(documentID) of \(collection): \(problem)" }
        guard let revisionID, history[revisionID] == nil else { return nil }
        return "revision \(revisionID) of document \(documentID) of \(collection): \(problem)"
    }
}

/// Documents of a collection that a salvage cannot copy and whose IDs are lost.
struct UnidentifiedDocuments: Equatable, Sendable {
    let collection: CollectionPath
    /// How many there are according to the collection's counters, in addition to those that are known;
    /// `nil` if the counters are damaged, too.
    let count: Int?
    /// The known documents: copied, or lost with a known ID.
    let known: Set<DocumentID>
    /// The last change that was carried over: what a peer sends comes after it.
    let lastSequence: UInt64

    /// What is lost of them, now that everything obtainable has arrived.
    ///
    /// A document that arrived and was not known is assumed to be one of them.
    func loss(in reader: StoreReader) throws(StoreError) -> String? {
        guard let count else {
            return "an unknown number of documents of \(collection), on unreadable pages"
        }
        var rest = count
        if try reader.hasCollection(collection) {
            var pages = reader.changes(in: collection, after: lastSequence)
            while rest > 0, let page = try pages.next() {
                rest -= page.documents.count { !known.contains($0.documentID) }
            }
        }
        guard rest > 0 else { return nil }
        return rest == 1
            ? "1 document of \(collection) whose ID is unknown"
            : "\(rest) documents of \(collection) whose IDs are unknown"
    }
}
