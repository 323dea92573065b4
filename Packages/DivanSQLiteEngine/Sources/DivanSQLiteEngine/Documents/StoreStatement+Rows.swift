internal import CDivanSQLiteEngine
internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

extension SQLiteStatement<StoreFunctions> {
    /// Moves to the one row of a document, whose ID is the only parameter; `false` if there is none.
    ///
    /// The ID is not copied: its memory is read while it is lent. The pointers of `found` belong to
    /// SQLite and are valid until the next step.
    func find(
        _ documentID: DocumentID,
        withBody: Bool,
        _ found: inout divan_found_row
    ) throws(StoreError) -> Bool {
        var text = documentID.text
        return try hasRow(
            after: text.withUTF8 {
                let start = UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self)
                let count = Int32(clamping: $0.count)
                return divan_find_row(handle, start, count, withBody ? 1 : 0, &found)
            }
        )
    }

    /// The row under the cursor; columns as in `SQLiteDocumentStatements`.
    ///
    /// Its pointers belong to SQLite and are valid until the next step.
    func found(withBody: Bool) -> divan_found_row {
        var found = divan_found_row()
        divan_get_row(handle, withBody ? 1 : 0, &found)
        return found
    }

    /// The ID of the row under the cursor.
    func documentID(of found: divan_found_row) -> DocumentID {
        let bytes = UnsafeRawBufferPointer(
            start: found.columns.document_id,
            count: Int(found.columns.document_id_byte_count)
        )
        return DocumentID(unchecked: String(decoding: bytes, as: UTF8.self))
    }

    /// Copies the row that was found, if it can be read; its body is empty if it was not requested.
    func row(
        _ found: divan_found_row,
        of documentID: DocumentID,
        withBody: Bool
    ) throws(StoreError) -> DocumentRow {
        let columns = found.columns
        let revision = UnsafeBufferPointer(
            start: columns.revision_id,
            count: Int(columns.revision_id_byte_count)
        )
        guard let sequence = UInt64(exactly: columns.sequence), sequence > 0,
            let bodyByteCount = Int(exactly: found.told_body_byte_count), bodyByteCount >= 0,
            let revisionID = RevisionID(encoded: revision.span)
        else { throw damaged(documentID, "its row cannot be read") }
        let body = try body(columns, of: documentID)
        guard !withBody || body.count == bodyByteCount else {
            throw damaged(documentID, "its body has the wrong length")
        }
        return DocumentRow(
            documentID: documentID,
            sequence: sequence,
            revisionID: revisionID,
            flags: DocumentFlags(rawValue: UInt8(truncatingIfNeeded: columns.flags)),
            tree: try tree(columns, of: documentID),
            body: body,
            bodyByteCount: bodyByteCount,
            expiration: columns.expires == 0 ? nil : columns.expiration
        )
    }

    /// The body in plain form; empty if it was not read.
    private func body(
        _ columns: divan_row,
        of documentID: DocumentID
    ) throws(StoreError) -> [UInt8] {
        let start = UnsafeRawPointer(columns.body)?.assumingMemoryBound(to: UInt8.self)
        let stored = UnsafeBufferPointer(start: start, count: Int(columns.body_byte_count))
        guard PackedBody.isPacked(stored) else { return Array(stored) }
        do throws(SQLiteBodies.Failure) {
            return try bodies.plain(stored)
        } catch {
            throw error.error(of: documentID, self)
        }
    }

    /// What is known of the damaged row under the cursor; `name` is the document's name in the index.
    func damagedRow(named name: DocumentID?, expiration: Int64?) -> DamagedRow {
        DamagedRow(
            UInt64(clamping: integer(0)),
            name ?? DocumentID(unchecked: text(1)),
            withBytes(2) { RevisionID(encoded: $0.span) },
            expiration: expiration
        )
    }

    /// The error for a row; `detail` says what is wrong.
    func damaged(_ documentID: DocumentID, _ detail: String) -> StoreError {
        StoreError(.damagedDocument(documentID: documentID, detail), at: path)
    }

    /// How many live documents the collection had when the row was stored, if the row holds that.
    func liveCount(_ index: Int32) -> Int? {
        let count = integer(index) >> SQLiteSchema.flagsBitCount
        return count > 0 ? Int(exactly: count - 1) : nil
    }

    /// An integer is the remote that has the only revision; everything else is a tree.
    private func tree(
        _ columns: divan_row,
        of documentID: DocumentID
    ) throws(StoreError) -> RowTree {
        guard columns.tree == nil else {
            let bytes = UnsafeBufferPointer(
                start: columns.tree,
                count: Int(columns.tree_byte_count)
            )
            return .encoded(Array(bytes))
        }
        guard let remote = UInt32(exactly: columns.known_at) else {
            throw damaged(documentID, "its revision tree cannot be read")
        }
        return .single(knownAt: remote == 0 ? nil : RemoteID(rawValue: remote))
    }

    /// Calls `body` at each row found by a statement whose parameters are IDs; unused parameters get no ID.
    ///
    /// The IDs are read while their memory is lent, though they stay bound until the next call.
    func forEachRow(
        of documentIDs: ArraySlice<DocumentID>,
        _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        var (texts, ends) = ([UInt8](), [Int]())
        ends.reserveCapacity(documentIDs.count)
        for documentID in documentIDs {
            texts.append(contentsOf: documentID.text.utf8)
            ends.append(texts.count)
        }
        reset()
        clearBindings()
        try texts.withUnsafeBufferPointer { (texts) throws(StoreError) in
            var start = 0
            for (index, end) in ends.enumerated() {
                let text = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: texts[start..<end]))
                try bindLent(text: text, at: Int32(truncatingIfNeeded: index + 1))
                start = end
            }
            while try step() { try body() }
        }
    }

    /// Calls `use` while a tree is bound, without copying it.
    func lend(
        _ tree: RowTree,
        at index: Int32,
        _ use: () throws(StoreError) -> Void
    ) throws(StoreError) {
        switch tree {
        case .single(let remote):
            try bind(Int64(remote?.rawValue ?? 0), at: index)
            try use()
        case .encoded(let bytes):
            try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
                try bindLent(blob: UnsafeRawBufferPointer(bytes), at: index)
                try use()
            }
        }
    }

    /// Stores rows without copying their bytes, in one run or several; returns how many rows it changed.
    ///
    /// `ends` holds the end of each encoded revision ID. A packed body that is not empty replaces the
    /// row's.
    func put(
        _ rows: ArraySlice<DocumentRow>,
        _ packed: [[UInt8]],
        flags: [Int64],
        _ revisionIDs: [UInt8],
        ends: [Int]
    ) throws(StoreError) -> Int {
        var changed: Int32 = 0
        let code = revisionIDs.withUnsafeBufferPointer { revisionIDs in
            withUnsafeTemporaryAllocation(of: divan_row.self, capacity: rows.count) { bound in
                put(rows, packed, from: 0, flags, revisionIDs, ends, bound, &changed)
            }
        }
        try check(code)
        return Int(changed)
    }

    /// Binds the rows from an index on and runs the statement; each pointer is used only during
    /// `divan_put_rows`, which is called inside the borrow scopes of all rows, including the earlier ones.
    private func put(
        _ rows: ArraySlice<DocumentRow>,
        _ packed: [[UInt8]],
        from place: Int,
        _ flags: [Int64],
        _ revisionIDs: UnsafeBufferPointer<UInt8>,
        _ ends: [Int],
        _ bound: UnsafeMutableBufferPointer<divan_row>,
        _ changed: inout Int32
    ) -> Int32 {
        guard place < rows.count else {
            return divan_put_rows(handle, bound.baseAddress, Int32(clamping: place), &changed)
        }
        let start = place == 0 ? 0 : ends[place - 1]
        let revisionID = UnsafeBufferPointer(rebasing: revisionIDs[start..<ends[place]])
        let row = rows[rows.startIndex + place]
        let body = packed.isEmpty || packed[place].isEmpty ? row.body : packed[place]
        return Self.lend(row, body, revisionID, flags: flags[place]) { lent in
            bound.initializeElement(at: place, to: lent)
            return put(rows, packed, from: place + 1, flags, revisionIDs, ends, bound, &changed)
        }
    }

    /// Lends a row in its stored form: its pointers are valid inside `use`.
    private static func lend(
        _ row: DocumentRow,
        _ body: [UInt8],
        _ revisionID: UnsafeBufferPointer<UInt8>,
        flags: Int64,
        to use: (divan_row) -> Int32
    ) -> Int32 {
        var (documentID, encodedTree, knownAt) = (row.documentID.text, [UInt8](), UInt32(0))
        switch row.tree {
        case .single(let remote): knownAt = remote?.rawValue ?? 0
        case .encoded(let bytes): encodedTree = bytes
        }
        return documentID.withUTF8 { documentID in
            encodedTree.withUnsafeBufferPointer { tree in
                body.withUnsafeBytes { body in
                    var bound = divan_row()
                    bound.sequence = Int64(clamping: row.sequence)
                    bound.document_id = UnsafeRawPointer(documentID.baseAddress)?
                        .assumingMemoryBound(to: CChar.self)
                    bound.document_id_byte_count = Int32(clamping: documentID.count)
                    bound.revision_id = revisionID.baseAddress
                    bound.revision_id_byte_count = Int32(clamping: revisionID.count)
                    bound.flags = flags
                    bound.expiration = row.expiration ?? 0
                    bound.expires = row.expiration == nil ? 0 : 1
                    bound.tree = tree.isEmpty ? nil : tree.baseAddress
                    bound.tree_byte_count = Int32(clamping: tree.count)
                    bound.known_at = Int64(knownAt)
                    bound.body = body.baseAddress?.assumingMemoryBound(to: CChar.self)
                    bound.body_byte_count = Int32(clamping: body.count)
                    bound.plain_body_byte_count = Int64(row.body.count)
                    return use(bound)
                }
            }
        }
    }
}

extension SQLiteBodies.Failure {
    /// The error for a document's row, found by `statement`.
    func error(of documentID: DocumentID, _ statement: StoreStatement) -> StoreError {
        switch self {
        case .malformed: statement.damaged(documentID, "its compressed body is malformed")
        case .damaged: statement.damaged(documentID, "its body cannot be decompressed")
        case .missingDictionary(let number):
            statement.damaged(documentID, "dictionary \(number) of its body is missing or damaged")
        case .unread(let code): statement.error(code)
        case .unknownCodec(let number):
            StoreError(.unknownCodec(number: number), at: statement.path)
        }
    }
}
