public import DivanDelta
public import DivanRevisions

// Old bodies are stored packed in the row of the current one (`BodyArchive`), and unpacked in a
// history that is being changed.
extension RevisionScheme {
    /// The history of a row, with the current body if the row holds it and old bodies packed.
    public func history(of row: DocumentRow) throws(RevisionError) -> any RevisionHistory {
        let isSingle = row.tree.isSingle
        let current = HistoryRevision(
            only: row.revisionID,
            flags: isSingle ? RevisionFlags(row.flags) : [],
            sequence: row.sequence,
            body: row.body
        )
        switch row.tree {
        case .encoded(let bytes): return try history(decoding: bytes.span, current: current)
        case .single(let remote): return try history(of: current, knownAt: remote)
        }
    }
}

extension RevisionHistory {
    /// The row for this history, whose new revisions get `sequence`.
    ///
    /// Returns `nil` for an empty history.
    public func row(
        of documentID: DocumentID,
        sequence: UInt64,
        expiration: Int64?,
        archive: BodyArchive
    ) -> DocumentRow? {
        var history = self
        history.assignSequence(sequence)
        guard let current = history.current else { return nil }
        return DocumentRow(
            documentID: documentID,
            sequence: sequence,
            revisionID: current.id,
            flags: history.documentFlags(current),
            tree: history.rowTree(current, archive: archive),
            body: current.body ?? [],
            expiration: expiration
        )
    }

    private func documentFlags(_ current: HistoryRevision) -> DocumentFlags {
        var flags: DocumentFlags = []
        if current.isTombstone { flags.insert(.tombstone) }
        if conflict != nil { flags.insert(.conflicted) }
        if revisionsWithBody.contains(where: { $0.flags.contains(.hasBlobs) }) {
            flags.insert(.hasBlobs)
        }
        return flags
    }

    /// The short form if it is sufficient: one revision that no remote is known to have.
    ///
    /// `archive` packs old bodies that are not packed yet; pass `nil` if all of them are.
    public func rowTree(_ current: HistoryRevision, archive: BodyArchive?) -> RowTree {
        guard !isSingle else { return .single(knownAt: nil) }
        guard let archive else { return .encoded(encoded()) }
        var history = self
        history.transformOldBodies { body in
            BodyArchive.isPackedAlone(body)
                ? body : archive.packed(body, beside: current.body ?? [])
        }
        return .encoded(history.encoded())
    }
}

extension RevisionFlags {
    /// The flags of the only revision of a document.
    public init(_ flags: DocumentFlags) {
        self = []
        if flags.contains(.tombstone) { insert(.tombstone) }
        if flags.contains(.hasBlobs) { insert(.hasBlobs) }
    }
}
