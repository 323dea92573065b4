internal import DivanDelta
internal import DivanLog
public import DivanRevisions

/// A snapshot of a database, valid only inside the block that it was passed to, and on that thread.
///
/// Later use throws `StoreError.Code.notOpen`. Every call throws `noSuchCollection` for a collection that does not
/// exist, `corrupt` for a damaged row, and I/O errors.
public class StoreReader {
    /// The database's directory, for errors; empty for a store in memory.
    @_spi(Database) public let path: String
    let archive: BodyArchive
    /// How the database decides which revision descends from which.
    let scheme: RevisionScheme
    private var snapshot: (any StorageSnapshot)?
    // What the block has used so far. Unchecked, like `rowsAhead`: a reader is used by one thread,
    // and these lists call no other code.
    @exclusivity(unchecked) private var table = CollectionTable<OpenCollection>()
    // The row that was read last: a replicator asks for a document's body, then for its history.
    private var latestPlace: RowKey?
    private var latestRow: DocumentRow?
    /// Rows that will be requested, in that order.
    @exclusivity(unchecked) private var rowsAhead = PrefetchedRows()

    /// Identifies a row without a copy of its contents.
    private struct RowKey: Equatable {
        let collection: CollectionID
        let documentID: DocumentID
    }

    /// A collection in use: its counters once requested, and what was changed in it.
    @_spi(Database) public final class OpenCollection {
        /// The name.
        public let path: CollectionPath
        /// The number.
        public let id: CollectionID
        fileprivate(set) var state: CollectionState?
        /// Whether the new counters must still be passed to the engine.
        var hasNewState = false
        /// What remotes have of it, once requested.
        var known: KnownSequences?
        // Unchecked: a transaction is used by one thread, and a growing array calls no other code.
        @exclusivity(unchecked) var changes: [(change: DocumentChange, origin: ChangeOrigin)] = []
        /// The last sequence when the counters were first read, which is before any change.
        fileprivate(set) var sequenceBefore: UInt64 = 0
        /// Whether a document may be in `changes` twice.
        var mayRepeat = false

        init(path: CollectionPath, id: CollectionID) {
            self.path = path
            self.id = id
        }
    }

    init(
        _ snapshot: any StorageSnapshot,
        path: String,
        archive: BodyArchive,
        scheme: RevisionScheme
    ) {
        self.snapshot = snapshot
        self.path = path
        self.archive = archive
        self.scheme = scheme
    }

    /// Makes later calls fail.
    func end() {
        snapshot = nil
    }

    /// The engine's snapshot, while the block runs.
    ///
    /// - Throws: `notOpen` afterwards.
    @_spi(Database) public func current() throws(StoreError) -> any StorageSnapshot {
        guard let snapshot else { throw StoreError(.notOpen, at: path) }
        return snapshot
    }

    func collection(_ path: CollectionPath) throws(StoreError) -> OpenCollection {
        if let found = table[path] { return found }
        guard let id = try current().collection(path) else {
            throw StoreError(.noSuchCollection(path), at: self.path)
        }
        let found = OpenCollection(path: path, id: id)
        table.append(found, under: path)
        return found
    }

    /// The collections that the block has used so far.
    var open: some Sequence<OpenCollection> { table.entries.lazy.map(\.value) }

    /// Whether the block has used a collection.
    func isOpen(_ path: CollectionPath) -> Bool { table[path] != nil }

    /// The number of a collection, for callers that need nothing else of it.
    @_spi(Database) public func collectionID(
        _ path: CollectionPath
    ) throws(StoreError) -> CollectionID {
        if let found = table[path] { return found.id }
        guard let id = try current().collection(path) else {
            throw StoreError(.noSuchCollection(path), at: self.path)
        }
        return id
    }

    /// The counters of a collection; not read before they are needed.
    func state(of collection: OpenCollection) throws(StoreError) -> CollectionState {
        if let state = collection.state { return state }
        let state = try current().state(of: collection.id)
        collection.state = state
        collection.sequenceBefore = state.lastSequence
        return state
    }

    func setState(_ state: CollectionState, of collection: OpenCollection) {
        collection.state = state
    }

    func forget(_ collection: OpenCollection) {
        table.remove(collection.path)
        forgetRow()
    }

    /// The whole row of a document, or `nil` if there is none.
    func row(
        _ documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> DocumentRow? {
        try withRow(documentID, in: collection) { $0 }
    }

    /// What `body` returns for the whole row of a document, which is kept for the next request; `nil`
    /// if there is none.
    private func withRow<T>(
        _ documentID: DocumentID,
        in collection: CollectionID,
        _ body: (DocumentRow) -> T
    ) throws(StoreError) -> T? {
        if isLatestRow(documentID, in: collection), let latestRow { return body(latestRow) }
        guard let row = try current().row(documentID, in: collection, content: .whole) else {
            return nil
        }
        let result = body(row)
        keep(row, in: collection)
        return result
    }

    /// The row with a sequence if it is the document's; `nil` if the document has a newer sequence and
    /// must be looked up by its ID.
    private func row(
        at sequence: UInt64,
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> DocumentRow? {
        let row =
            if let ahead = rowsAhead.take(sequence, in: collection) {
                ahead
            } else {
                try current().run(of: [sequence], in: collection).first
            }
        return row?.documentID == documentID ? row : nil
    }

    private func keep(_ row: consuming DocumentRow, in collection: CollectionID) {
        latestPlace = RowKey(collection: collection, documentID: row.documentID)
        latestRow = row
    }

    /// Whether the row that was read last is the document's.
    func isLatestRow(_ documentID: DocumentID, in collection: CollectionID) -> Bool {
        latestPlace == RowKey(collection: collection, documentID: documentID)
    }

    func forgetRow() {
        latestPlace = nil
        latestRow = nil
        rowsAhead.forget()
    }

    // MARK: Documents

    /// The current revision of a document; `nil` if it does not exist, or is deleted and tombstones are not
    /// requested.
    public func document(
        _ documentID: DocumentID,
        in collection: CollectionPath,
        includingTombstones: Bool = false
    ) throws(StoreError) -> StoredDocument? {
        let collection = try collectionID(collection)
        // Does not use `row(_:in:)`, which would copy the row for callers that want more of it.
        guard
            let document = try withRow(documentID, in: collection, { StoredDocument($0) })
        else { return nil }
        return includingTombstones || !document.isTombstone ? document : nil
    }

    /// The current revision of a document, without its body; `nil` if it does not exist or is deleted.
    ///
    /// The checksum of the document is not compared, since it includes the body.
    public func outline(
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> StoredDocument? {
        let id = try collectionID(collection)
        let row = try current().row(documentID, in: id, content: .summary)
        return row.map { StoredDocument($0) }.flatMap { $0.isTombstone ? nil : $0 }
    }

    /// At most `limit` IDs of live documents after `documentID`, ascending by UTF-8 bytes.
    public func documentIDs(
        in collection: CollectionPath,
        after documentID: DocumentID? = nil,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        let collection = try self.collection(collection)
        return try current().documentIDs(in: collection.id, after: documentID, limit: limit)
    }

    /// Like the above, but only IDs with a prefix.
    public func documentIDs(
        in collection: CollectionPath,
        prefix: String,
        after documentID: DocumentID?,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        // No ID before the prefix has it, but a document may be named exactly like it.
        let first = DocumentID(unchecked: prefix)
        let beginsThere = documentID.map { $0 < first } ?? !prefix.isEmpty
        var ids: [DocumentID] = []
        if beginsThere, limit > 0, try isListed(first, in: collection) { ids.append(first) }
        let rest = try documentIDs(
            in: collection,
            after: beginsThere ? first : documentID,
            limit: limit - ids.count
        )
        return ids + rest.prefix { $0.text.utf8.starts(with: prefix.utf8) }
    }

    /// Whether lists of IDs include this one; they also include those of unreadable documents.
    private func isListed(
        _ documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> Bool {
        do {
            return try document(documentID, in: collection) != nil
        } catch  where error.concernsOneDocument {
            return true
        }
    }

    /// All known revisions of a document, including the current body.
    public func revisions(
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> (any RevisionHistory)? {
        let collection = try self.collection(collection)
        guard let row = try row(documentID, in: collection.id) else { return nil }
        return try history(of: row, in: collection)
    }

    /// The revisions of the document with this sequence, and its expiration in milliseconds since 1970; works even
    /// if the index of IDs is damaged.
    public func revisions(
        of documentID: DocumentID,
        in collection: CollectionPath,
        at sequence: UInt64
    ) throws(StoreError) -> (history: any RevisionHistory, expiration: Int64?)? {
        let collection = try self.collection(collection)
        guard let row = try row(at: sequence, of: documentID, in: collection.id) else { return nil }
        return (try history(of: row, in: collection), row.expiration)
    }

    /// The revision tree of a document, including the current body; `nil` also in a database with
    /// version vectors, which has none.
    public func tree(
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> RevisionTree? {
        try revisions(of: documentID, in: collection) as? RevisionTree
    }

    /// A revision, if it is in the tree and its body is kept.
    ///
    /// `sequence` is the document's position in the changes feed, which is usually still valid and avoids a lookup
    /// by ID. If `isLong` is true, the document is read with as little memory as possible, which takes an additional
    /// lookup.
    public func revision(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        in collection: CollectionPath,
        at sequence: UInt64? = nil,
        isLong: Bool = false
    ) throws(StoreError) -> StoredRevision? {
        let collection = try self.collection(collection)
        if isLong {
            if !isLatestRow(documentID, in: collection.id),
                let row = try current().longRow(documentID, in: collection.id)
            {
                if let only = row.only(revisionID) { return only }
                keep(row, in: collection.id)
            }
        } else if let sequence, let row = try row(at: sequence, of: documentID, in: collection.id) {
            // Nobody asks for more of a document with a single revision, so its row is not kept.
            if let only = row.only(revisionID) { return only }
            keep(row, in: collection.id)
        }
        let only = try withRow(documentID, in: collection.id) { $0.only(revisionID) }
        if let only = only ?? nil { return only }
        guard let row = try row(documentID, in: collection.id) else { return nil }
        // Of the old bodies, at most this one is unpacked.
        let outline = try outline(of: row, in: collection)
        guard let revision = outline[revisionID], let body = revision.body else { return nil }
        let isCurrent = revision.id == outline.current?.id
        return StoredRevision(
            revisionID: revisionID,
            flags: revision.flags,
            sequence: revision.sequence,
            body: isCurrent ? body : try unpacked(body, in: row)
        )
    }

    /// Reads the documents with these ascending sequences together, up to the first gap; then request them from
    /// `revision` with their sequences.
    public func readAhead(
        _ sequences: [UInt64],
        in collection: CollectionPath
    ) throws(StoreError) {
        let id = try self.collection(collection).id
        rowsAhead = PrefetchedRows(try current().run(of: sequences, in: id), of: id)
    }

    /// The IDs of all documents in conflict, ascending by sequence.
    public func conflicts(in collection: CollectionPath) throws(StoreError) -> [DocumentID] {
        try conflicts(in: collection, after: 0, limit: .max).map(\.documentID)
    }

    /// At most `limit` documents in conflict with a sequence greater than `sequence`, ascending.
    public func conflicts(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [(documentID: DocumentID, sequence: UInt64)] {
        let collection = try self.collection(collection)
        return try current().conflictedDocuments(
            in: collection.id,
            after: sequence,
            limit: limit
        )
    }

    // MARK: Beside the documents

    /// When a document expires, in milliseconds since 1970; `nil` if never, or if the document does not exist.
    public func expiration(
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> Int64? {
        let collection = try self.collection(collection)
        return try current().expiration(of: documentID, in: collection.id)
    }

    /// A small value stored in the database by another package.
    public func metadata(_ key: String) throws(StoreError) -> [UInt8]? {
        try current().value(key, in: .metadata)
    }
}
