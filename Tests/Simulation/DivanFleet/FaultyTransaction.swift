import DivanDatabase
import DivanRevisions

/// Bugs between the store and its engine.
///
/// On the loop only; the relay of the same node writes into it.
final class EngineMistakes {
    /// Whether to forget which remote has a revision (`SeededBug.echoNotSuppressed`).
    var forgetsRemotes = false
    /// Checkpoints to store instead of those that the replicator created, by ID.
    var checkpoints: [String: [UInt8]] = [:]
}

/// Forwards the core of a transaction, until it breaks off.
final class FaultyTransaction: StorageTransaction {
    private let inner: any StorageTransaction
    private let mistakes: EngineMistakes
    private var stepLimit: Int?
    /// Whether one of our own checkpoints was written.
    private(set) var savesCheckpoint = false

    init(_ inner: any StorageTransaction, stepLimit: Int?, mistakes: EngineMistakes) {
        self.inner = inner
        self.stepLimit = stepLimit
        self.mistakes = mistakes
    }

    /// Counts a change; from the limit on, every one fails.
    private func step() throws(StoreError) {
        guard let limit = stepLimit else { return }
        guard limit > 0 else { throw StoreError(.io(5)) }
        stepLimit = limit - 1
    }

    var undoing: StoreError? { inner.undoing }

    // MARK: Reading

    func collections() throws(StoreError) -> [CollectionPath] { try inner.collections() }

    func collection(_ path: CollectionPath) throws(StoreError) -> CollectionID? {
        try inner.collection(path)
    }

    func state(of collection: CollectionID) throws(StoreError) -> CollectionState {
        try inner.state(of: collection)
    }

    func row(
        _ documentID: DocumentID,
        in collection: CollectionID,
        content: RowContent
    ) throws(StoreError) -> DocumentRow? {
        try inner.row(documentID, in: collection, content: content)
    }

    func rows(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        flags: DocumentFlags,
        content: RowContent
    ) throws(StoreError) -> [DocumentRow] {
        try inner.rows(
            in: collection,
            after: sequence,
            limit: limit,
            flags: flags,
            content: content
        )
    }

    func documentIDs(
        in collection: CollectionID,
        after documentID: DocumentID?,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        try inner.documentIDs(in: collection, after: documentID, limit: limit)
    }

    func expiration(
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Int64? {
        try inner.expiration(of: documentID, in: collection)
    }

    func nextExpiration(in collection: CollectionID) throws(StoreError) -> Int64? {
        try inner.nextExpiration(in: collection)
    }

    func expiredDocumentIDs(
        in collection: CollectionID,
        by time: Int64,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        try inner.expiredDocumentIDs(in: collection, by: time, limit: limit)
    }

    func value(_ key: String, in space: ValueSpace) throws(StoreError) -> [UInt8]? {
        try inner.value(key, in: space)
    }

    func values(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])] {
        try inner.values(in: space)
    }

    // MARK: Writing

    func createCollection(_ path: CollectionPath) throws(StoreError) -> CollectionState {
        try step()
        return try inner.createCollection(path)
    }

    func deleteCollection(_ collection: CollectionID) throws(StoreError) {
        try step()
        try inner.deleteCollection(collection)
    }

    func setState(_ state: CollectionState) throws(StoreError) {
        try step()
        try inner.setState(state)
    }

    func put(_ row: DocumentRow, in collection: CollectionID) throws(StoreError) {
        try step()
        var row = row
        if mistakes.forgetsRemotes, case .single = row.tree { row.tree = .single(knownAt: nil) }
        try inner.put(row, in: collection)
    }

    func setTree(
        _ tree: RowTree,
        replacing old: RowTree,
        at sequence: UInt64,
        in collection: CollectionID
    ) throws(StoreError) {
        try step()
        try inner.setTree(tree, replacing: old, at: sequence, in: collection)
    }

    func markSingle(
        _ revisionID: RevisionID,
        of documentID: DocumentID,
        at remote: RemoteID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool {
        try step()
        return try inner.markSingle(revisionID, of: documentID, at: remote, in: collection)
    }

    func setExpiration(
        _ time: Int64?,
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool {
        try step()
        return try inner.setExpiration(time, of: documentID, in: collection)
    }

    func remove(_ documentID: DocumentID, in collection: CollectionID) throws(StoreError) -> Bool {
        try step()
        return try inner.remove(documentID, in: collection)
    }

    func setValue(
        _ value: [UInt8]?,
        for key: String,
        in space: ValueSpace
    ) throws(StoreError) {
        try step()
        if space == .localCheckpoints { savesCheckpoint = true }
        let kept = space == .localCheckpoints ? mistakes.checkpoints[key] : nil
        try inner.setValue(kept ?? value, for: key, in: space)
    }
}
