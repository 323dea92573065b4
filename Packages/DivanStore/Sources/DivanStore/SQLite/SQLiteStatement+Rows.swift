internal import CDivanStore
internal import DivanRevisions

extension SQLiteStatement {
    /// The row under the cursor; columns as in `SQLiteDocumentStatements`.
    func row(_ content: RowContent) throws(StoreError) -> DocumentRow {
        let documentID = DocumentID(unchecked: text(1))
        guard let sequence = UInt64(exactly: integer(0)),
            let bodyByteCount = Int(exactly: integer(6)), bodyByteCount >= 0,
            let revisionID = withBytes(2, { RevisionID(encoded: $0.span) })
        else { throw damaged("its row cannot be read") }
        let body = content == .whole ? bytes(7) : []
        guard content == .summary || body.count == bodyByteCount else {
            throw damaged("its body has another length")
        }
        return DocumentRow(
            documentID: documentID,
            sequence: sequence,
            revisionID: revisionID,
            flags: DocumentFlags(rawValue: UInt8(truncatingIfNeeded: integer(3))),
            tree: try tree(5),
            body: body,
            bodyByteCount: bodyByteCount,
            expiration: isNull(4) ? nil : integer(4)
        )
    }

    /// The error for the row under the cursor; `detail` says what is wrong.
    func damaged(_ detail: String) -> StoreError {
        StoreError(.damagedDocument(documentID: DocumentID(unchecked: text(1)), detail), at: path)
    }

    /// How many live documents the collection had when the row was stored, if the row tells.
    func liveCount(_ index: Int32) -> Int? {
        let count = integer(index) >> SQLiteSchema.flagsBitCount
        return count > 0 ? Int(exactly: count - 1) : nil
    }

    /// An integer names the remote that has the only revision; everything else is a tree.
    private func tree(_ index: Int32) throws(StoreError) -> RowTree {
        guard isInteger(index) else { return .encoded(bytes(index)) }
        guard let remote = UInt32(exactly: integer(index)) else {
            throw damaged("its tree cannot be read")
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
        var (documentID, encodedTree, knownAt) = (row.documentID.text, [UInt8](), UInt32(0))
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
