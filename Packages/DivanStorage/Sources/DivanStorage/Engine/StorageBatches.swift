public import DivanRevisions

/// Reads that an engine may do faster than with the calls of `StorageSnapshot`, which the defaults use.
///
/// The defaults are for engines whose rows cannot be damaged.
public protocol StorageBatchReading: AnyObject {
    /// The complete row of a document whose body may be long, `StorageLimits.longBodyByteCount` or more.
    ///
    /// An engine may need less memory for it than for `row`.
    func longRow(
        _ documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> DocumentRow?
    /// At most `limit` rows with a greater sequence, ascending, for the changes feed.
    ///
    /// Rows that cannot be read are skipped and reported in `damaged`, so fewer than `limit` rows means these are
    /// the last rows.
    func changes(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        content: RowContent,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [DocumentRow]
    /// The rows of some documents, without bodies and in any order; omits missing and unreadable rows.
    func summaries(
        of documentIDs: [DocumentID],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow]
    /// Complete rows with these ascending sequences, up to the first row that is missing, unreadable, or preceded
    /// by a row that is not in the list.
    func run(
        of sequences: [UInt64],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow]
    /// Calls `body` with each complete row of a collection, by ascending sequence; for a damaged row, with an error
    /// that names its document.
    func forEachRow(
        in collection: CollectionID,
        _ body: (Result<DocumentRow, StoreError>) throws -> Void
    ) throws
    /// The number of rows with these sequences whose tree is `.single`.
    func singleRevisionCount(
        in collection: CollectionID,
        within sequences: Range<UInt64>
    ) throws(StoreError) -> Int
    /// At most `limit` documents flagged `conflicted` after `sequence`, ascending by sequence.
    func conflictedDocuments(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [(documentID: DocumentID, sequence: UInt64)]
    /// The values of a space whose keys begin with a prefix, ascending.
    func values(
        in space: ValueSpace,
        beginningWith prefix: String
    ) throws(StoreError) -> [(key: String, value: [UInt8])]
}

/// Changes that an engine may do faster than with the calls of `StorageTransaction`, which the defaults use.
public protocol StorageBatchWriting: AnyObject {
    /// Stores a row like `put(_:in:)`, and the resulting counters of its collection.
    ///
    /// The row's sequence is `state.lastSequence`. An engine may keep the counters with the row, which saves a
    /// page.
    func put(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError)
    /// Stores a row like `put(_:leaving:)` if no row has its document ID; returns whether the row was stored.
    func add(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError) -> Bool
    /// Stores rows that follow `state`, each like `add(_:leaving:)`, if none of their documents exists or occurs
    /// twice; returns whether the rows were stored.
    ///
    /// Otherwise changes nothing.
    func add(_ rows: [DocumentRow], after state: CollectionState) throws(StoreError) -> Bool
    /// Replaces the tree of a row without changing the rest, including its sequence.
    ///
    /// `old` is the tree of the row as it is stored: an engine need not read it again.
    func setTree(
        _ tree: RowTree,
        replacing old: RowTree,
        at sequence: UInt64,
        in collection: CollectionID
    ) throws(StoreError)
    /// Makes the tree of a row `.single(knownAt: remote)` if it is `.single(knownAt: nil)` and the row's revision
    /// is `revisionID`; returns whether it was changed.
    func markSingle(
        _ revisionID: RevisionID,
        of documentID: DocumentID,
        at remote: RemoteID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool
}
