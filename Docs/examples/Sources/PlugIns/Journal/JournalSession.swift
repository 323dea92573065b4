import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSQLiteEngine
import DivanStorage
import Synchronization

/// The snapshot and the transaction of a journal.
final class JournalSession {
    private(set) var state: JournalState
    private let file: JournalFile
    /// Where the changes of this transaction will be in the file.
    private let start: Int
    private var writer = JournalWriter()
    /// What restores the state before each change, in the order of the changes.
    private var undoLog: [(inout JournalState) -> Void] = []

    /// The encoded changes.
    var changes: [UInt8] { writer.bytes }

    /// Whether the changes are those of a record, which are not undone.
    private let isReplaying: Bool

    init(
        _ state: JournalState,
        of file: JournalFile,
        changesAt start: Int = .max,
        isReplaying: Bool = false
    ) {
        (self.state, self.file, self.start, self.isReplaying) = (state, file, start, isReplaying)
    }

    func undo() {
        for step in undoLog.reversed() { step(&state) }
    }

    private func rows(_ id: CollectionID) throws(StoreError) -> JournalState.Rows {
        guard let rows = state.rows[id] else {
            throw StoreError(.corrupt("unknown collection number \(id.rawValue)"))
        }
        return rows
    }

    private func row(
        _ entry: JournalState.Entry,
        _ content: RowContent
    ) throws(StoreError) -> DocumentRow {
        let first = entry.offset - start
        let bytes =
            first >= 0
            ? Array(writer.bytes[first..<first + entry.byteCount])
            : try file.read(at: entry.offset, count: entry.byteCount)
        file.readCount.add(1, ordering: .relaxed)
        var row = try DocumentRow(journal: bytes)
        if content == .summary { row.body = [] }
        return row
    }
}

extension JournalSession: StorageSnapshot {
    func collections() -> [CollectionPath] { state.paths.map(\.path) }

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
        guard let entry = try rows(collection).entries[documentID] else { return nil }
        return try row(entry, content)
    }

    func rows(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        flags: DocumentFlags,
        content: RowContent
    ) throws(StoreError) -> [DocumentRow] {
        let all = try rows(collection)
        guard sequence < .max else { return [] }
        var found: [DocumentRow] = []
        for (_, documentID) in all.order[all.position(of: sequence + 1)...] {
            guard found.count < limit else { break }
            guard let entry = all.entries[documentID], entry.flags.isSuperset(of: flags) else {
                continue
            }
            found.append(try row(entry, content))
        }
        return found
    }

    func documentIDs(
        in collection: CollectionID,
        after documentID: DocumentID?,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        let live = try rows(collection).entries.lazy.filter { !$0.value.flags.contains(.tombstone) }
        let later = live.map(\.key).filter { id in documentID.map { id > $0 } ?? true }
        return Array(later.sorted().prefix(max(limit, 0)))
    }

    func expiration(
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Int64? {
        try rows(collection).entries[documentID]?.expiration
    }

    func nextExpiration(in collection: CollectionID) throws(StoreError) -> Int64? {
        try rows(collection).entries.values.lazy.compactMap(\.expiration).min()
    }

    func expiredDocumentIDs(
        in collection: CollectionID,
        by time: Int64,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        try rows(collection).entries
            .compactMap { entry in entry.value.expiration.map { (entry.key, $0) } }
            .filter { $0.1 <= time }
            .sorted { $0.1 < $1.1 }
            .prefix(max(limit, 0)).map(\.0)
    }

    func value(_ key: String, in space: ValueSpace) -> [UInt8]? {
        state.values[space]?[ExactText(key)]
    }

    func values(in space: ValueSpace) -> [(key: String, value: [UInt8])] {
        (state.values[space] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
    }

    var querying: (any SnapshotQuerying)? { self }
}

extension JournalSession: SnapshotQuerying {
    /// Copies only the documents that an index names, if the condition is about its property.
    func run(_ query: StorageQuery, _ body: ([QueryValue]) throws -> Void) throws {
        try runOnCopy(query, among: documentIDs(for: query.statement), body)
    }

    /// The plan for the copy.
    func plan(_ query: StorageQuery) throws -> QueryPlan {
        try planOnCopy(query)
    }

    private func documentIDs(for statement: CheckedStatement) -> [DocumentID]? {
        guard statement.sources.count == 1, statement.everyCollection.count == 1,
            case .documents(let collection) = statement.sources[0].form,
            let path = CollectionPath(scope: collection.scope.text, name: collection.name.text),
            let id = self.collection(path)
        else { return nil }
        for index in (state.rows[id]?.indexes ?? [:]).values {
            if let value = index.demanded(by: statement.filter) { return index.documentIDs(value) }
        }
        return nil
    }
}

extension JournalSession: StorageTransaction, DocumentIndexing {
    var documentIndexing: (any DocumentIndexing)? { self }

    func createCollection(_ path: CollectionPath) -> CollectionState {
        let old = state
        undoLog.append { $0 = old }
        begin(.createCollection, 0)
        writer.text(path.scope)
        writer.text(path.name)
        state.lastID += 1
        let created = CollectionState(id: CollectionID(rawValue: state.lastID))
        state.paths.append((path, created))
        state.rows[created.id] = JournalState.Rows()
        return created
    }

    func deleteCollection(_ collection: CollectionID) {
        let old = state
        undoLog.append { $0 = old }
        begin(.deleteCollection, collection.rawValue)
        state.paths.removeAll { $0.state.id == collection }
        state.rows[collection] = nil
    }

    func setState(_ counters: CollectionState) {
        let paths = state.paths
        undoLog.append { $0.paths = paths }
        begin(.setState, counters.id.rawValue)
        writer.number(counters.lastSequence)
        writer.number(UInt64(counters.liveCount))
        for index in paths.indices where paths[index].state.id == counters.id {
            state.paths[index].state = counters
        }
    }

    func put(_ row: DocumentRow, in collection: CollectionID) throws(StoreError) {
        try noteRow(row.documentID, collection)
        begin(.put, collection.rawValue)
        let bytes = row.journalBytes
        writer.bytes(bytes)
        let entry = JournalState.Entry(
            sequence: row.sequence,
            flags: row.flags,
            expiration: row.expiration,
            offset: start + writer.bytes.count - bytes.count,
            byteCount: bytes.count
        )
        state.set(entry, row, for: row.documentID, in: collection)
    }

    func setExpiration(
        _ time: Int64?,
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool {
        guard var row = try row(documentID, in: collection, content: .whole) else { return false }
        row.expiration = time
        try put(row, in: collection)
        return true
    }

    func remove(_ documentID: DocumentID, in collection: CollectionID) throws(StoreError) -> Bool {
        guard try rows(collection).entries[documentID] != nil else { return false }
        try noteRow(documentID, collection)
        begin(.remove, collection.rawValue)
        writer.text(documentID.text)
        state.set(nil, nil, for: documentID, in: collection)
        return true
    }

    /// Notes how to restore a row that will change.
    private func noteRow(_ documentID: DocumentID, _ collection: CollectionID) throws(StoreError) {
        guard !isReplaying else { return }
        let entry = try rows(collection).entries[documentID]
        var old: DocumentRow?
        if let entry { old = try row(entry, .whole) }
        undoLog.append { [old] in $0.set(entry, old, for: documentID, in: collection) }
    }

    func setValue(_ value: [UInt8]?, for key: String, in space: ValueSpace) {
        let (name, old) = (ExactText(key), self.value(key, in: space))
        undoLog.append { $0.values[space, default: [:]][name] = old }
        begin(.setValue, value == nil ? 0 : 1)
        writer.text(space.rawValue)
        writer.text(key)
        writer.bytes(value ?? [])
        state.values[space, default: [:]][name] = value
    }

    func createIndex(
        _ name: ExactText,
        _ definition: QueryIndexDefinition,
        of collection: CollectionID
    ) throws {
        guard case .value(let keys, filter: nil) = definition, let key = keys.first,
            case .property(source: 0, let path) = key.expression
        else { return }
        let names = path.steps.compactMap { if case .key(let key) = $0 { key.text } else { nil } }
        if names.count == path.steps.count { try createIndex(name, of: names, in: collection) }
    }

    private func createIndex(
        _ name: ExactText,
        of keys: [String],
        in collection: CollectionID
    ) throws(StoreError) {
        undoLog.append { $0.rows[collection]?.indexes[name] = nil }
        begin(.createIndex, collection.rawValue)
        writer.text(name.text)
        writer.number(UInt64(keys.count))
        for key in keys { writer.text(key) }
        var index = JournalIndex(keys: keys)
        for (documentID, entry) in try rows(collection).entries {
            index.set(try row(entry, .whole), for: documentID)
        }
        state.rows[collection]?.indexes[name] = index
    }

    func deleteIndex(_ name: ExactText, of collection: CollectionID) {
        let index = state.rows[collection]?.indexes[name]
        undoLog.append { $0.rows[collection]?.indexes[name] = index }
        begin(.deleteIndex, collection.rawValue)
        writer.text(name.text)
        state.rows[collection]?.indexes[name] = nil
    }

    // MARK: The journal

    /// What a change calls; its arguments follow.
    private enum Call: UInt64 {
        case createCollection = 1
        case deleteCollection, setState, put, remove, setValue, createIndex, deleteIndex
    }

    private func begin(_ call: Call, _ number: Int64) {
        writer.number(call.rawValue)
        writer.number(UInt64(bitPattern: number))
    }

    /// Makes the changes of a record again.
    func replay(_ record: [UInt8]) throws(StoreError) {
        var reader = JournalReader(record)
        while !reader.isAtEnd {
            let (call, number) = (Call(rawValue: try reader.number()), try reader.number())
            let id = CollectionID(rawValue: Int64(bitPattern: number))
            switch call {
            case .createCollection:
                let (scope, name) = (try reader.text(), try reader.text())
                _ = createCollection(CollectionPath(scope: scope, name: name) ?? .default)
            case .deleteCollection: deleteCollection(id)
            case .setState:
                let (last, live) = (try reader.number(), try reader.number())
                setState(
                    CollectionState(id: id, lastSequence: last, liveCount: Int(clamping: live))
                )
            case .put: try put(DocumentRow(journal: reader.bytes()), in: id)
            case .remove: _ = try remove(DocumentID(unchecked: reader.text()), in: id)
            case .setValue:
                let (space, key, value) = (try reader.text(), try reader.text(), try reader.bytes())
                guard let space = ValueSpace(rawValue: space) else {
                    throw StoreError(.corrupt("the journal has an unknown space of values"))
                }
                setValue(number == 0 ? nil : value, for: key, in: space)
            case .createIndex:
                let name = ExactText(try reader.text())
                var keys: [String] = []
                for _ in 0..<(try reader.number()) { keys.append(try reader.text()) }
                try createIndex(name, of: keys, in: id)
            case .deleteIndex: deleteIndex(ExactText(try reader.text()), of: id)
            case nil: throw StoreError(.corrupt("the journal has an unknown change"))
            }
        }
        undoLog = []
    }
}
