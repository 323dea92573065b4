public import DivanQuery
public import DivanRevisions

/// Stores the rows of collections and small values; knows nothing of trees and conflicts.
///
/// The layer below `Store`, which calls `write` from one thread at a time and never inside another
/// `write`, and calls `read` from any thread at any time. A snapshot sees a single committed state
/// throughout, no older than its beginning. To begin, it may wait for a running transaction, but
/// never for another snapshot. `StorageEngineContract` checks all of this.
public protocol StorageEngine: AnyObject, Sendable {
    /// Whether every `write` fails with `StoreError.Code.readOnly`.
    var isReadOnly: Bool { get }

    /// Runs `body` on what is committed now.
    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T

    /// Begins a query on what is committed now; rows are produced as they are requested.
    ///
    /// The default first reads all documents of its collections.
    func rows(of query: StorageQuery) throws -> StorageRows

    /// Runs `body` in a transaction: all of it is committed when it returns, nothing if it throws.
    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T

    /// Checks everything that is stored.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found.
    func checkIntegrity() throws(StoreError)

    /// Checks that the pages by which rows are found are consistent; does less than `checkIntegrity`.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found: rows may be hidden then.
    func checkPages() throws(StoreError)

    /// Returns unused space to the system; needs as much free space as the data takes.
    func compact() throws(StoreError)

    /// Updates the statistics that speed up queries; with `isThorough` from everything instead of a sample.
    func optimize(isThorough: Bool) throws(StoreError)

    /// Makes every write acknowledged so far survive a power cut.
    ///
    /// - Throws: Also if an earlier write could not be confirmed, since that one may reappear.
    func makeDurable() throws(StoreError)

    /// Makes every acknowledged write from now on survive a power cut.
    func syncFully() throws(StoreError)

    /// Checks that the open file is still the one under its name; the default knows no files.
    ///
    /// - Throws: `StoreError.Code.io` with `ESTALE` if it was removed, moved or replaced.
    func requireFile() throws(StoreError)

    /// Closes the engine; later calls throw `StoreError.Code.notOpen`. May be called twice.
    func close()
}

/// A state of an engine, valid only inside the block that it was passed to, and on that thread.
public protocol StorageSnapshot: AnyObject {
    /// Every collection, in order of creation.
    func collections() throws(StoreError) -> [CollectionPath]
    /// The collection's number, or `nil` if there is none.
    func collection(_ path: CollectionPath) throws(StoreError) -> CollectionID?
    /// The counters of a collection that exists.
    func state(of collection: CollectionID) throws(StoreError) -> CollectionState

    /// The row of a document, tombstones included.
    func row(
        _ documentID: DocumentID,
        in collection: CollectionID,
        content: RowContent
    ) throws(StoreError) -> DocumentRow?
    /// At most `limit` rows with a greater sequence that have all of `flags`, ascending.
    func rows(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        flags: DocumentFlags,
        content: RowContent
    ) throws(StoreError) -> [DocumentRow]
    /// At most `limit` rows with a greater sequence, ascending, as a feed reads them.
    ///
    /// Rows that cannot be read are skipped and reported in `damaged`, so fewer than `limit` rows
    /// means these are the last ones. The default is for engines whose rows cannot be damaged.
    func changes(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        content: RowContent,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [DocumentRow]
    /// The rows of some documents, without bodies and in any order; omits those that are missing or unreadable.
    ///
    /// An engine may look up many in one step; the default looks up each.
    func summaries(
        of documentIDs: [DocumentID],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow]
    /// Whole rows with these ascending sequences, up to the first that is missing, unreadable, or
    /// preceded by a row that is not in the list.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func run(
        of sequences: [UInt64],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow]
    /// Calls `body` with each whole row of a collection, by ascending sequence; for a damaged row,
    /// with the error that names its document.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func forEachRow(
        in collection: CollectionID,
        _ body: (Result<DocumentRow, StoreError>) throws -> Void
    ) throws
    /// One sentence for each collection and small value that is not what was stored; none by default.
    func damagedValues() throws(StoreError) -> [String]
    /// The rows of a collection that are not what was stored, and those that only an index still
    /// names; none by default.
    func damagedRows(in collection: CollectionID) throws(StoreError) -> [DamagedRow]
    /// Every collection whose name is what was stored, however damaged the rest is; the default is for
    /// engines whose values cannot be damaged.
    func readableCollections() throws(StoreError) -> [(id: CollectionID, path: CollectionPath)]
    /// Collections that have rows but whose name is not what was stored; none by default.
    func namelessCollections() throws(StoreError) -> [CollectionID]
    /// Calls `body` with each intact row of a collection, ascending, and `left` with what is known of one
    /// that is not intact. Of a row out of reach, that is what an index names; if it is the index that is
    /// damaged, the name may be that of an intact row.
    func forEachReadableRow(
        in collection: CollectionID,
        leaving left: (DamagedRow, StoreError) -> Void,
        _ body: (DocumentRow) throws -> Void
    ) throws -> RowReach
    /// The values of a space that are what was stored; by default, all of them.
    func readableValues(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])]
    /// Bytes of the pages of each collection's indexes; `nil`, the default, if an engine does not
    /// know.
    func indexByteCounts() throws(StoreError) -> [CollectionID: Int]?
    /// Samples about `count` live documents from all over a collection, or all if there are fewer;
    /// returns how many were looked at and how many of them have a packed body.
    ///
    /// The default is for engines that pack nothing.
    func packedCount(
        in collection: CollectionID,
        among count: Int
    ) throws(StoreError) -> (seen: Int, packed: Int)
    /// Bytes of the dictionaries that bodies are packed with, by collection and number.
    ///
    /// The default is for engines that pack nothing.
    func dictionaryByteCounts() throws(StoreError) -> [CollectionID: [UInt64: Int]]
    /// How many rows with these sequences have a tree that is `.single`.
    ///
    /// An engine may count without building rows; the default builds them.
    func singleRevisionCount(
        in collection: CollectionID,
        within sequences: Range<UInt64>
    ) throws(StoreError) -> Int
    /// At most `limit` IDs of live documents after `documentID`, ascending by their UTF-8 bytes.
    func documentIDs(
        in collection: CollectionID,
        after documentID: DocumentID?,
        limit: Int
    ) throws(StoreError) -> [DocumentID]
    /// At most `limit` documents flagged `conflicted` after `sequence`, ascending by sequence.
    func conflictedDocuments(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [(documentID: DocumentID, sequence: UInt64)]

    /// When a document expires, in milliseconds since 1970; `nil` if never, or if there is no such document.
    func expiration(
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Int64?
    /// The earliest expiration in the collection.
    func nextExpiration(in collection: CollectionID) throws(StoreError) -> Int64?
    /// At most `limit` IDs of documents that expire at or before `time`, earliest first.
    func expiredDocumentIDs(
        in collection: CollectionID,
        by time: Int64,
        limit: Int
    ) throws(StoreError) -> [DocumentID]

    /// Calls `body` with each row of a query on this state.
    ///
    /// The default copies the documents of its collections.
    func run(_ query: StorageQuery, _ body: ([QueryValue]) throws -> Void) throws

    /// How a query would run on this state.
    func plan(_ query: StorageQuery) throws -> QueryPlan

    /// A small value of the database itself.
    func value(_ key: String, in space: ValueSpace) throws(StoreError) -> [UInt8]?
    /// All values of a space, ascending by the UTF-8 bytes of their keys.
    func values(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])]
    /// The same, but only those whose keys begin with the bytes of a text; the default reads all.
    func values(
        in space: ValueSpace,
        beginningWith prefix: String
    ) throws(StoreError) -> [(key: String, value: [UInt8])]
}

/// A snapshot that can be modified; it sees its own changes.
public protocol StorageTransaction: StorageSnapshot {
    /// Creates an empty collection with a number that was never used before.
    func createCollection(_ path: CollectionPath) throws(StoreError) -> CollectionState
    /// Removes a collection with its rows.
    func deleteCollection(_ collection: CollectionID) throws(StoreError)
    /// Replaces the counters of a collection.
    func setState(_ state: CollectionState) throws(StoreError)

    /// Stores a row, replacing the one with its document ID, if any.
    ///
    /// No other row of the collection has its sequence.
    func put(_ row: DocumentRow, in collection: CollectionID) throws(StoreError)
    /// Stores a row like `put(_:in:)`, together with the resulting counters of its collection.
    ///
    /// The row's sequence is `state.lastSequence`. An engine may keep the counters with the row,
    /// which saves them a page of their own; the default calls `setState`.
    func put(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError)
    /// Stores a row like `put(_:leaving:)` if no row has its document ID; returns whether it did.
    ///
    /// An engine may do this in one step; the default looks first.
    func add(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError) -> Bool
    /// Stores rows that follow `state`, each like `add(_:leaving:)`, if none of their documents
    /// exists or occurs twice; returns whether it did. Otherwise it changes nothing.
    ///
    /// An engine may do this in one step; the default looks first.
    func add(_ rows: [DocumentRow], after state: CollectionState) throws(StoreError) -> Bool
    /// Replaces the tree of a row and keeps the rest, including its sequence.
    func setTree(
        _ tree: RowTree,
        at sequence: UInt64,
        in collection: CollectionID
    ) throws(StoreError)
    /// Makes the tree of a row `.single(knownAt: remote)` if it is `.single(knownAt: nil)` and the
    /// row's revision is `revisionID`; returns whether that was the case.
    func markSingle(
        _ revisionID: RevisionID,
        of documentID: DocumentID,
        at remote: RemoteID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool
    /// Sets or, with `nil`, clears the expiration of a row; returns whether there is such a row.
    func setExpiration(
        _ time: Int64?,
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool
    /// Removes a row; returns whether there was one.
    func remove(_ documentID: DocumentID, in collection: CollectionID) throws(StoreError) -> Bool
    /// Removes rows whatever they contain, and recounts the others; returns the new counters.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func discard(
        _ sequences: [UInt64],
        in collection: CollectionID,
        rebuildingIndexes: Bool
    ) throws(StoreError) -> CollectionState
    /// Rebuilds a collection's own indexes, by which documents are found, whatever they contain. Of several
    /// rows of one document, which damage can cause, it keeps the one stored last.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func mendNames(of collection: CollectionID) throws(StoreError) -> NameRepair
    /// Removes small values that are not what was stored and that only save work; by default, none.
    func discardDamagedValues() throws(StoreError)

    /// Runs SQL statements that create, fill or remove what belongs to indexes.
    ///
    /// The default does nothing: an engine whose queries run on copies indexes the copies.
    func changeIndexes(_ sql: String) throws(StoreError)
    /// Does so with several statements that rebuild indexes; a document with a damaged body gets no value
    /// in them, instead of preventing the rebuild.
    ///
    /// The default runs one after the other.
    func makeIndexesBesideDamage(_ statements: [String]) throws(StoreError)
    /// Does the same as `changeIndexes(_:)`, and reports progress to `watch`.
    ///
    /// The default reports nothing.
    ///
    /// - Throws: `CancellationError` if the watch stops it; the transaction can then not be committed.
    func changeIndexes(_ sql: String, watchedBy watch: IndexWatch) throws
    /// Removes a table that belongs to an index, even a damaged one; the default does nothing.
    func dropIndexTable(_ table: String) throws(StoreError)
    /// Removes the tables and indexes of a collection that belong to its indexes, except those with
    /// these names; the default does nothing, like `changeIndexes`.
    func removeIndexes(of collection: CollectionID, except names: [String]) throws(StoreError)
    /// Verifies that the indexes of a collection agree with its documents.
    ///
    /// The default does nothing, like `changeIndexes`.
    ///
    /// - Throws: `corrupt` if one does not agree.
    func verifyIndexes(of collection: CollectionID) throws(StoreError)

    /// Why the engine rolled the transaction back by itself, which it may do if its medium fails; `nil`,
    /// the default, as long as the transaction is open.
    ///
    /// Later changes would not be part of it.
    var undoing: StoreError? { get }

    /// From now on packs the bodies of a collection with the codec of this number or, with `nil`, no longer.
    ///
    /// Reading always yields plain bodies. The default keeps the choice in the space `packing`, and packs
    /// nothing.
    func setPacking(_ codec: UInt8?, of collection: CollectionID) throws(StoreError)

    /// Makes older versions of this package reject the file from now on; does nothing by default.
    func requireFormat(_ format: StorageFormat) throws(StoreError)

    /// Sets or, with `nil`, removes a small value.
    func setValue(_ value: [UInt8]?, for key: String, in space: ValueSpace) throws(StoreError)
}

/// What a reader of a database must support; the raw values are the file's version.
public enum StorageFormat: Int, Sendable {
    /// Revision trees.
    case trees = 4
    /// Version vectors in addition to them.
    case vectors = 5
    /// Bodies that may be packed, with either of them.
    case packed = 6
}

/// How much of a row a caller needs.
public enum RowContent: Sendable {
    /// Everything but the body, which is left empty.
    case summary
    /// The body too.
    case whole
}
