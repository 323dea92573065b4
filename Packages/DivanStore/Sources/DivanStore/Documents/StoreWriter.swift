internal import DivanCrypto
internal import DivanDelta
public import DivanRevisions
internal import DivanSealedFields

/// A transaction: a reader that can make changes and sees them.
///
/// Every operation is checked before it changes anything: an operation that throws `conflict`, `notFound`,
/// `bodyTooLarge`, `tooManyBlobs`, `forbiddenKey` or `badRevision` has changed nothing.
public final class StoreWriter: StoreReader {
    private let transaction: any StorageTransaction
    /// Which bodies of old revisions are kept, in addition to those that a remote is known to have.
    let retention: DeltaRetention
    /// Names what this transaction writes.
    // Unchecked: a writer is used by one thread, and an author calls no other code.
    @exclusivity(unchecked) var author: RevisionAuthor
    private var origin: ChangeOrigin
    private(set) var changeCount = 0
    /// Whether a stored row refers to blobs, which must then be on the disk before the commit.
    private(set) var namesBlobs = false
    /// Whether peers' checkpoints changed without the store's ledger knowing.
    private(set) var outdatesLedger = false
    /// A saved document with a key that peers leave out, and that key.
    private(set) var unsent: (documentID: DocumentID, key: String)?
    /// The earliest expiration that was set.
    var earliestExpiration: Int64?
    private var failure: (any Error)?
    private var shapes: [StoreChange] = []  // collections that came or went, or whose indexes did

    init(
        _ transaction: any StorageTransaction,
        path: String,
        archive: BodyArchive,
        scheme: RevisionScheme,
        author: RevisionAuthor,
        retention: DeltaRetention,
        origin: ChangeOrigin
    ) {
        self.transaction = transaction
        self.author = author
        self.retention = retention
        self.origin = origin
        super.init(transaction, path: path, archive: archive, scheme: scheme)
    }

    /// The engine's transaction, while this one lasts.
    ///
    /// - Throws: Why the engine has rolled it back: later changes would not be part of it.
    @_spi(Database) public func changing() throws(StoreError) -> any StorageTransaction {
        _ = try current()
        if let undoing = transaction.undoing { throw undoing }
        return transaction
    }

    /// Runs a write inside this one, with an origin of its own.
    func nest<T>(origin inner: ChangeOrigin, _ body: (StoreWriter) throws -> T) throws -> T {
        let (outer, countBefore) = (origin, changeCount)
        origin = inner
        defer { origin = outer }
        do {
            return try body(self)
        } catch {
            if changeCount != countBefore { failure = failure ?? error }
            throw error
        }
    }

    /// Makes the transaction end with an error, even if that is caught before.
    @_spi(Database) public func fail(_ error: any Error) { failure = failure ?? error }

    /// Notes a key that peers leave out; only the first one is reported.
    func noteUnsent(_ key: String, of documentID: DocumentID) {
        unsent = unsent ?? (documentID, key)
    }

    /// Writes the counters and returns what to report to observers.
    func finish() throws -> [StoreChange] {
        if let failure { throw failure }
        let transaction = try changing()
        var changes = shapes
        for collection in open where !collection.changes.isEmpty {
            if collection.hasNewState { try transaction.setState(state(of: collection)) }
            changes += collection.grouped()
        }
        return changes
    }

    // MARK: Documents

    /// Stores a local revision.
    ///
    /// - Returns: `conflict` if the current revision is not its parent.
    /// - Throws: `bodyTooLarge`, `tooManyBlobs`, `forbiddenKey`, `noSuchCollection`, `badRevision` if the
    ///   generation limit is reached, and I/O errors.
    public func save(
        _ revision: LocalRevision,
        in collection: CollectionPath
    ) throws(StoreError) -> SaveOutcome {
        let documentID = revision.documentID
        try check(revision.body)
        let revision = try checked(revision)
        let collection = try self.collection(collection)
        if revision.parent.maybeNone, !revision.isTombstone,
            let row = try saveFirst(revision, in: collection)
        {
            return .saved(StoredDocument(row))
        }
        var old = try replacedRow(documentID, by: revision.body, in: collection.id)
        guard let parent = expected(revision.parent, on: old) else {
            return .conflict(old.map { StoredDocument($0) })
        }
        do {
            let retained = retention.bodies(over: old, in: collection.id)
            var history = try history(over: &old, for: revision.body, in: collection)
            author.blinding = Self.blinding(for: revision.body)
            let edit = revision.edit(after: parent.id, retaining: retained)
            let outcome = try history.save(edit, by: &author)
            if outcome == .alreadyThere, let old { return .saved(StoredDocument(try plain(old))) }
            if revision.isTombstone { try closeDeletions(in: &history) }
            let row = try lastRow(of: &history, documentID, in: collection, over: &old)
            try put(row, in: collection, over: old)
            return .saved(StoredDocument(row))
        } catch let error as RevisionError {
            throw StoreError(.badRevision(documentID: documentID, error), at: path)
        } catch {
            throw StoreError(wrapping: error, at: path)
        }
    }

    /// Stores a local revision from its parts.
    ///
    /// Same as `save(_:in:)`.
    public func save(
        _ documentID: DocumentID,
        in collection: CollectionPath,
        body: [UInt8],
        isTombstone: Bool = false,
        hasBlobs: Bool = false,
        parent: ExpectedParent = .current
    ) throws(StoreError) -> SaveOutcome {
        var revision = LocalRevision(documentID, body: body, hasBlobs: hasBlobs, over: parent)
        revision.isTombstone = isTombstone
        return try save(revision, in: collection)
    }

    /// Random bytes that keep an encryptable value from being guessed from its revision ID, which is
    /// sent to peers that may not read the value (`encryption.md` §6); empty for other bodies.
    static func blinding(for body: [UInt8]) -> [UInt8] {
        EncryptableForm.occurs(in: body.span) ? SystemRandomSource().bytes(20) : []
    }

    /// Purges a document with its history; this is not replicated.
    ///
    /// Returns `false` if the document does not exist.
    @discardableResult
    public func purge(
        _ documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> Bool {
        let collection = try self.collection(collection)
        let id = collection.id
        let row: DocumentRow?
        do throws(StoreError) {
            row = try current().row(documentID, in: id, content: .whole)
            if row == nil { return false }
        } catch  where error.concernsOneDocument {
            row = nil
        }
        var state = try state(of: collection)
        if let row {
            _ = try changing().remove(documentID, in: id)
            state.forget(row)
        } else {
            state.liveCount = try removeDamaged(documentID, in: id)
        }
        setState(state, of: collection)
        // Even if the count is unchanged: the row may have held the counters.
        collection.hasNewState = true
        collection.mayRepeat = true
        note(documentID, sequence: 0, in: collection)
        return true
    }

    /// Sets the expiration of a document, in milliseconds since 1970, or clears it with `nil`.
    ///
    /// - Throws: `notFound`. The sequence does not change, and observers are not notified.
    public func setExpiration(
        _ time: Int64?,
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) {
        let collection = try self.collection(collection)
        let isThere = try changing().setExpiration(time, of: documentID, in: collection.id)
        guard isThere else { throw StoreError(.notFound(documentID: documentID), at: path) }
        noteExpiration(time)
        forgetRow()
        changeCount += 1
    }

    // MARK: Collections and values

    /// Stores a small value in the database, or deletes it with `nil`.
    public func setMetadata(_ key: String, _ value: [UInt8]?) throws(StoreError) {
        try setValue(value, for: key, in: .metadata)
    }

    // MARK: Steps of every verb

    /// Records that observers must be notified of a removed collection.
    func noteEnd(of path: CollectionPath) {
        shapes.append(
            StoreChange(collection: path, changes: [], origin: origin, endsCollection: true)
        )
    }

    /// Notes that a query may give other rows, or none, although no document changed.
    @_spi(Database) public func noteShape(of path: CollectionPath) {
        shapes.append(
            StoreChange(collection: path, changes: [], origin: origin, reshapesCollection: true)
        )
    }

    /// Stores a small value of the store's own, or deletes it with `nil`.
    @_spi(Database) public func setValue(
        _ value: [UInt8]?,
        for key: String,
        in space: ValueSpace
    ) throws(StoreError) {
        try changing().setValue(value, for: key, in: space)
        changeCount += 1
    }

    func check(_ body: [UInt8]) throws(StoreError) {
        guard body.count <= StorageLimits.bodyByteCount else {
            throw StoreError(
                .bodyTooLarge(byteCount: body.count, limit: StorageLimits.bodyByteCount),
                at: path
            )
        }
    }

    /// The history that a revision is added to.
    func history(
        over old: DocumentRow?,
        in collection: OpenCollection
    ) throws(StoreError) -> any RevisionHistory {
        guard let old else { return scheme.emptyHistory }
        return try history(of: old, in: collection)
    }

    /// Stores a history under the collection's next sequence.
    func put(
        _ history: any RevisionHistory,
        _ documentID: DocumentID,
        in collection: OpenCollection,
        over old: DocumentRow?
    ) throws(StoreError) -> DocumentRow {
        let row = try row(of: history, documentID, in: collection, over: old)
        try put(row, in: collection, over: old)
        return row
    }

    /// The row of a history under the collection's next sequence.
    func row(
        of history: any RevisionHistory,
        _ documentID: DocumentID,
        in collection: OpenCollection,
        over old: DocumentRow?
    ) throws(StoreError) -> DocumentRow {
        let sequence = try state(of: collection).lastSequence + 1
        guard
            let row = history.row(
                of: documentID,
                sequence: sequence,
                expiration: old?.expiration,
                archive: archive
            )
        else { throw StoreError(.corrupt("an empty history of document \(documentID)"), at: path) }
        return try plain(row)
    }

    /// Stores a row that carries the collection's next sequence.
    func put(
        _ row: DocumentRow,
        in collection: OpenCollection,
        over old: DocumentRow?
    ) throws(StoreError) {
        let state = try state(of: collection, with: row, over: old)
        if let old, old.sequence > collection.sequenceBefore { collection.mayRepeat = true }
        try changing().put(row, leaving: state)
        noteStored(row, leaving: state, in: collection)
    }

    /// Stores a row that carries the collection's next sequence if its document is new.
    ///
    /// Returns whether it was.
    func add(_ row: DocumentRow, in collection: OpenCollection) throws(StoreError) -> Bool {
        let state = try state(of: collection, with: row, over: nil)
        guard try changing().add(row, leaving: state) else { return false }
        noteStored(row, leaving: state, in: collection)
        return true
    }

    /// Stores rows that carry the collection's next sequences if all of their documents are new.
    ///
    /// Returns whether they were.
    func add(_ rows: [DocumentRow], in collection: OpenCollection) throws(StoreError) -> Bool {
        var state = try state(of: collection)
        do throws(StoreError) {
            guard try changing().add(rows, after: state) else { return false }
        } catch {
            fail(error)  // some of them may stand
            throw error
        }
        for row in rows {
            state.take(row)
            if row.flags.contains(.hasBlobs) { namesBlobs = true }
            note(row.documentID, sequence: row.sequence, in: collection)
        }
        setState(state, of: collection)
        collection.hasNewState = false
        return true
    }

    private func state(
        of collection: OpenCollection,
        with row: DocumentRow,
        over old: DocumentRow?
    ) throws(StoreError) -> CollectionState {
        var state = try state(of: collection)
        state.take(row, over: old)
        return state
    }

    private func noteStored(
        _ row: DocumentRow,
        leaving state: CollectionState,
        in collection: OpenCollection
    ) {
        setState(state, of: collection)
        collection.hasNewState = false
        if row.flags.contains(.hasBlobs) { namesBlobs = true }
        note(row.documentID, sequence: row.sequence, in: collection)
    }

    /// Replaces the tree of a row whose revisions stay the same: no new sequence, no notification.
    func setTree(
        _ tree: RowTree,
        of row: DocumentRow,
        in collection: OpenCollection
    ) throws(StoreError) {
        try changing().setTree(tree, replacing: row.tree, at: row.sequence, in: collection.id)
        try forgetKnown(row.sequence, in: collection)
        noteTreeChange()
    }

    func noteUnknownCheckpoints() {
        outdatesLedger = true
    }

    func noteTreeChange() {
        forgetRow()
        changeCount += 1
    }

    private func note(_ documentID: DocumentID, sequence: UInt64, in collection: OpenCollection) {
        forgetRow()
        changeCount += 1
        let change = DocumentChange(documentID: documentID, sequence: sequence)
        collection.changes.append((change, origin))
    }
}

extension StoreReader.OpenCollection {
    /// The changes by origin, each document once, in order of its last change.
    fileprivate func grouped() -> [StoreChange] {
        var groups: [StoreChange] = []
        var seen: Set<DocumentID> = []
        if mayRepeat { seen.reserveCapacity(changes.count) }
        for (change, origin) in changes.reversed()
        where !mayRepeat || seen.insert(change.documentID).inserted {
            if let index = groups.firstIndex(where: { $0.origin == origin }) {
                groups[index].changes.append(change)
            } else {
                groups.append(
                    StoreChange(collection: path, number: id, changes: [change], origin: origin)
                )
            }
        }
        for index in groups.indices { groups[index].changes.reverse() }
        return groups.reversed()
    }
}
