internal import CDivanSQLiteEngine
internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

/// A connection with its prepared statements; the snapshot and the transaction of the engine.
///
/// Confined to one thread at a time. A statement is prepared on first use.
final class SQLiteSession {
    let connection: StoreConnection
    let hasChecksums: Bool
    private let statements = SQLiteKeptStatements()
    // Of the most recently used collections, the latest last: a reader is not told when one is deleted.
    private var documents: [SQLiteDocumentStatements] = []
    /// Idle compiled queries.
    var queries: SQLiteQueryStatements { statements.queries }
    // Kept between rows, so that encoding a revision ID allocates nothing.
    private var encodedRevisionID: [UInt8] = []
    // Belongs to the running transaction or snapshot.
    private var collectionIDs = CollectionTable<CollectionID>()

    var pages = KeptPages()
    /// Packs the bodies that are stored.
    let packers: SQLitePackers

    init(_ connection: StoreConnection) throws(StoreError) {
        self.connection = connection
        let version = try SQLiteSchema.version(of: connection)
        hasChecksums = version >= SQLiteSchema.checksumVersion
        packers = SQLitePackers(mayPack: version >= Int64(StorageFormat.packed.rawValue))
        connection.client.owner.statements = statements
    }

    /// The statement with this text, prepared once.
    func statement(_ sql: String) throws(StoreError) -> StoreStatement {
        try statements.statement(sql, on: connection)
    }

    /// Finalizes everything; needed before tables are dropped, before `VACUUM`, and when indexes change.
    func forgetStatements() {
        collectionIDs.removeAll()
        statements.forget()
        documents = []
    }

    /// Forgets what was read in the previous transaction.
    func forgetCollections() {
        collectionIDs.removeAll()
        queries.schemaVersion = nil
    }

    func documents(in collection: CollectionID) -> SQLiteDocumentStatements {
        if let latest = documents.last, latest.collection == collection { return latest }
        let found: SQLiteDocumentStatements
        if let place = documents.firstIndex(where: { $0.collection == collection }) {
            found = documents.remove(at: place)
        } else {
            found = SQLiteDocumentStatements(
                collection,
                on: connection,
                hasChecksums: hasChecksums
            )
            if documents.count == SQLiteEngineLimits.keptCollectionCount { documents.removeFirst() }
        }
        documents.append(found)
        return found
    }

    /// How many collections have statements here.
    var keptCollectionCount: Int { documents.count }
}

// MARK: Reading

extension SQLiteSession: StorageSnapshot {
    func collections() throws(StoreError) -> [CollectionPath] {
        let statement = try statement("SELECT scope, name FROM collections ORDER BY id")
        defer { statement.reset() }
        var paths: [CollectionPath] = []
        while try statement.step() {
            let (scope, name) = (statement.text(0), statement.text(1))
            guard let path = CollectionPath(scope: scope, name: name) else {
                throw statement.corrupt("invalid collection name \(scope).\(name)")
            }
            paths.append(path)
        }
        return paths
    }

    func collection(_ path: CollectionPath) throws(StoreError) -> CollectionID? {
        if let known = collectionIDs[path] { return known }
        // Whether or not the index has the name: if the index is damaged, the collection still exists.
        for way in ["", "NOT INDEXED"] {
            let statement = try statement(
                "SELECT id FROM collections \(way) WHERE scope = ? AND name = ?"
            )
            defer { statement.reset() }
            try statement.bind(path.scope, at: 1)
            try statement.bind(path.name, at: 2)
            guard try statement.step() else { continue }
            let id = CollectionID(rawValue: statement.integer(0))
            guard way.isEmpty, id.rawValue > 0 else {
                throw statement.corrupt("invalid entry for collection \(path)")
            }
            collectionIDs.append(id, under: path)
            return id
        }
        return nil
    }

    /// The greatest number that a column can hold; no collection comes near it.
    private static let sequenceCount = UInt64(Int64.max)

    /// The counters are in the collection's own row or, if that was stored later, in the latest
    /// document's row.
    func state(of collection: CollectionID) throws(StoreError) -> CollectionState {
        let statement = try statement(
            "SELECT lastSequence, liveCount FROM collections WHERE id = ?"
        )
        defer { statement.reset() }
        try statement.bind(collection.rawValue, at: 1)
        guard try statement.step(), let lastSequence = UInt64(exactly: statement.integer(0)),
            lastSequence < Self.sequenceCount
        else { throw statement.corrupt("missing counters of collection \(collection.rawValue)") }
        let latest = try documents(in: collection).latest()
        defer { latest.reset() }
        if try latest.step(), let later = UInt64(exactly: latest.integer(0)), later > lastSequence {
            // The next one would not fit the column, and collide with this one.
            guard later < Self.sequenceCount else {
                throw latest.corrupt("invalid last sequence of collection \(collection.rawValue)")
            }
            return try state(of: collection, through: later, telling: latest.liveCount(1))
        }
        let told = Int(exactly: statement.integer(1))
        return try state(of: collection, through: lastSequence, telling: told)
    }

    /// Counts the documents if damage has destroyed the count in a row: each of them has a sequence, and
    /// later changes to the count must stay in range.
    private func state(
        of collection: CollectionID,
        through last: UInt64,
        telling told: Int?
    ) throws(StoreError) -> CollectionState {
        let isSound = told.map { $0 >= 0 && $0 <= last && $0 < 1 << 53 } ?? false
        let count = isSound ? told ?? 0 : try countLive(in: collection)
        return CollectionState(id: collection, lastSequence: last, liveCount: count)
    }

    func row(
        _ documentID: DocumentID,
        in collection: CollectionID,
        content: RowContent
    ) throws(StoreError) -> DocumentRow? {
        try pages.noteSought(on: connection)
        return try documents(in: collection).row(documentID, content)
    }

    func rows(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        flags: DocumentFlags,
        content: RowContent
    ) throws(StoreError) -> [DocumentRow] {
        let documents = documents(in: collection)
        let statement = try documents.bySequence(content, withFlags: !flags.isEmpty)
        defer { statement.reset() }
        try statement.bind(Int64(clamping: sequence), at: 1)
        try statement.bind(Int64(limit), at: 2)
        if !flags.isEmpty { try statement.bind(Int64(flags.rawValue), at: 3) }
        var rows: [DocumentRow] = []
        while try statement.step() {
            rows.append(try documents.row(content, of: statement))
        }
        return rows
    }

    func singleRevisionCount(
        in collection: CollectionID,
        within sequences: Range<UInt64>
    ) throws(StoreError) -> Int {
        let statement = try documents(in: collection).singleRevisions()
        defer { statement.reset() }
        try statement.bind(Int64(clamping: sequences.lowerBound), at: 1)
        try statement.bind(Int64(clamping: sequences.upperBound), at: 2)
        return try statement.step() ? Int(clamping: statement.integer(0)) : 0
    }

    func documentIDs(
        in collection: CollectionID,
        after documentID: DocumentID?,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        let statement = try documents(in: collection).identifiers()
        try statement.bind(documentID?.text ?? "", at: 1)
        try statement.bind(Int64(limit), at: 2)
        return try documentIDs(of: statement)
    }

    func expiredDocumentIDs(
        in collection: CollectionID,
        by time: Int64,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        let statement = try documents(in: collection).expired()
        try statement.bind(time, at: 1)
        try statement.bind(Int64(limit), at: 2)
        return try documentIDs(of: statement)
    }

    private func documentIDs(of statement: StoreStatement) throws(StoreError) -> [DocumentID] {
        defer { statement.reset() }
        var documentIDs: [DocumentID] = []
        while try statement.step() {
            documentIDs.append(DocumentID(unchecked: statement.text(0)))
        }
        return documentIDs
    }
}

// MARK: Writing

extension SQLiteSession: StorageTransaction {
    func createCollection(_ path: CollectionPath) throws(StoreError) -> CollectionState {
        let statement = try statement(
            """
            INSERT INTO collections (scope, name, lastSequence, liveCount)
            VALUES (?, ?, 0, 0) RETURNING id
            """
        )
        try statement.bind(path.scope, at: 1)
        try statement.bind(path.name, at: 2)
        guard try statement.step() else { throw statement.corrupt("collections") }
        let id = CollectionID(rawValue: statement.integer(0))
        // Run to the end: an INSERT that is reset between rows may be undone.
        while try statement.step() {}
        statement.reset()
        try connection.execute(SQLiteSchema.createTable(id))
        try connection.execute(
            """
            UPDATE collections SET checksum = \(SQLiteSchema.collectionChecksum)
            WHERE id = \(id.rawValue)
            """
        )
        return CollectionState(id: id)
    }

    func deleteCollection(_ collection: CollectionID) throws(StoreError) {
        try SQLiteDictionaries(on: connection).removeAll(of: collection)
        forgetStatements()
        try removeIndexes(of: collection, except: [])
        try connection.execute(
            """
            DROP TABLE \(SQLiteSchema.table(collection));
            DELETE FROM collections WHERE id = \(collection.rawValue);
            """
        )
    }

    func setState(_ state: CollectionState) throws(StoreError) {
        let statement = try statement(
            """
            UPDATE collections SET lastSequence = ?1, liveCount = ?2,
                checksum = divan_checksum(id, scope, name, ?1, ?2, uncheckedThrough)
            WHERE id = ?3
            """
        )
        try statement.bind(Int64(clamping: state.lastSequence), at: 1)
        try statement.bind(Int64(state.liveCount), at: 2)
        try statement.bind(state.id.rawValue, at: 3)
        try statement.run()
    }

    func put(_ row: DocumentRow, in collection: CollectionID) throws(StoreError) {
        try put(row, flags: Int64(row.flags.rawValue), in: collection, after: nil)
    }

    func put(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError) {
        let flags = SQLiteSchema.flags(row.flags, liveCount: state.liveCount)
        try put(row, flags: flags, in: state.id, after: state)
    }

    func add(_ row: DocumentRow, leaving state: CollectionState) throws(StoreError) -> Bool {
        let flags = SQLiteSchema.flags(row.flags, liveCount: state.liveCount)
        let documents = documents(in: state.id)
        if try documents.checksBeforeInsert(), try documents.row(row.documentID, .summary) != nil {
            return false
        }
        let statement = try documents.add()
        return try run(statement, row, flags: flags, in: state.id, after: state) > 0
    }

    private func put(
        _ row: DocumentRow,
        flags: Int64,
        in collection: CollectionID,
        after state: CollectionState?
    ) throws(StoreError) {
        let statement = try documents(in: collection).put()
        _ = try run(statement, row, flags: flags, in: collection, after: state)
    }

    private func run(
        _ statement: StoreStatement,
        _ row: DocumentRow,
        flags: Int64,
        in collection: CollectionID,
        after state: CollectionState?
    ) throws(StoreError) -> Int {
        let rows: ArraySlice = [row]
        let packed = try packed(rows, in: collection, after: state)
        encodedRevisionID.removeAll(keepingCapacity: true)
        row.revisionID.encode(into: &encodedRevisionID)
        let ends = [encodedRevisionID.count]
        return try statement.put(rows, packed, flags: [flags], encodedRevisionID, ends: ends)
    }

    func setTree(
        _ tree: RowTree,
        replacing old: RowTree,
        at sequence: UInt64,
        in collection: CollectionID
    ) throws(StoreError) {
        let statement = try documents(in: collection).setTree()
        try statement.bind(Int64(clamping: sequence), at: 2)
        // Either may contain a long body.
        try statement.lend(tree, at: 1) { () throws(StoreError) in
            try statement.lend(old, at: 3) { () throws(StoreError) in try statement.run() }
        }
    }

    func markSingle(
        _ revisionID: RevisionID,
        of documentID: DocumentID,
        at remote: RemoteID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool {
        encodedRevisionID.removeAll(keepingCapacity: true)
        revisionID.encode(into: &encodedRevisionID)
        let statement = try documents(in: collection).markSingle()
        try statement.bind(Int64(remote.rawValue), at: 1)
        try statement.bind(documentID.text, at: 2)
        try statement.bind(encodedRevisionID, at: 3)
        try statement.run()
        return connection.changedRowCount > 0
    }

    func remove(_ documentID: DocumentID, in collection: CollectionID) throws(StoreError) -> Bool {
        let statement = try documents(in: collection).remove()
        try statement.bind(documentID.text, at: 1)
        try statement.run()
        return connection.changedRowCount > 0
    }

    func setValue(_ value: [UInt8]?, for key: String, in space: ValueSpace) throws(StoreError) {
        let sql =
            value == nil
            ? #"DELETE FROM "values" WHERE space = ? AND key = ?"#
            : """
            INSERT OR REPLACE INTO "values" (space, key, value, checksum)
            VALUES (?1, ?2, ?3, divan_checksum(?1, ?2, ?3))
            """
        let statement = try statement(sql)
        try statement.bind(space.rawValue, at: 1)
        try statement.bind(key, at: 2)
        if let value { try statement.bind(value, at: 3) }
        try statement.run()
    }
}
