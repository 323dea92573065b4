public import DivanRevisions

/// Counts the documents in a list that takes several reads, to verify it at the end.
public struct ListCount: Sendable {
    fileprivate let collection: CollectionPath
    fileprivate let state: CollectionState
    /// How many documents the list has.
    public var count = 0

    /// Starts with the state of the first read.
    ///
    /// - Throws: Like every call of `StoreReader`.
    public init(of path: CollectionPath, _ reader: StoreReader) throws(StoreError) {
        collection = path
        state = try reader.state(of: reader.collection(path))
    }
}

// A document whose row claims, because of damage, to be deleted is in no list: its checksum would show
// it, but nobody reads that. The counters still include it.
extension StoreReader {
    /// Verifies that an enumeration of a collection's IDs found all of its documents.
    ///
    /// If the number differs from the counters, every row is read. Does nothing inside `write`, whose block may
    /// change the collection during the enumeration.
    ///
    /// - Parameters:
    ///   - listedCount: The number of listed documents.
    ///   - path: The collection.
    /// - Throws: `damagedDocument` for the first document hidden by damage; `corrupt` if the index of IDs or the
    ///   counters are wrong.
    public func confirm(listedCount: Int, in path: CollectionPath) throws {
        guard !(self is StoreWriter) else { return }
        let collection = try self.collection(path)
        let expected = try state(of: collection).liveCount
        guard listedCount != expected else { return }
        var liveCount = 0
        try current().forEachRow(in: collection.id) { result in
            if try !result.get().flags.contains(.tombstone) { liveCount += 1 }
        }
        let finding =
            liveCount == listedCount
            ? "wrong counters of collection \(path)"
            : "wrong index of document IDs of \(path); 'divan index rebuild' repairs it"
        throw StoreError(.corrupt(finding), at: self.path)
    }

    /// Verifies that a list that took several reads, of which this is the last, found all documents of its
    /// collection.
    ///
    /// If nothing was stored since the list began, it only compares the counters; otherwise it enumerates the IDs
    /// again.
    ///
    /// - Throws: Like `confirm(listedCount:in:)`.
    public func confirm(_ list: ListCount) throws {
        let collection = try self.collection(list.collection)
        guard try state(of: collection) == list.state else {
            return try confirmList(of: list.collection)
        }
        try confirm(listedCount: list.count, in: list.collection)
    }

    /// Enumerates the IDs of a collection, and verifies that they are those of all its documents.
    ///
    /// - Throws: Like `confirm(listedCount:in:)`.
    public func confirmList(of path: CollectionPath) throws {
        guard !(self is StoreWriter) else { return }
        var (count, last) = (0, DocumentID?.none)
        while true {
            let page = try documentIDs(in: path, after: last, limit: 1_000)
            count += page.count
            guard page.count == 1_000 else { break }
            last = page.last
        }
        try confirm(listedCount: count, in: path)
    }

    /// Whether the index of IDs maps a document to the row with this sequence.
    public func isIndexed(
        _ documentID: DocumentID,
        in path: CollectionPath,
        at sequence: UInt64
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let id = try collection(path).id
            let row = try current().row(documentID, in: id, content: .summary)
            return row?.sequence == sequence
        } catch {
            guard error.isDamage else { throw error }
            return false
        }
    }
}
