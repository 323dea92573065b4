public import DivanQuery
public import DivanRevisions

/// Keeps the rows of collections and small values; knows nothing of trees and conflicts.
///
/// The seam below `Store`, which calls `write` from one thread at a time and never inside another
/// `write`, and calls `read` from any thread at any time. A snapshot sees one committed state for
/// its whole length, no older than its beginning; to begin, it may wait for a running transaction,
/// never for another snapshot. `StorageEngineContract` checks all of it.
public protocol StorageEngine: AnyObject, Sendable {
    /// Whether every `write` is refused with `StoreError.Code.readOnly`.
    var isReadOnly: Bool { get }

    /// Runs `body` on what is committed now.
    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T

    /// Begins a query on what is committed now; its rows come as they are asked for.
    ///
    /// The default reads all documents of its collections first.
    func rows(of query: StorageQuery) throws -> StorageRows

    /// Runs `body` in a transaction: all of it is committed when it returns, none when it throws.
    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T

    /// Looks at everything that is stored.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found.
    func checkIntegrity() throws(StoreError)

    /// Looks whether the pages fit together that rows are found by; less than `checkIntegrity`.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found: rows may be hidden then.
    func checkPages() throws(StoreError)

    /// Gives unused space back to the system; needs as much free space as the data takes.
    func compact() throws(StoreError)

    /// Renews what speeds up queries; `isThorough` looks at everything instead of a sample.
    func optimize(isThorough: Bool) throws(StoreError)

    /// Makes every write that was acknowledged until now survive a power cut.
    ///
    /// - Throws: Also when an earlier write could not be confirmed, for that one may come back.
    func makeDurable() throws(StoreError)

    /// Makes every acknowledged write survive a power cut from now on.
    func syncFully() throws(StoreError)

    /// Looks whether what is read is still what stands under its name; the default knows of no files.
    ///
    /// - Throws: `StoreError.Code.io` with `ESTALE` where it was removed, moved or replaced.
    func requireFile() throws(StoreError)

    /// Ends the use; calls after it throw `StoreError.Code.notOpen`. May be called twice.
    func close()
}

/// A state of an engine, valid inside the block that it was handed to, on that thread.
public protocol StorageSnapshot: AnyObject {
    /// Every collection, in the order of creation.
    func collections() throws(StoreError) -> [CollectionPath]
    /// The collection's number, or `nil` when there is none.
    func collection(_ path: CollectionPath) throws(StoreError) -> CollectionID?
    /// The counters of a collection that exists.
    func state(of collection: CollectionID) throws(StoreError) -> CollectionState

    /// The row of a document, tombstones included.
    func row(
        _ documentID: DocumentID,
        in collection: CollectionID,
        content: RowContent
    ) throws(StoreError) -> DocumentRow?
    /// At most `limit` rows with a greater sequence, ascending, that have all of `flags`.
    func rows(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        flags: DocumentFlags,
        content: RowContent
    ) throws(StoreError) -> [DocumentRow]
    /// At most `limit` rows with a greater sequence, ascending: what a feed goes through.
    ///
    /// Rows that cannot be read are passed over and told in `damaged`, so that fewer than `limit` rows
    /// are the last ones. The default is for engines whose rows cannot be damaged.
    func changes(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        content: RowContent,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [DocumentRow]
    /// Those rows of some documents that are there and can be read, without bodies, in any order.
    ///
    /// An engine may look for many in one step; the default looks for each.
    func summaries(
        of documentIDs: [DocumentID],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow]
    /// Whole rows with these sequences, which ascend, up to the first that is not there, cannot be
    /// read, or stands behind another row.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func run(
        of sequences: [UInt64],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow]
    /// Calls `body` with each row of a collection, whole, by ascending sequence; where a row is
    /// damaged, with the error that names its document.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func forEachRow(
        in collection: CollectionID,
        _ body: (Result<DocumentRow, StoreError>) throws -> Void
    ) throws
    /// A sentence for each collection and small value that is not what was stored; none by default.
    func damagedValues() throws(StoreError) -> [String]
    /// The rows of a collection that are not what was stored, and those that only an index still
    /// names; none by default.
    func damagedRows(in collection: CollectionID) throws(StoreError) -> [DamagedRow]
    /// Every collection whose name is what was stored, however damaged the rest is; the default is for
    /// engines whose values cannot be damaged.
    func readableCollections() throws(StoreError) -> [(id: CollectionID, path: CollectionPath)]
    /// Collections that have rows, and whose name is not what was stored; none by default.
    func namelessCollections() throws(StoreError) -> [CollectionID]
    /// Calls `body` with each row of a collection that is whole, ascending, and `left` with what can be told
    /// of one that is not; of what is out of reach, that is what an index names. A name may be that of a
    /// whole row, too, where the index is what is damaged.
    func forEachReadableRow(
        in collection: CollectionID,
        leaving left: (DamagedRow, StoreError) -> Void,
        _ body: (DocumentRow) throws -> Void
    ) throws -> RowReach
    /// The values of a space that are what was stored; all of them by default.
    func readableValues(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])]
    /// Bytes of the pages of each collection's indexes; `nil`, the default,
    /// where an engine does not know.
    func indexByteCounts() throws(StoreError) -> [CollectionID: Int]?
    /// How many live documents from everywhere in a collection were looked at, about `count` or all of
    /// fewer, and how many of them have a packed body.
    ///
    /// The default is for engines that pack nothing.
    func packedCount(
        in collection: CollectionID,
        among count: Int
    ) throws(StoreError) -> (seen: Int, packed: Int)
    /// Bytes of the dictionaries that bodies are packed with, by their collections and their numbers.
    ///
    /// The default is for engines that pack nothing.
    func dictionaryByteCounts() throws(StoreError) -> [CollectionID: [UInt64: Int]]
    /// How many rows with these sequences have a tree that is `.single`.
    ///
    /// An engine may count without making rows; the default makes them.
    func singleRevisionCount(
        in collection: CollectionID,
        within sequences: Range<UInt64>
    ) throws(StoreError) -> Int
    /// At most `limit` IDs of live documents behind `documentID`, ascending by their UTF-8 bytes.
    func documentIDs(
        in collection: CollectionID,
        after documentID: DocumentID?,
        limit: Int
    ) throws(StoreError) -> [DocumentID]
    /// At most `limit` documents flagged `conflicted` behind `sequence`, ascending by sequence.
    func conflictedDocuments(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [(documentID: DocumentID, sequence: UInt64)]

    /// When a document expires, in milliseconds since 1970; `nil` = never, or no such document.
    func expiration(
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Int64?
    /// The earliest expiration in the collection.
    func nextExpiration(in collection: CollectionID) throws(StoreError) -> Int64?
    /// At most `limit` IDs of documents that expire at `time` or before, earliest first.
    func expiredDocumentIDs(
        in collection: CollectionID,
        by time: Int64,
        limit: Int
    ) throws(StoreError) -> [DocumentID]

    /// Calls `body` with each row of a query on this state.
    ///
    /// The default copies the documents of its collections.
    func run(_ query: StorageQuery, _ body: ([QueryValue]) throws -> Void) throws

    /// How a query would be run on this state.
    func plan(_ query: StorageQuery) throws -> QueryPlan

    /// A small value of the database itself.
    func value(_ key: String, in space: ValueSpace) throws(StoreError) -> [UInt8]?
    /// All values of a space, ascending by the UTF-8 bytes of their keys.
    func values(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])]
    /// The same, of those alone whose keys begin with the bytes of a text; the default reads all.
    func values(
        in space: ValueSpace,
        beginningWith prefix: String
    ) throws(StoreError) -> [(key: String, value: [UInt8])]
}

/// A snapshot that can be changed; sees its own changes.
public protocol StorageTransaction: StorageSnapshot {
    /// Makes an empty collection; its number was never used before.
    func createCollection(_ path: CollectionPath) throws(StoreError) -> CollectionState
    /// Removes a collection with its rows.
    func deleteCollection(_ collection: CollectionID) throws(StoreError)
    /// Replaces the counters of a collection.
    func setState(_ state: CollectionState) throws(StoreError)

    /// Stores a row in place of the one with its document ID, if there is one.
    ///
    /// No other row of the collection has its sequence.
    func put(_ row: DocumentRow, in collection: CollectionID) throws(StoreError)
    /// Stores a row as `put(_:in:)` does, and the counters of its collection as they are after it.
    ///
    /// The row's sequence is `state.lastSequence`. An engine may keep the counters with the row,
    /// which saves the page that they would have of their own; the default calls `setState`.
    func put(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError)
    /// Stores a row as `put(_:leaving:)` does if none has its document ID; returns whether it did.
    ///
    /// An engine may do this in one step; the default looks first.
    func add(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError) -> Bool
    /// Stores rows that follow `state`, each as `add(_:leaving:)` does, if none of their documents is
    /// there or comes twice; returns whether it did, and else leaves everything as it was.
    ///
    /// An engine may do this in one step; the default looks first.
    func add(_ rows: [DocumentRow], after state: CollectionState) throws(StoreError) -> Bool
    /// Replaces the tree of a row and leaves the rest, its sequence too.
    func setTree(
        _ tree: RowTree,
        at sequence: UInt64,
        in collection: CollectionID
    ) throws(StoreError)
    /// Makes the tree of a row `.single(knownAt: remote)` if it is `.single(knownAt: nil)` and the
    /// row's revision is `revisionID`; returns whether it was so.
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
    /// Removes rows whatever is in them, and counts the others again; returns the new counters.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func discard(
        _ sequences: [UInt64],
        in collection: CollectionID,
        rebuildingIndexes: Bool
    ) throws(StoreError) -> CollectionState
    /// Makes the indexes anew that a collection has of itself, by which documents are found, whatever is in
    /// them; of several rows of a document, which damage lets come to be, the one stored last stays.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func mendNames(of collection: CollectionID) throws(StoreError) -> NameRepair
    /// Removes small values that are not what was stored and that only save work; none by default.
    func discardDamagedValues() throws(StoreError)

    /// Runs statements of SQL that make, fill or remove what belongs to indexes.
    ///
    /// The default does nothing: an engine whose queries run on copies indexes those.
    func changeIndexes(_ sql: String) throws(StoreError)
    /// Does so with several that make indexes anew; a document whose body is damaged has no value in them,
    /// instead of keeping them from being made.
    ///
    /// The default runs one after the other.
    func makeIndexesBesideDamage(_ statements: [String]) throws(StoreError)
    /// Does the same as `changeIndexes(_:)`, and tells `watch` how far it is.
    ///
    /// The default tells nothing.
    ///
    /// - Throws: `CancellationError` where the watch stops it; the transaction cannot be committed then.
    func changeIndexes(_ sql: String, watchedBy watch: IndexWatch) throws
    /// Removes a table that belongs to an index, one that is damaged, too; the default does nothing.
    func dropIndexTable(_ table: String) throws(StoreError)
    /// Removes the tables and indexes of a collection that belong to its indexes, but for those with
    /// these names; the default does nothing, as `changeIndexes` does.
    func removeIndexes(of collection: CollectionID, except names: [String]) throws(StoreError)
    /// Makes sure that the indexes of a collection say what its documents do.
    ///
    /// The default does nothing, as `changeIndexes` does.
    ///
    /// - Throws: `corrupt` where one does not.
    func verifyIndexes(of collection: CollectionID) throws(StoreError)

    /// Why the engine undid the transaction by itself, which it may do where its medium fails; `nil`, the
    /// default, as long as it stands.
    ///
    /// What is changed behind that would be no part of it.
    var undoing: StoreError? { get }

    /// Has the bodies of a collection packed with the codec of this number from now on, or no longer.
    ///
    /// What is read is plain in any case. The default keeps the choice in the space `packing`, and packs
    /// nothing.
    func setPacking(_ codec: UInt8?, of collection: CollectionID) throws(StoreError)

    /// Lets older versions of this package refuse the file from now on; nothing by default.
    func requireFormat(_ format: StorageFormat) throws(StoreError)

    /// Sets or, with `nil`, removes a small value.
    func setValue(_ value: [UInt8]?, for key: String, in space: ValueSpace) throws(StoreError)
}

/// What a reader of a database must know; the raw values are the file's version.
public enum StorageFormat: Int, Sendable {
    /// Revision trees.
    case trees = 4
    /// Version vectors beside them.
    case vectors = 5
    /// Bodies that may be packed, with either.
    case packed = 6
}

/// How much of a row a caller needs.
public enum RowContent: Sendable {
    /// Everything but the body, which is left empty.
    case summary
    /// The body too.
    case whole
}
