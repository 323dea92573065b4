internal import CDivanSQLiteEngine
internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

/// The prepared statements of one collection's table on one connection.
final class SQLiteDocumentStatements {
    let collection: CollectionID
    let table: String
    let connection: StoreConnection
    let hasChecksums: Bool
    private var uncheckedThrough: UInt64?
    private var knownFunctions: Bool?
    private var knownIndexCount: Int64?
    private var prepared = [StoreStatement?](repeating: nil, count: Purpose.allCases.count)

    private enum Purpose: Int, CaseIterable {
        case summaryByID
        case wholeByID
        case summaryBySequence
        case wholeBySequence
        case flaggedSummaryBySequence
        case flaggedWholeBySequence
        case singleRevisions
        case latest
        case identifiers
        case conflicted
        case expiration
        case nextExpiration
        case expired
        case manySummaries
        case put
        case add
        case addMany
        case addFew
        case removeBehind
        case setTree
        case markSingle
        case setExpiration
        case remove
    }

    init(_ collection: CollectionID, on connection: StoreConnection, hasChecksums: Bool) {
        self.collection = collection
        self.connection = connection
        self.hasChecksums = hasChecksums
        table = SQLiteSchema.table(collection)
    }

    static let summary =
        "sequence, documentID, revisionID, flags, expiration, tree, bodyByteCount"

    private func columns(_ content: RowContent) -> String {
        guard content == .whole else { return Self.summary }
        return Self.summary + (hasChecksums ? ", body, checksum" : ", body, NULL")
    }

    /// The greatest sequence of a row that may lack a checksum, since an older Divan wrote it.
    private func lastUnchecked() throws(StoreError) -> UInt64 {
        guard hasChecksums else { return .max }
        if let uncheckedThrough { return uncheckedThrough }
        let found = try connection.integer(
            "SELECT uncheckedThrough FROM collections WHERE id = \(collection.rawValue)"
        )
        let last = UInt64(clamping: found ?? 0)
        uncheckedThrough = last
        return last
    }

    /// The row of a document, or `nil`; errors as for `row(_:of:)`.
    func row(
        _ documentID: DocumentID,
        _ content: RowContent
    ) throws(StoreError) -> DocumentRow? {
        let statement = try byID(content)
        defer { statement.reset() }
        var found = divan_found_row()
        guard try statement.find(documentID, withBody: content == .whole, &found) else {
            return nil
        }
        return try row(found, of: documentID, content, statement)
    }

    /// The row under the cursor of one of these statements.
    ///
    /// - Throws: `damagedDocument` if a whole row is not what was stored; of a summary, only if it
    ///   cannot be read.
    func row(
        _ content: RowContent,
        of statement: StoreStatement
    ) throws(StoreError) -> DocumentRow {
        let found = statement.found(withBody: content == .whole)
        return try row(found, of: statement.documentID(of: found), content, statement)
    }

    private func row(
        _ found: divan_found_row,
        of documentID: DocumentID,
        _ content: RowContent,
        _ statement: StoreStatement
    ) throws(StoreError) -> DocumentRow {
        guard try isSound(found) else {
            throw statement.damaged(documentID, "checksum mismatch")
        }
        return try statement.row(found, of: documentID, withBody: content == .whole)
    }

    func isSound(_ found: divan_found_row) throws(StoreError) -> Bool {
        guard found.soundness == divan_without_checksum else {
            return found.soundness == divan_sound
        }
        return UInt64(clamping: found.columns.sequence) <= (try lastUnchecked())
    }

    private func byID(_ content: RowContent) throws(StoreError) -> StoreStatement {
        try statement(content == .whole ? .wholeByID : .summaryByID) {
            "SELECT \(columns(content)) FROM \(table) WHERE documentID = ?"
        }
    }

    /// Rows with a greater sequence: parameter 1, and the limit in parameter 2; with the flags in
    /// parameter 3, if some are requested.
    func bySequence(
        _ content: RowContent,
        withFlags: Bool = false
    ) throws(StoreError) -> StoreStatement {
        let purpose: Purpose =
            switch (content, withFlags) {
            case (.whole, false): .wholeBySequence
            case (.summary, false): .summaryBySequence
            case (.whole, true): .flaggedWholeBySequence
            case (.summary, true): .flaggedSummaryBySequence
            }
        return try statement(purpose) {
            """
            SELECT \(columns(content)) FROM \(table)
            WHERE sequence > ?1\(withFlags ? " AND flags & ?3 = ?3" : "")
            ORDER BY sequence LIMIT ?2
            """
        }
    }

    /// Every whole row, by sequence; the caller resets it.
    func everyRow() throws(StoreError) -> StoreStatement {
        let statement = try bySequence(.whole)
        try statement.bind(0, at: 1)
        try statement.bind(-1, at: 2)
        return statement
    }

    /// The whole rows of a document, the most recently stored first, where there may be several.
    func everyRow(of documentID: DocumentID) throws(StoreError) -> StoreStatement {
        let statement = try connection.prepare(
            """
            SELECT \(columns(.whole)) FROM \(table) NOT INDEXED WHERE documentID = ?
            ORDER BY sequence DESC
            """
        )
        try statement.bind(documentID.text, at: 1)
        return statement
    }

    func singleRevisions() throws(StoreError) -> StoreStatement {
        try statement(.singleRevisions) {
            """
            SELECT count(*) FROM \(table)
            WHERE sequence >= ? AND sequence < ? AND typeof(tree) = 'integer'
            """
        }
    }

    func latest() throws(StoreError) -> StoreStatement {
        try statement(.latest) {
            "SELECT sequence, flags FROM \(table) ORDER BY sequence DESC LIMIT 1"
        }
    }

    /// The IDs of live documents in order, without those for which the index of IDs has the row of another
    /// document, which is damage.
    ///
    /// The row, which is read for its flags anyway, supplies its own ID only if it is joined as a separate
    /// table beside the index.
    func identifiers() throws(StoreError) -> StoreStatement {
        try statement(.identifiers) {
            """
            SELECT listed.documentID FROM \(listedRows)
            WHERE listed.documentID > ? AND kept.documentID = listed.documentID
                AND kept.flags & \(DocumentFlags.tombstone.rawValue) = 0
            ORDER BY listed.documentID LIMIT ?
            """
        }
    }

    func conflicted() throws(StoreError) -> StoreStatement {
        try statement(.conflicted) {
            """
            SELECT documentID, sequence FROM \(table)
            WHERE \(SQLiteSchema.isConflicted) AND sequence > ? ORDER BY sequence LIMIT ?
            """
        }
    }

    func expiration() throws(StoreError) -> StoreStatement {
        try statement(.expiration) {
            "SELECT expiration FROM \(table) WHERE documentID = ?"
        }
    }

    func nextExpiration() throws(StoreError) -> StoreStatement {
        try statement(.nextExpiration) {
            "SELECT min(expiration) FROM \(table) WHERE expiration IS NOT NULL"
        }
    }

    /// What expires by parameter 1, according to both index and row: damage in one of them must purge nothing.
    func expired() throws(StoreError) -> StoreStatement {
        try statement(.expired) {
            """
            SELECT kept.documentID FROM \(listedRows)
            WHERE listed.expiration IS NOT NULL AND listed.expiration <= ?1
                AND kept.expiration <= ?1
            ORDER BY listed.expiration LIMIT ?2
            """
        }
    }

    /// Documents that one run of a statement looks up or adds.
    static let manyCount = StorageLimits.addedTogetherCount
    private static let fewCount = 4

    /// The summaries of as many documents as there are parameters; a null parameter yields none.
    func manySummaries() throws(StoreError) -> StoreStatement {
        try statement(.manySummaries) {
            """
            WITH asked (id) AS (VALUES \(Self.list("(?)", Self.manyCount)))
            SELECT \(Self.summary) FROM asked CROSS JOIN \(table) ON documentID = asked.id
            """
        }
    }

    private static func list(_ item: String, _ count: Int) -> String {
        [String](repeating: item, count: count).joined(separator: ", ")
    }

    private func insertion(_ verb: String = "INSERT", rowCount: Int = 1) -> String {
        """
        \(verb) INTO \(table) (sequence, documentID, revisionID, flags,
            expiration, tree, bodyByteCount, body, checksum)
        VALUES \(Self.list("(?, ?, ?, ?, ?, ?, ?, ?, ?)", rowCount))
        ON CONFLICT (documentID)
        """
    }

    /// Replaces by document ID only: a sequence that is already in use is an error, since the other
    /// document would be lost.
    func put() throws(StoreError) -> StoreStatement {
        try statement(.put) {
            """
            \(insertion()) DO UPDATE SET sequence = excluded.sequence,
                revisionID = excluded.revisionID, flags = excluded.flags,
                expiration = excluded.expiration, tree = excluded.tree,
                bodyByteCount = excluded.bodyByteCount, body = excluded.body,
                checksum = excluded.checksum
            """
        }
    }

    /// Changes nothing if the document exists.
    func add() throws(StoreError) -> StoreStatement {
        try statement(.add) { "\(insertion()) DO NOTHING" }
    }

    /// The same for several rows, of which one call takes 16, 4 or 1; after an error some of them may
    /// remain, which the caller must undo.
    ///
    /// Otherwise SQLite would copy each page that it changes, to be able to undo the statement. It always
    /// does if a statement with several rows runs functions, so with indexes they are added one by one.
    func add(atMost count: Int) throws(StoreError) -> (statement: StoreStatement, rowCount: Int) {
        guard count >= Self.fewCount else { return (try add(), 1) }
        if try runsFunctionsOnly() { return (try add(), min(count, Self.manyCount)) }
        let isMany = count >= Self.manyCount
        let rowCount = isMany ? Self.manyCount : Self.fewCount
        let statement = try statement(isMany ? .addMany : .addFew) {
            "\(insertion("INSERT OR FAIL", rowCount: rowCount)) DO NOTHING"
        }
        return (statement, rowCount)
    }

    /// Whether SQLite runs functions for each row (those of indexes) but no triggers, with which it would
    /// copy pages even for a single row.
    private func runsFunctionsOnly() throws(StoreError) -> Bool {
        if let knownFunctions { return knownFunctions }
        let index = try connection.text(SQLiteSchema.madeIndexes(of: collection))
        let trigger = try connection.text(SQLiteSchema.triggers(of: collection))
        knownFunctions = index != nil && trigger == nil
        return index != nil && trigger == nil
    }

    /// Whether the table has so many indexes that starting an insertion, which opens all of them, costs more
    /// than checking whether the document exists: each index adds about a sixth.
    func checksBeforeInsert() throws(StoreError) -> Bool {
        if let knownIndexCount { return knownIndexCount > Self.quickIndexCount }
        let sql = "SELECT count(*) FROM (\(SQLiteSchema.madeIndexes(of: collection)))"
        let count = try connection.integer(sql) ?? 0
        knownIndexCount = count
        return count > Self.quickIndexCount
    }

    private static let quickIndexCount: Int64 = 6

    func removeBehind() throws(StoreError) -> StoreStatement {
        try statement(.removeBehind) { "DELETE FROM \(table) WHERE sequence > ?" }
    }

    func setTree() throws(StoreError) -> StoreStatement {
        try statement(.setTree) {
            """
            UPDATE \(table) SET tree = ?1, checksum = divan_with_tree(checksum, ?3, ?1)
            WHERE sequence = ?2
            """
        }
    }

    func markSingle() throws(StoreError) -> StoreStatement {
        try statement(.markSingle) {
            """
            UPDATE \(table) SET tree = ?1, checksum = divan_with_tree(checksum, tree, ?1)
            WHERE documentID = ?2 AND revisionID = ?3 AND tree = 0
            """
        }
    }

    func setExpiration() throws(StoreError) -> StoreStatement {
        try statement(.setExpiration) {
            """
            UPDATE \(table) SET expiration = ?1,
                checksum = divan_with_expiration(checksum, expiration, ?1)
            WHERE sequence = (\(place("?2", "kept.documentID = ?2")))
            """
        }
    }

    /// Removes the row found under an ID, even a damaged one, but not an intact one of another document.
    func remove() throws(StoreError) -> StoreStatement {
        try statement(.remove) {
            let columns = SQLiteSchema.columns.split(separator: ", ").map { "kept.\($0)" }
            let soundness = "divan_soundness(\(columns.joined(separator: ", ")))"
            let isIts = "(kept.documentID = ?1 OR \(soundness) > 1)"
            return "DELETE FROM \(table) WHERE sequence = (\(place("?1", isIts)))"
        }
    }

    /// Selects where the index of IDs has a document, if the row there, `kept`, is as it should be.
    ///
    /// A damaged index may lead to the row of another one.
    private func place(_ parameter: String, _ condition: String) -> String {
        """
        SELECT kept.sequence FROM \(listedRows)
        WHERE listed.documentID = \(parameter) AND \(condition)
        """
    }

    /// The entries of an index, `listed`, and the rows that they lead to, `kept`.
    ///
    /// `NOT INDEXED`, or an index would supply the columns of the row.
    private var listedRows: String {
        """
        \(table) AS listed
        CROSS JOIN \(table) AS kept NOT INDEXED ON kept.sequence = listed.sequence
        """
    }

    private func statement(
        _ purpose: Purpose,
        _ sql: () -> String
    ) throws(StoreError) -> StoreStatement {
        if let statement = prepared[purpose.rawValue] { return statement }
        let statement = try connection.prepare(sql())
        prepared[purpose.rawValue] = statement
        return statement
    }
}

extension SQLiteSession {
    func conflictedDocuments(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [(documentID: DocumentID, sequence: UInt64)] {
        let statement = try documents(in: collection).conflicted()
        defer { statement.reset() }
        try statement.bind(Int64(clamping: sequence), at: 1)
        try statement.bind(Int64(limit), at: 2)
        var documents: [(documentID: DocumentID, sequence: UInt64)] = []
        while try statement.step() {
            let documentID = DocumentID(unchecked: statement.text(0))
            documents.append((documentID, UInt64(clamping: statement.integer(1))))
        }
        return documents
    }
}
