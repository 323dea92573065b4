public import DivanQuery
public import DivanRevisions

/// Stores the rows of collections and small values, independently of revision trees and conflicts.
///
/// `Store` calls `write` from one thread at a time and never inside another `write`, and calls `read` from any
/// thread at any time. A snapshot sees one committed state, no older than its beginning. Beginning a snapshot may
/// wait for a running transaction, but never for another snapshot. `StorageEngineContract` checks these rules.
public protocol StorageEngine: AnyObject, Sendable {
    /// Whether every `write` fails with `StoreError.Code.readOnly`.
    var isReadOnly: Bool { get }

    /// Runs `body` on the current committed state.
    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T

    /// Begins a query on the current committed state; rows are produced as they are requested.
    ///
    /// The default implementation first reads all documents of its collections.
    func rows(of query: StorageQuery) throws -> StorageRows

    /// Runs `body` in a transaction, which is committed when `body` returns, and rolled back if it throws.
    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T

    /// Checks all stored data.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found.
    func checkIntegrity() throws(StoreError)

    /// Checks that the pages with which rows are found are consistent; checks less than `checkIntegrity`.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found; rows may then be hidden.
    func checkPages() throws(StoreError)

    /// Returns unused space to the system; needs as much free space as the data takes.
    func compact() throws(StoreError)

    /// Updates the statistics that speed up queries; with `isThorough`, from all data instead of a sample.
    func optimize(isThorough: Bool) throws(StoreError)

    /// Makes all writes acknowledged so far survive a power failure.
    ///
    /// - Throws: Also if an earlier write could not be confirmed, because it may reappear.
    func makeDurable() throws(StoreError)

    /// Makes all acknowledged writes from now on survive a power failure.
    func syncFully() throws(StoreError)

    /// Checks that the open file is still the file with its name; by default, does nothing.
    ///
    /// - Throws: `StoreError.Code.io` with `ESTALE` if it was removed, moved or replaced.
    func requireFile() throws(StoreError)

    /// Closes the engine; later calls throw `StoreError.Code.notOpen`.
    ///
    /// May be called twice.
    func close()
}

/// A snapshot of an engine, valid only inside the block that it was passed to, and on that thread.
public protocol StorageSnapshot: AnyObject {
    /// Every collection, in order of creation.
    func collections() throws(StoreError) -> [CollectionPath]
    /// The collection's number; `nil` if it does not exist.
    func collection(_ path: CollectionPath) throws(StoreError) -> CollectionID?
    /// The counters of a collection that exists.
    func state(of collection: CollectionID) throws(StoreError) -> CollectionState

    /// The row of a document, tombstones included.
    func row(
        _ documentID: DocumentID,
        in collection: CollectionID,
        content: RowContent
    ) throws(StoreError) -> DocumentRow?
    /// The complete row of a document whose body may be long, `StoreLimits.longBodyByteCount` or more.
    ///
    /// An engine may need less memory for it than for `row`; the default calls that.
    func longRow(
        _ documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> DocumentRow?
    /// At most `limit` rows with a greater sequence that have all of `flags`, ascending.
    func rows(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        flags: DocumentFlags,
        content: RowContent
    ) throws(StoreError) -> [DocumentRow]
    /// At most `limit` rows with a greater sequence, ascending, for the changes feed.
    ///
    /// Rows that cannot be read are skipped and reported in `damaged`, so fewer than `limit` rows means these are
    /// the last rows. The default is for engines whose rows cannot be damaged.
    func changes(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        content: RowContent,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [DocumentRow]
    /// The rows of some documents, without bodies and in any order; omits missing and unreadable rows.
    ///
    /// An engine may look up many rows at once; the default looks up each.
    func summaries(
        of documentIDs: [DocumentID],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow]
    /// Complete rows with these ascending sequences, up to the first row that is missing, unreadable, or preceded
    /// by a row that is not in the list.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func run(
        of sequences: [UInt64],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow]
    /// Calls `body` with each complete row of a collection, by ascending sequence; for a damaged row, with an error
    /// that names its document.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func forEachRow(
        in collection: CollectionID,
        _ body: (Result<DocumentRow, StoreError>) throws -> Void
    ) throws
    /// One sentence for each damaged collection and small value; none by default.
    func damagedValues() throws(StoreError) -> [String]
    /// The damaged rows of a collection, and those that only an index still contains; none by default.
    func damagedRows(in collection: CollectionID) throws(StoreError) -> [DamagedRow]
    /// All collections whose names are intact, even if the rest is damaged; the default is for engines whose values
    /// cannot be damaged.
    func readableCollections() throws(StoreError) -> [(id: CollectionID, path: CollectionPath)]
    /// Collections that have rows but a damaged name; none by default.
    func namelessCollections() throws(StoreError) -> [CollectionID]
    /// Calls `body` with each intact row of a collection, ascending, and `left` with what is known of each damaged
    /// row.
    ///
    /// For an unreachable row, this is the entry of an index; if the index is damaged, the entry may be that of an
    /// intact row.
    func forEachReadableRow(
        in collection: CollectionID,
        leaving left: (DamagedRow, StoreError) -> Void,
        _ body: (DocumentRow) throws -> Void
    ) throws -> RowScanResult
    /// The intact values of a space; by default, all of them.
    func readableValues(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])]
    /// Bytes of the pages of each collection's indexes; `nil`, the default, if unknown.
    func indexByteCounts() throws(StoreError) -> [CollectionID: Int]?
    /// Samples about `count` live documents from the whole collection, or all if there are fewer; returns the
    /// number of sampled documents and of those with a compressed body.
    ///
    /// The default is for engines without compression.
    func packedCount(
        in collection: CollectionID,
        among count: Int
    ) throws(StoreError) -> (seen: Int, packed: Int)
    /// Bytes of the compression dictionaries, by collection and number.
    ///
    /// The default is for engines without compression.
    func dictionaryByteCounts() throws(StoreError) -> [CollectionID: [UInt64: Int]]
    /// The number of rows with these sequences whose tree is `.single`.
    ///
    /// An engine may count without building rows; the default builds the rows.
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

    /// When a document expires, in milliseconds since 1970; `nil` if never, or if the document does not exist.
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

    /// The plan of a query on this state.
    func plan(_ query: StorageQuery) throws -> QueryPlan

    /// The state of a vector index; `nil`, the default, for an engine whose queries run on copies.
    func vectorIndexState(_ table: String) throws -> VectorIndexState?
    /// What a vector index needs next; `nil`, the default, for nothing.
    ///
    /// - Throws: `VectorError` if the vectors cannot be trained with.
    func vectorIndexWork(_ table: String, _ upkeep: VectorUpkeep) throws -> VectorIndexWork?
    /// The sequences of at most `limit` documents whose vectors a lazy index lacks, ascending; none by default.
    func pendingVectors(of table: String, limit: Int) throws(StoreError) -> [Int64]

    /// A small value of the database itself.
    func value(_ key: String, in space: ValueSpace) throws(StoreError) -> [UInt8]?
    /// All values of a space, ascending by the UTF-8 bytes of their keys.
    func values(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])]
    /// The values of a space whose keys begin with a prefix; the default reads all values.
    func values(
        in space: ValueSpace,
        beginningWith prefix: String
    ) throws(StoreError) -> [(key: String, value: [UInt8])]
}

/// A snapshot that can be modified, and sees its own changes.
public protocol StorageTransaction: StorageSnapshot {
    /// Creates an empty collection with a number that was never used before.
    func createCollection(_ path: CollectionPath) throws(StoreError) -> CollectionState
    /// Deletes a collection with its rows.
    func deleteCollection(_ collection: CollectionID) throws(StoreError)
    /// Replaces the counters of a collection.
    func setState(_ state: CollectionState) throws(StoreError)

    /// Stores a row, replacing any row with the same document ID.
    ///
    /// No other row of the collection has its sequence.
    func put(_ row: DocumentRow, in collection: CollectionID) throws(StoreError)
    /// Stores a row like `put(_:in:)`, and the resulting counters of its collection.
    ///
    /// The row's sequence is `state.lastSequence`. An engine may keep the counters with the row, which saves a
    /// page; the default calls `setState`.
    func put(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError)
    /// Stores a row like `put(_:leaving:)` if no row has its document ID; returns whether the row was stored.
    ///
    /// An engine may do this in one step; the default checks first.
    func add(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError) -> Bool
    /// Stores rows that follow `state`, each like `add(_:leaving:)`, if none of their documents exists or occurs
    /// twice; returns whether the rows were stored.
    ///
    /// Otherwise changes nothing. An engine may do this in one step; the default checks first.
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
    /// Sets the expiration of a row, or clears it with `nil`; returns whether the row exists.
    func setExpiration(
        _ time: Int64?,
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool
    /// Removes a row; returns whether it existed.
    func remove(_ documentID: DocumentID, in collection: CollectionID) throws(StoreError) -> Bool
    /// Removes rows even if they are damaged, and recounts the others; returns the new counters.
    ///
    /// The default is for engines whose rows cannot be damaged.
    func discard(
        _ sequences: [UInt64],
        in collection: CollectionID,
        rebuildingIndexes: Bool
    ) throws(StoreError) -> CollectionState
    /// Rebuilds the internal indexes of a collection even if they are damaged.
    ///
    /// If damage has caused several rows of a document, keeps the row stored last. The default is for engines whose
    /// rows cannot be damaged.
    func repairNames(of collection: CollectionID) throws(StoreError) -> NameRepair
    /// Removes damaged small values that only save work; by default, none.
    func discardDamagedValues() throws(StoreError)

    /// Runs SQL statements that create, fill or delete parts of indexes.
    ///
    /// The default does nothing: an engine whose queries run on copies indexes the copies.
    func changeIndexes(_ sql: String) throws(StoreError)
    /// Runs several statements that rebuild indexes; a document with a damaged body is omitted from the indexes,
    /// instead of preventing the rebuild.
    ///
    /// The default runs them one after another.
    func makeIndexesBesideDamage(_ statements: [String]) throws(StoreError)
    /// Like `changeIndexes(_:)`, and reports the progress to `control`.
    ///
    /// The default reports nothing.
    ///
    /// - Throws: `CancellationError` if the control stops it; the transaction can then not be committed.
    func changeIndexes(_ sql: String, controlledBy control: IndexBuildControl) throws
    /// Deletes a table that belongs to an index, even if it is damaged; the default does nothing.
    func dropIndexTable(_ table: String) throws(StoreError)
    /// Deletes the tables and SQL indexes that belong to a collection's indexes, except those with these names; the
    /// default does nothing.
    func removeIndexes(of collection: CollectionID, except names: [String]) throws(StoreError)
    /// Verifies that the indexes of a collection match its documents.
    ///
    /// The default does nothing.
    ///
    /// - Throws: `corrupt` if an index does not match.
    func verifyIndexes(of collection: CollectionID) throws(StoreError)

    /// Stores a finished piece of work on a vector index, unless it was changed since; the default does nothing.
    func changeVectorIndex(_ table: String, _ change: VectorIndexChange) throws
    /// Stores vectors of a lazy index under the sequences of their documents, or removes them; those of documents
    /// that were changed are ignored.
    ///
    /// The default does nothing.
    func setVectors(
        _ vectors: [(sequence: Int64, vector: [Float]?)],
        in table: String
    ) throws

    /// Why the engine rolled the transaction back, which it may do after an I/O error; `nil`, the default, while
    /// the transaction is open.
    ///
    /// Later changes would be lost.
    var undoing: StoreError? { get }

    /// Turns on compression of a collection's bodies with the codec of this number, or turns it off with `nil`.
    ///
    /// Reading always returns uncompressed bodies. The default stores the setting in the space `packing`, and
    /// compresses nothing.
    func setPacking(_ codec: UInt8?, of collection: CollectionID) throws(StoreError)

    /// Makes older versions of Divan reject the file from now on; does nothing by default.
    func requireFormat(_ format: StorageFormat) throws(StoreError)

    /// Sets a small value, or deletes it with `nil`.
    func setValue(_ value: [UInt8]?, for key: String, in space: ValueSpace) throws(StoreError)
}

/// The file format that a reader must support; the raw values are the file's version.
public enum StorageFormat: Int, Sendable {
    /// Revision trees.
    case trees = 4
    /// Version vectors in addition to revision trees.
    case vectors = 5
    /// Compressed bodies, with revision trees or version vectors.
    case packed = 6
}

/// How much of a row to read.
public enum RowContent: Sendable {
    /// Everything except the body, which is empty.
    case summary
    /// Everything, including the body.
    case whole
}
