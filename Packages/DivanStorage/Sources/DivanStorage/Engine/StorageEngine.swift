public import DivanRevisions

/// Stores the rows of collections and small values, independently of revision trees and conflicts.
///
/// An engine implements this protocol, ``StorageSnapshot`` and ``StorageTransaction``. What only some engines can do is
/// in the protocols of their abilities, such as ``StorageFile`` or ``DocumentIndexing``, which the engine, a snapshot or
/// a transaction returns from a property that is `nil` by default. Calls that an engine may do faster than one by one
/// are in ``StorageBatchReading`` and ``StorageBatchWriting``, with defaults that use the calls here.
///
/// `Store` calls `write` from one thread at a time and never inside another `write`, and calls `read` from any
/// thread at any time. A snapshot sees one committed state, no older than its beginning. Beginning a snapshot may
/// wait for a running transaction, but never for another snapshot. `StorageEngineContract` checks these rules.
public protocol StorageEngine: AnyObject, Sendable {
    /// Whether every `write` fails with `StoreError.Code.readOnly`.
    var isReadOnly: Bool { get }
    /// Maintenance of its file; `nil`, the default, if there is none.
    var file: (any StorageFile)? { get }
    /// Queries whose rows are read as they are requested; `nil`, the default, if the store reads all rows first.
    var querying: (any StorageQuerying)? { get }

    /// Runs `body` on the current committed state.
    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T

    /// Runs `body` in a transaction, which is committed when `body` returns, and rolled back if it throws.
    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T

    /// Checks all stored data.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found.
    func checkIntegrity() throws(StoreError)

    /// Makes all writes acknowledged so far survive a power failure.
    ///
    /// - Throws: Also if an earlier write could not be confirmed, because it may reappear.
    func makeDurable() throws(StoreError)

    /// Makes all acknowledged writes from now on survive a power failure.
    func syncFully() throws(StoreError)

    /// Closes the engine; later calls throw `StoreError.Code.notOpen`.
    ///
    /// May be called twice.
    func close()
}

/// A snapshot of an engine, valid only inside the block that it was passed to, and on that thread.
public protocol StorageSnapshot: StorageBatchReading, StorageReadingAbilities {
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
    /// At most `limit` rows with a greater sequence that have all of `flags`, ascending; `limit` may be `Int.max`.
    func rows(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        flags: DocumentFlags,
        content: RowContent
    ) throws(StoreError) -> [DocumentRow]
    /// At most `limit` IDs of live documents after `documentID`, ascending by their UTF-8 bytes.
    func documentIDs(
        in collection: CollectionID,
        after documentID: DocumentID?,
        limit: Int
    ) throws(StoreError) -> [DocumentID]

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

    /// A small value of the database itself.
    func value(_ key: String, in space: ValueSpace) throws(StoreError) -> [UInt8]?
    /// All values of a space, ascending by the UTF-8 bytes of their keys.
    func values(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])]
}

/// A snapshot that can be modified, and sees its own changes.
public protocol StorageTransaction: StorageSnapshot, StorageBatchWriting, StorageWritingAbilities {
    /// Why the engine rolled the transaction back by itself, as after an I/O error; `nil`, the default, while the
    /// transaction is open.
    ///
    /// Later changes would be lost. A wrapper must forward it.
    var undoing: StoreError? { get }

    /// Creates an empty collection with a number that was never used before.
    func createCollection(_ path: CollectionPath) throws(StoreError) -> CollectionState
    /// Deletes a collection with its rows.
    func deleteCollection(_ collection: CollectionID) throws(StoreError)
    /// Replaces the counters of a collection.
    func setState(_ state: CollectionState) throws(StoreError)

    /// Stores a row, replacing any row with the same document ID.
    ///
    /// No other row of the collection has its sequence, which is the greatest one for a new revision, and that of the
    /// replaced row if only other parts of it change. Counters that are kept with a row must survive.
    func put(_ row: DocumentRow, in collection: CollectionID) throws(StoreError)
    /// Sets the expiration of a row, or clears it with `nil`; returns whether the row exists.
    func setExpiration(
        _ time: Int64?,
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool
    /// Removes a row; returns whether it existed.
    func remove(_ documentID: DocumentID, in collection: CollectionID) throws(StoreError) -> Bool

    /// Sets a small value, or deletes it with `nil`.
    func setValue(_ value: [UInt8]?, for key: String, in space: ValueSpace) throws(StoreError)
}

/// How much of a row to read.
public enum RowContent: Sendable {
    /// Everything except the body, which is empty.
    case summary
    /// Everything, including the body.
    case whole
}
