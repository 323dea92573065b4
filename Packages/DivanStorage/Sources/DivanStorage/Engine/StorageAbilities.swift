public import DivanJSON
public import DivanQuery

// What only some engines can do. `SQLIndexing`, the vector indexes, compression and the repair of damage are abilities of
// the SQLite engine, whose tables and functions they use: others can only forward them.

/// The abilities of a snapshot; by default, it has none, and its data is intact.
public protocol StorageReadingAbilities: AnyObject {
    /// Queries on its state; `nil` if the store runs them on copies of the documents.
    var querying: (any SnapshotQuerying)? { get }
    /// How much space parts of the file take; `nil` if unknown.
    var space: (any StorageSpace)? { get }
    /// The vector indexes; `nil` for an engine whose queries run on copies.
    var vectorReading: (any VectorReading)? { get }
    /// What damage has left.
    var damageReading: any DamageReading { get }
}

/// The abilities of a transaction; by default, it has none.
public protocol StorageWritingAbilities: AnyObject {
    /// SQLite's own indexes; `nil` for an engine that answers queries from a SQLite copy, which is indexed instead.
    var sqlIndexing: (any SQLIndexing)? { get }
    /// The indexes of any other engine; `nil` if it has none.
    var documentIndexing: (any DocumentIndexing)? { get }
    /// The vector indexes.
    var vectorWriting: (any VectorWriting)? { get }
    /// The compression of bodies; `nil` for an engine that compresses nothing.
    var packing: (any StoragePacking)? { get }
    /// The repair of damage; `nil` for an engine whose data cannot be damaged.
    var damageRepair: (any DamageRepair)? { get }
    /// The version of the file's format; `nil` if there is none.
    var formatWriting: (any StorageFormatWriting)? { get }
}

/// Queries of an engine.
public protocol StorageQuerying: AnyObject {
    /// Begins a query on the current committed state; rows are produced as they are requested.
    func rows(of query: StorageQuery) throws -> StorageRows
}

/// Queries on the state of a snapshot.
public protocol SnapshotQuerying: AnyObject {
    /// Calls `body` with each row of a query.
    func run(_ query: StorageQuery, _ body: ([QueryValue]) throws -> Void) throws
    /// The plan of a query, with at least one step.
    func plan(_ query: StorageQuery) throws -> QueryPlan
}

/// Maintenance of an engine's file.
public protocol StorageFile: AnyObject {
    /// Checks that the pages with which rows are found are consistent; checks less than `checkIntegrity`.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found; rows may then be hidden.
    func checkPages() throws(StoreError)
    /// Returns unused space to the system; needs as much free space as the data takes.
    func compact() throws(StoreError)
    /// Updates the statistics that speed up queries; with `isThorough`, from all data instead of a sample.
    func optimize(isThorough: Bool) throws(StoreError)
    /// Checks that the open file is still the file with its name.
    ///
    /// - Throws: `StoreError.Code.io` with `ESTALE` if it was removed, moved or replaced.
    func requireFile() throws(StoreError)
}

/// Changes the version of a file's format.
public protocol StorageFormatWriting: AnyObject {
    /// Makes older versions of Divan reject the file from now on.
    func requireFormat(_ format: StorageFormat) throws(StoreError)
}

/// How much space parts of a file take.
public protocol StorageSpace: AnyObject {
    /// Bytes of the pages of each collection's indexes.
    func indexByteCounts() throws(StoreError) -> [CollectionID: Int]?
    /// Samples about `count` live documents from the whole collection, or all if there are fewer; returns the
    /// number of sampled documents and of those with a compressed body.
    func packedCount(
        in collection: CollectionID,
        among count: Int
    ) throws(StoreError) -> (seen: Int, packed: Int)
    /// Bytes of the compression dictionaries, by collection and number.
    func dictionaryByteCounts() throws(StoreError) -> [CollectionID: [UInt64: Int]]
}

/// Compression of bodies.
public protocol StoragePacking: AnyObject {
    /// Turns on compression of a collection's bodies with the codec of this number, or turns it off with `nil`.
    ///
    /// Reading always returns uncompressed bodies. The engine stores the setting in the space `packing`; without this
    /// ability, the store does.
    func setPacking(_ codec: UInt8?, of collection: CollectionID) throws(StoreError)
}

/// Indexes of the SQLite engine; the store translates their definitions to statements for its tables.
public protocol SQLIndexing: AnyObject {
    /// Runs SQL statements that create, fill or delete parts of indexes.
    func changeIndexes(_ sql: String) throws(StoreError)
    /// Like `changeIndexes(_:)`, and reports the progress to `control`.
    ///
    /// - Throws: `CancellationError` if the control stops it; the transaction can then not be committed.
    func changeIndexes(_ sql: String, controlledBy control: IndexBuildControl) throws
    /// Runs several statements that rebuild indexes; a document with a damaged body is omitted from the indexes,
    /// instead of preventing the rebuild.
    func makeIndexesBesideDamage(_ statements: [String]) throws(StoreError)
    /// Deletes a table that belongs to an index, even if it is damaged.
    func dropIndexTable(_ table: String) throws(StoreError)
    /// Runs `body` while a collection has no indexes, which are rebuilt afterwards.
    ///
    /// Otherwise a row with a damaged body could not be removed: an index has it under what the body said. Any other
    /// damaged row stays, and gets no value in them.
    func withoutIndexes(
        of collection: CollectionID,
        _ body: () throws(StoreError) -> Void
    ) throws(StoreError)
    /// Deletes the tables and SQL indexes that belong to a collection's indexes, except those with these names.
    func removeIndexes(of collection: CollectionID, except names: [String]) throws(StoreError)
    /// Verifies that the indexes of a collection match its documents.
    ///
    /// - Throws: `corrupt` if an index does not match.
    func verifyIndexes(of collection: CollectionID) throws(StoreError)
}

/// Indexes that an engine keeps itself, such as sorted files; it uses them in its queries (``SnapshotQuerying``).
///
/// The store keeps the definitions in its own values, too: an engine that restores its indexes from its own files must
/// remember what it needs for that. Rebuilding indexes (`StoreWriter.rebuildIndexes`) does not call it.
public protocol DocumentIndexing: AnyObject {
    /// Indexes the existing documents of a collection, and from now on each row that is stored.
    ///
    /// An index that the engine cannot use may be ignored: queries then run without it.
    func createIndex(
        _ name: ExactText,
        _ definition: QueryIndexDefinition,
        of collection: CollectionID
    ) throws
    /// Deletes an index, if it exists.
    func deleteIndex(_ name: ExactText, of collection: CollectionID) throws(StoreError)
}

/// Reads the state of vector indexes.
public protocol VectorReading: AnyObject {
    /// The state of a vector index; `nil` if there is no such table.
    func vectorIndexState(_ table: String) throws -> VectorIndexState?
    /// What a vector index needs next; `nil` for nothing.
    ///
    /// - Throws: `VectorError` if the vectors cannot be trained with.
    func vectorIndexWork(_ table: String, _ upkeep: VectorUpkeep) throws -> (any VectorIndexWork)?
    /// The sequences of at most `limit` documents whose vectors a lazy index lacks, ascending.
    func pendingVectors(of table: String, limit: Int) throws(StoreError) -> [Int64]
}

/// Changes vector indexes.
public protocol VectorWriting: AnyObject {
    /// Stores a finished piece of work on a vector index, unless it was changed since.
    func changeVectorIndex(_ table: String, _ change: any VectorIndexChange) throws
    /// Stores vectors of a lazy index under the sequences of their documents, or removes them; those of documents
    /// that were changed are ignored.
    func setVectors(
        _ vectors: [(sequence: Int64, vector: [Float]?)],
        in table: String
    ) throws
}

/// Reads what damage has left.
public protocol DamageReading: AnyObject {
    /// One sentence for each damaged collection and small value.
    func damagedValues() throws(StoreError) -> [String]
    /// The damaged rows of a collection, and those that only an index still contains.
    func damagedRows(in collection: CollectionID) throws(StoreError) -> [DamagedRow]
    /// All collections whose names are intact, even if the rest is damaged.
    func readableCollections() throws(StoreError) -> [(id: CollectionID, path: CollectionPath)]
    /// Collections that have rows but a damaged name.
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
    /// The intact values of a space.
    func readableValues(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])]
}

/// Removes damage.
public protocol DamageRepair: AnyObject {
    /// Removes rows even if they are damaged, and recounts the others; returns the new counters.
    func discard(
        _ sequences: [UInt64],
        in collection: CollectionID,
        rebuildingIndexes: Bool
    ) throws(StoreError) -> CollectionState
    /// Rebuilds the internal indexes of a collection even if they are damaged.
    ///
    /// If damage has caused several rows of a document, keeps the row stored last.
    func repairNames(of collection: CollectionID) throws(StoreError) -> NameRepair
    /// Removes damaged small values that only save work.
    func discardDamagedValues() throws(StoreError)
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
