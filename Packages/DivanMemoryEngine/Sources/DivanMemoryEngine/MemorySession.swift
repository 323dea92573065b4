internal import DivanJSON
internal import DivanRevisions
internal import DivanStorage

/// The snapshot and the transaction of the memory engine.
final class MemorySession {
    private var state: MemoryState
    // What restores the state before each change, in the order of the changes.
    private var undoLog: [Undo] = []

    private enum Undo {
        case row(DocumentID, CollectionID, DocumentRow?)
        case value(ExactText, ValueSpace, [UInt8]?)
        case collection(CollectionID, MemoryCollection?)
        case paths([(path: CollectionPath, state: CollectionState)])
    }

    init(_ state: MemoryState) {
        self.state = state
    }

    /// Moves the state out; the session is empty afterwards.
    func takeState() -> MemoryState {
        let taken = state
        state = MemoryState()
        undoLog = []
        return taken
    }

    /// Undoes every change.
    ///
    /// Numbers of collections are not reused.
    func undo() {
        for step in undoLog.reversed() {
            switch step {
            case .row(let documentID, let collection, let row):
                if let row {
                    state.collections[collection]?.remove(documentID)
                    state.collections[collection]?.put(row)
                } else {
                    state.collections[collection]?.remove(documentID)
                }
            case .value(let key, let space, let value):
                state.values[space, default: [:]][key] = value
            case .collection(let id, let collection):
                state.collections[id] = collection
            case .paths(let paths):
                state.paths = paths
            }
        }
    }
}

// MARK: Reading

extension MemorySession: StorageSnapshot {
    func collections() -> [CollectionPath] {
        state.paths.map(\.path)
    }

    func collection(_ path: CollectionPath) -> CollectionID? {
        state.paths.first { $0.path == path }?.state.id
    }

    func state(of collection: CollectionID) throws(StoreError) -> CollectionState {
        guard let found = state.paths.first(where: { $0.state.id == collection }) else {
            throw StoreError(.corrupt("unknown collection number \(collection.rawValue)"))
        }
        return found.state
    }

    func row(
        _ documentID: DocumentID,
        in collection: CollectionID,
        content: RowContent
    ) throws(StoreError) -> DocumentRow? {
        try rows(in: collection).row(documentID)?.limited(to: content)
    }

    func rows(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        flags: DocumentFlags,
        content: RowContent
    ) throws(StoreError) -> [DocumentRow] {
        let rows = try rows(in: collection).rows(after: sequence)
        let matching = rows.lazy.filter { $0.flags.isSuperset(of: flags) }
        return matching.prefix(max(limit, 0)).map { $0.limited(to: content) }
    }

    func documentIDs(
        in collection: CollectionID,
        after documentID: DocumentID?,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        let found = try rows(in: collection).all.lazy
            .filter { !$0.flags.contains(.tombstone) }
            .map(\.documentID)
            .filter { id in documentID.map { id > $0 } ?? true }
        return Array(found.sorted().prefix(max(limit, 0)))
    }

    func expiration(
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Int64? {
        try rows(in: collection).row(documentID)?.expiration
    }

    func nextExpiration(in collection: CollectionID) throws(StoreError) -> Int64? {
        try rows(in: collection).all.compactMap(\.expiration).min()
    }

    func expiredDocumentIDs(
        in collection: CollectionID,
        by time: Int64,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        try rows(in: collection).all
            .compactMap { row in row.expiration.map { (row.documentID, $0) } }
            .filter { $0.1 <= time }
            .sorted { $0.1 < $1.1 }
            .prefix(max(limit, 0))
            .map(\.0)
    }

    func value(_ key: String, in space: ValueSpace) -> [UInt8]? {
        state.values[space]?[ExactText(key)]
    }

    func values(in space: ValueSpace) -> [(key: String, value: [UInt8])] {
        (state.values[space] ?? [:])
            .sorted { $0.key < $1.key }
            .map { ($0.key.text, $0.value) }
    }

    private func rows(in collection: CollectionID) throws(StoreError) -> MemoryCollection {
        guard let rows = state.collections[collection] else {
            throw StoreError(.corrupt("unknown collection number \(collection.rawValue)"))
        }
        return rows
    }
}

// MARK: Writing

extension MemorySession: StorageTransaction {
    func createCollection(_ path: CollectionPath) -> CollectionState {
        undoLog.append(.paths(state.paths))
        state.lastID += 1
        let created = CollectionState(id: CollectionID(rawValue: state.lastID))
        undoLog.append(.collection(created.id, nil))
        state.paths.append((path, created))
        state.collections[created.id] = MemoryCollection()
        return created
    }

    func deleteCollection(_ collection: CollectionID) {
        undoLog.append(.paths(state.paths))
        undoLog.append(.collection(collection, state.collections[collection]))
        state.paths.removeAll { $0.state.id == collection }
        state.collections[collection] = nil
    }

    func setState(_ counters: CollectionState) {
        guard let index = state.paths.firstIndex(where: { $0.state.id == counters.id })
        else { return }
        undoLog.append(.paths(state.paths))
        state.paths[index].state = counters
    }

    func put(_ row: DocumentRow, in collection: CollectionID) {
        let old = state.collections[collection]?.put(row)
        undoLog.append(.row(row.documentID, collection, old))
    }

    func setExpiration(
        _ time: Int64?,
        of documentID: DocumentID,
        in collection: CollectionID
    ) -> Bool {
        guard let old = state.collections[collection]?.row(documentID) else { return false }
        undoLog.append(.row(documentID, collection, old))
        state.collections[collection]?.update(documentID) { $0.expiration = time }
        return true
    }

    func remove(_ documentID: DocumentID, in collection: CollectionID) -> Bool {
        guard let old = state.collections[collection]?.remove(documentID) else { return false }
        undoLog.append(.row(documentID, collection, old))
        return true
    }

    func setValue(_ value: [UInt8]?, for key: String, in space: ValueSpace) {
        let key = ExactText(key)
        let old = state.values[space, default: [:]].removeValue(forKey: key)
        undoLog.append(.value(key, space, old))
        state.values[space, default: [:]][key] = value
    }
}

extension DocumentRow {
    fileprivate func limited(to content: RowContent) -> DocumentRow {
        guard content == .summary else { return self }
        var row = self
        row.body = []
        return row
    }
}
