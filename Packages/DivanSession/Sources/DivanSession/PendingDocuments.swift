public import DivanReplicator
public import DivanRevisions
public import DivanStore

/// The documents with local changes that are not pushed yet.
///
/// It reads a snapshot, with or without a running session, and can be used from any thread. It includes deleted, but
/// not purged documents.
///
/// Source: `behaviour.md` §8 (pending).
public struct PendingDocuments: Sendable {
    /// Changes read at once; bounds memory, and lets writers run in between.
    private static let batchCount = 1_000

    private let store: Store
    private let options: PeerConfiguration.ActiveOptions

    /// Creates a query for what a session with these options would push.
    public init(store: Store, options: PeerConfiguration.ActiveOptions) {
        self.store = store
        self.options = options
    }

    /// Returns the IDs of the pending documents of a collection.
    ///
    /// - Returns: `nil` if the collection is not in the options.
    /// - Throws: Errors of the store.
    public func documentIDs(in path: CollectionPath) throws -> Set<DocumentID>? {
        var pending: Set<DocumentID> = []
        let isAmongOptions = try forEachChange(in: path) { pending.insert($0) }
        return isAmongOptions ? pending : nil
    }

    /// Returns the number of pending documents of a collection, without keeping their IDs in memory.
    ///
    /// A document that is saved during the count may be counted twice.
    ///
    /// - Returns: `nil` if the collection is not in the options.
    /// - Throws: Errors of the store.
    public func count(in path: CollectionPath) throws -> Int? {
        var count = 0
        let isAmongOptions = try forEachChange(in: path) { _ in count += 1 }
        return isAmongOptions ? count : nil
    }

    /// Visits the pending changes, including unreadable ones; false when the collection is not
    /// among the options.
    private func forEachChange(
        in path: CollectionPath,
        _ body: (DocumentID) -> Void
    ) throws -> Bool {
        guard let collection = options.collections.first(where: { $0.path == path }) else {
            return false
        }
        let completed = try completedSequences(of: collection)
        let remote = try store.knownRemoteID(for: options.remoteIdentity)
        let wantedIDs = Set(collection.documentIDs)
        let isWanted = { (id: DocumentID) in wantedIDs.isEmpty || wantedIDs.contains(id) }
        var sequence = completed.firstRangeEnd
        while true {
            let isLast = try store.read { reader in
                var damaged: [DamagedChange] = []
                let changes = try reader.changes(
                    in: path,
                    after: sequence,
                    limit: Self.batchCount,
                    remote: remote,
                    noting: &damaged
                )
                for change in changes where isWanted(change.documentID) {
                    if try isPending(change, completed, collection, reader) {
                        body(change.documentID)
                    }
                }
                for change in damaged where isWanted(change.documentID) {
                    if !completed.contains(change.sequence) { body(change.documentID) }
                }
                sequence = changes.last?.sequence ?? sequence
                return changes.count < Self.batchCount
            }
            if isLast { return true }
        }
    }

    /// Returns whether a document of a collection is pending; reads only that document.
    ///
    /// - Returns: `nil` if the collection is not in the options.
    /// - Throws: Errors of the store.
    public func isPending(_ documentID: DocumentID, in path: CollectionPath) throws -> Bool? {
        guard let collection = options.collections.first(where: { $0.path == path }) else {
            return nil
        }
        guard collection.documentIDs.isEmpty || collection.documentIDs.contains(documentID) else {
            return false
        }
        let completed = try completedSequences(of: collection)
        let remote = try store.knownRemoteID(for: options.remoteIdentity)
        return try store.read { reader in
            let document: StoredDocument?
            do {
                document = try reader.document(documentID, in: path, includingTombstones: true)
            } catch let error as StoreError where error.concernsOneDocument {
                return true  // nobody can tell what the peer has of it
            }
            guard let sequence = document?.sequence else { return false }
            let changes = try reader.changes(
                in: path,
                after: sequence - 1,
                limit: 1,
                remote: remote
            )
            guard let change = changes.first, change.sequence == sequence else { return false }
            return try isPending(change, completed, collection, reader)
        }
    }

    /// Whether a change is pending and the options do not exclude it from the push.
    private func isPending(
        _ change: ChangeRow,
        _ completed: SequenceSet,
        _ collection: PeerConfiguration.CollectionOptions,
        _ reader: StoreReader
    ) throws(StoreError) -> Bool {
        guard !completed.contains(change.sequence), change.remoteAncestor != change.revisionID
        else {
            return false
        }
        // Document IDs take precedence over the filter.
        guard collection.documentIDs.isEmpty, let filter = collection.pushFilter else {
            return true
        }
        let document: StoredDocument?
        do throws(StoreError) {
            document = try reader.document(
                change.documentID,
                in: collection.path,
                includingTombstones: true
            )
        } catch  where error.concernsOneDocument {
            return true  // no filter can judge it
        }
        guard let document else { return false }
        return filter(
            FilteredRevision(
                change.documentID,
                document.revisionID,
                body: document.body,
                flags: document.isTombstone ? .deleted : []
            )
        )
    }

    private func completedSequences(
        of collection: PeerConfiguration.CollectionOptions
    ) throws -> SequenceSet {
        let names = CheckpointNames(of: collection, options, in: store)
        let copy = try names.localCopy(in: store)
        return copy.map { Checkpoint(json: $0.body).completed } ?? SequenceSet(through: 0)
    }
}
