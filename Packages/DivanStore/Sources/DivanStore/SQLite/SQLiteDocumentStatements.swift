internal import CDivanStore
internal import DivanRevisions

/// The prepared statements of one collection's table on one connection.
final class SQLiteDocumentStatements {
    let collection: CollectionID
    private let table: String
    private let connection: SQLiteConnection
    private var prepared = [SQLiteStatement?](repeating: nil, count: Purpose.allCases.count)

    private enum Purpose: Int, CaseIterable {
        case summaryByID
        case wholeByID
        case summaryBySequence
        case wholeBySequence
        case singleRevisions
        case latest
        case identifiers
        case conflicted
        case expiration
        case nextExpiration
        case expired
        case put
        case add
        case setTree
        case markSingle
        case setExpiration
        case remove
    }

    init(_ collection: CollectionID, on connection: SQLiteConnection) {
        self.collection = collection
        self.connection = connection
        table = SQLiteSchema.table(collection)
    }

    private static let summary =
        "sequence, documentID, revisionID, flags, expiration, tree, bodyByteCount"

    private func columns(_ content: RowContent) -> String {
        content == .whole ? Self.summary + ", body" : Self.summary
    }

    func byID(_ content: RowContent) throws(StoreError) -> SQLiteStatement {
        try statement(content == .whole ? .wholeByID : .summaryByID) {
            "SELECT \(columns(content)) FROM \(table) WHERE documentID = ?"
        }
    }

    func bySequence(_ content: RowContent) throws(StoreError) -> SQLiteStatement {
        try statement(content == .whole ? .wholeBySequence : .summaryBySequence) {
            """
            SELECT \(columns(content)) FROM \(table)
            WHERE sequence > ?1 AND flags & ?2 = ?2 ORDER BY sequence LIMIT ?3
            """
        }
    }

    func singleRevisions() throws(StoreError) -> SQLiteStatement {
        try statement(.singleRevisions) {
            """
            SELECT count(*) FROM \(table)
            WHERE sequence >= ? AND sequence < ? AND typeof(tree) = 'integer'
            """
        }
    }

    func latest() throws(StoreError) -> SQLiteStatement {
        try statement(.latest) {
            "SELECT sequence, flags FROM \(table) ORDER BY sequence DESC LIMIT 1"
        }
    }

    func identifiers() throws(StoreError) -> SQLiteStatement {
        try statement(.identifiers) {
            """
            SELECT documentID FROM \(table)
            WHERE documentID > ? AND flags & \(DocumentFlags.tombstone.rawValue) = 0
            ORDER BY documentID LIMIT ?
            """
        }
    }

    func conflicted() throws(StoreError) -> SQLiteStatement {
        try statement(.conflicted) {
            """
            SELECT documentID FROM \(table) WHERE \(SQLiteSchema.isConflicted)
            ORDER BY sequence
            """
        }
    }

    func expiration() throws(StoreError) -> SQLiteStatement {
        try statement(.expiration) {
            "SELECT expiration FROM \(table) WHERE documentID = ?"
        }
    }

    func nextExpiration() throws(StoreError) -> SQLiteStatement {
        try statement(.nextExpiration) {
            "SELECT min(expiration) FROM \(table) WHERE expiration IS NOT NULL"
        }
    }

    func expired() throws(StoreError) -> SQLiteStatement {
        try statement(.expired) {
            """
            SELECT documentID FROM \(table)
            WHERE expiration IS NOT NULL AND expiration <= ? ORDER BY expiration LIMIT ?
            """
        }
    }

    private var insertion: String {
        """
        INSERT INTO \(table) (sequence, documentID, revisionID, flags,
            expiration, tree, bodyByteCount, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (documentID)
        """
    }

    /// Replaces by document ID only: a sequence that is taken already is an error, since the other
    /// document would be lost.
    func put() throws(StoreError) -> SQLiteStatement {
        try statement(.put) {
            """
            \(insertion) DO UPDATE SET sequence = excluded.sequence,
                revisionID = excluded.revisionID, flags = excluded.flags,
                expiration = excluded.expiration, tree = excluded.tree,
                bodyByteCount = excluded.bodyByteCount, body = excluded.body
            """
        }
    }

    /// Changes nothing where the document is there.
    func add() throws(StoreError) -> SQLiteStatement {
        try statement(.add) { "\(insertion) DO NOTHING" }
    }

    func setTree() throws(StoreError) -> SQLiteStatement {
        try statement(.setTree) { "UPDATE \(table) SET tree = ? WHERE sequence = ?" }
    }

    func markSingle() throws(StoreError) -> SQLiteStatement {
        try statement(.markSingle) {
            """
            UPDATE \(table) SET tree = ?
            WHERE documentID = ? AND revisionID = ? AND tree = 0
            """
        }
    }

    func setExpiration() throws(StoreError) -> SQLiteStatement {
        try statement(.setExpiration) {
            "UPDATE \(table) SET expiration = ? WHERE documentID = ?"
        }
    }

    func remove() throws(StoreError) -> SQLiteStatement {
        try statement(.remove) { "DELETE FROM \(table) WHERE documentID = ?" }
    }

    private func statement(
        _ purpose: Purpose,
        _ sql: () -> String
    ) throws(StoreError) -> SQLiteStatement {
        if let statement = prepared[purpose.rawValue] { return statement }
        let statement = try connection.prepare(sql())
        prepared[purpose.rawValue] = statement
        return statement
    }
}

// MARK: Rows

extension SQLiteStatement {
    /// The row under the cursor; columns as in `SQLiteDocumentStatements`.
    func row(_ content: RowContent) throws(StoreError) -> DocumentRow {
        let documentID = text(1)
        guard let sequence = UInt64(exactly: integer(0)),
            let bodyByteCount = Int(exactly: integer(6)), bodyByteCount >= 0,
            let revisionID = withBytes(2, { RevisionID(encoded: $0.span) })
        else { throw corrupt("row of document \(documentID)") }
        let body = content == .whole ? bytes(7) : []
        guard content == .summary || body.count == bodyByteCount else {
            throw corrupt("body of document \(documentID)")
        }
        return DocumentRow(
            documentID: documentID,
            sequence: sequence,
            revisionID: revisionID,
            flags: DocumentFlags(rawValue: UInt8(truncatingIfNeeded: integer(3))),
            tree: try tree(5, of: documentID),
            body: body,
            bodyByteCount: bodyByteCount,
            expiration: isNull(4) ? nil : integer(4)
        )
    }

    /// How many live documents the collection had when the row was stored, if the row tells.
    func liveCount(_ index: Int32) -> Int? {
        let count = integer(index) >> SQLiteSchema.flagsBitCount
        return count > 0 ? Int(exactly: count - 1) : nil
    }

    /// An integer names the remote that has the only revision; everything else is a tree.
    private func tree(_ index: Int32, of documentID: String) throws(StoreError) -> RowTree {
        guard isInteger(index) else { return .encoded(bytes(index)) }
        guard let remote = UInt32(exactly: integer(index)) else {
            throw corrupt("tree of document \(documentID)")
        }
        return .single(knownAt: remote == 0 ? nil : RemoteID(rawValue: remote))
    }

    /// Stores a row without copying its bytes: each pointer is used only during `divan_put_row`,
    /// which lies inside all three borrowings.
    func put(
        _ row: DocumentRow,
        _ revisionID: [UInt8],
        flags: Int64
    ) throws(StoreError) {
        var (documentID, encodedTree, knownAt) = (row.documentID, [UInt8](), UInt32(0))
        switch row.tree {
        case .single(let remote): knownAt = remote?.rawValue ?? 0
        case .encoded(let bytes): encodedTree = bytes
        }
        let code = documentID.withUTF8 { documentID in
            revisionID.withUnsafeBufferPointer { revisionID in
                encodedTree.withUnsafeBufferPointer { tree in
                    row.body.withUnsafeBytes { body in
                        var bound = divan_row()
                        bound.sequence = Int64(clamping: row.sequence)
                        bound.document_id = UnsafeRawPointer(documentID.baseAddress)?
                            .assumingMemoryBound(to: CChar.self)
                        bound.document_id_byte_count = Int32(clamping: documentID.count)
                        bound.revision_id = revisionID.baseAddress
                        bound.revision_id_byte_count = Int32(clamping: revisionID.count)
                        bound.flags = flags
                        bound.expiration = row.expiration ?? 0
                        bound.tree = tree.isEmpty ? nil : tree.baseAddress
                        bound.tree_byte_count = Int32(clamping: tree.count)
                        bound.known_at = Int64(knownAt)
                        bound.body = body.baseAddress?.assumingMemoryBound(to: CChar.self)
                        bound.body_byte_count = Int32(clamping: body.count)
                        return divan_put_row(handle, &bound)
                    }
                }
            }
        }
        try check(code)
    }
}
