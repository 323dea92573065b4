internal import DivanDelta
internal import DivanRevisions

// Old bodies stand in the row packed beside the current one (`BodyArchive`), and in a tree that
// changes as they are.
extension RevisionTree {
    /// The tree of a row, with the current body if the row holds it and old bodies packed.
    init(of row: DocumentRow) throws(RevisionError) {
        switch row.tree {
        case .encoded(let bytes):
            try self.init(
                decoding: bytes.span,
                currentID: row.revisionID,
                currentSequence: row.sequence,
                currentBody: row.body
            )
        case .single(let remote):
            self.init()
            _ = try insertRemote(
                row.revisionID,
                history: [],
                flags: RevisionFlags(row.flags),
                body: row.body,
                remote: remote,
                refusesConflicts: false
            )
            assignSequence(row.sequence)
        }
    }

    /// The row that holds this tree, whose new revisions get `sequence`.
    ///
    /// `nil` for an empty tree.
    func row(
        of documentID: DocumentID,
        sequence: UInt64,
        expiration: Int64?,
        archive: BodyArchive
    ) -> DocumentRow? {
        var tree = self
        tree.assignSequence(sequence)
        guard let current = tree.current else { return nil }
        return DocumentRow(
            documentID: documentID,
            sequence: sequence,
            revisionID: current.id,
            flags: tree.documentFlags(current),
            tree: tree.rowTree(current, archive: archive),
            body: current.body ?? [],
            expiration: expiration
        )
    }

    private func documentFlags(_ current: Revision) -> DocumentFlags {
        var flags: DocumentFlags = []
        if current.isTombstone { flags.insert(.tombstone) }
        if conflict != nil { flags.insert(.conflicted) }
        if revisions.contains(where: { $0.body != nil && $0.flags.contains(.hasBlobs) }) {
            flags.insert(.hasBlobs)
        }
        return flags
    }

    /// The short form where it says everything: one revision that no remote is known to have.
    ///
    /// `archive` packs old bodies; `nil` when they are packed already.
    func rowTree(_ current: Revision, archive: BodyArchive?) -> RowTree {
        guard revisions.count == 1, current.flags.isSubset(of: [.tombstone, .hasBlobs])
        else { return encodedTree(beside: current.body ?? [], archive: archive) }
        return .single(knownAt: nil)
    }

    private func encodedTree(beside body: [UInt8], archive: BodyArchive?) -> RowTree {
        guard let archive else { return .encoded(encoded()) }
        var tree = self
        tree.transformOldBodies { archive.packed($0, beside: body) }
        return .encoded(tree.encoded())
    }
}

extension RevisionFlags {
    /// The flags of the only revision of a document.
    init(_ flags: DocumentFlags) {
        self = []
        if flags.contains(.tombstone) { insert(.tombstone) }
        if flags.contains(.hasBlobs) { insert(.hasBlobs) }
    }
}
