public import DivanRevisions

/// Counts what a list of several reads comes by, so that it can be confirmed at its end.
public struct ListCount: Sendable {
    fileprivate let collection: CollectionPath
    fileprivate let state: CollectionState
    /// How many documents the list has.
    public var count = 0

    /// Begins with the state that the first of the reads sees.
    ///
    /// - Throws: As every call of `StoreReader`.
    public init(of path: CollectionPath, _ reader: StoreReader) throws(StoreError) {
        collection = path
        state = try reader.state(of: reader.collection(path))
    }
}

// A document whose row says by damage that it is deleted stands in no list: its checksum would tell, and
// nobody reads it. The counters still have it.
extension StoreReader {
    /// Makes sure that whoever went through the IDs of a collection came by all of its documents.
    ///
    /// Where the number is another than that of the counters, every row is read. Does nothing inside
    /// `write`, whose block may change what is gone through.
    ///
    /// - Parameters:
    ///   - listedCount: How many there were.
    ///   - path: The collection.
    /// - Throws: `damagedDocument` with the first document that damage hides; `corrupt` where it is the index
    ///   of IDs, or the counters, that do not fit.
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
            ? "the counters of collection \(path)"
            : "the index of document IDs of \(path) does not fit; divan index rebuild mends it"
        throw StoreError(.corrupt(finding), at: self.path)
    }

    /// Makes sure that a list of several reads, of which this one was the last, came by all documents of its
    /// collection.
    ///
    /// Where nothing was stored since it began that takes no longer than a look at the counters; else the IDs
    /// are gone through once more.
    ///
    /// - Throws: As `confirm(listedCount:in:)`.
    public func confirm(_ list: ListCount) throws {
        let collection = try self.collection(list.collection)
        guard try state(of: collection) == list.state else {
            return try confirmList(of: list.collection)
        }
        try confirm(listedCount: list.count, in: list.collection)
    }

    /// Goes through the IDs of a collection, and makes sure that they are those of all its documents.
    ///
    /// - Throws: As `confirm(listedCount:in:)`.
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

    /// Whether the index of IDs leads from a document to the row that the changes have under a sequence.
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
