internal import CDivanSQLiteEngine
internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

// SQLite assembles the value of a column in memory before it can be copied. A long body is copied from its
// pages instead, so that it is in memory once.
extension SQLiteSession {
    func longRow(
        _ documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> DocumentRow? {
        try pages.noteSought(on: connection)
        let documents = documents(in: collection)
        // Whatever is unusual about the row is found, and reported, in the usual way.
        if let row = try? documents.longRow(documentID) {
            // Such a body pushed all other pages out.
            if row.body.count >= SQLiteEngineLimits.seekingCacheByteCount {
                connection.releasePages()
            }
            return row
        }
        return try documents.row(documentID, .whole)
    }
}

extension SQLiteDocumentStatements {
    /// The row of a document with a long body; `nil` if its body is not long, and for any damage.
    fileprivate func longRow(_ documentID: DocumentID) throws(StoreError) -> DocumentRow? {
        let statement = try connection.prepare(
            """
            SELECT \(Self.summary), typeof(body) = 'text', \(hasChecksums ? "checksum" : "NULL")
            FROM \(table) WHERE documentID = ?
            """
        )
        defer { statement.reset() }
        var found = divan_found_row()
        guard try statement.find(documentID, withBody: false, &found),
            found.soundness == divan_sound,
            found.told_body_byte_count >= StorageLimits.longBodyByteCount,
            let stored = storedBody(at: found.columns.sequence)
        else { return nil }
        var row = try statement.row(found, of: documentID, withBody: false)
        found.soundness = stored.withUnsafeBytes { stored in
            let start = stored.baseAddress?.assumingMemoryBound(to: CChar.self)
            let count = Int32(clamping: stored.count)
            return divan_judge_long_row(statement.handle, found, start, count)
        }
        guard try isSound(found) else { return nil }
        row.body = try plain(stored)
        return row.body.count == row.bodyByteCount ? row : nil
    }

    /// A stored body in plain form.
    ///
    /// - Throws: `corrupt` if it cannot be unpacked.
    private func plain(_ stored: [UInt8]) throws(StoreError) -> [UInt8] {
        let isPacked = stored.withUnsafeBufferPointer { PackedBody.isPacked($0) }
        guard isPacked else { return stored }
        do throws(SQLiteBodies.Failure) {
            return try stored.withUnsafeBufferPointer { stored throws(SQLiteBodies.Failure) in
                try connection.bodies.plain(stored)
            }
        } catch {
            throw StoreError(.corrupt("a compressed body"), at: connection.path)
        }
    }

    /// The bytes of the body in a row; `nil` if they cannot be read.
    private func storedBody(at sequence: Int64) -> [UInt8]? {
        try? SQLiteBlob(of: "body", in: table, row: sequence, on: connection).bytes()
    }
}
