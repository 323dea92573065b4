internal import DivanCrypto
internal import DivanLog
public import DivanRevisions

/// The result of a restoration.
public struct Restoration: Equatable, Sendable {
    /// Documents and blobs that are intact again.
    public internal(set) var restoredCount = 0
    /// Local revisions that the source does not have: edits that were never pushed are lost.
    public internal(set) var lostRevisions: [LostRevision] = []

    /// Creates the result of a restoration that had nothing to do.
    public init() {}

    /// A revision whose content is lost.
    public struct LostRevision: Equatable, Sendable {
        /// The document.
        public var name: Damage.DocumentName
        /// The revision of its damaged row.
        public var revisionID: RevisionID
    }
}

extension Store {
    /// The documents that a peer must send to repair an inspected database: the damaged ones, those whose rows are
    /// unreachable but whose IDs are known, and those that reference a damaged or missing blob.
    ///
    /// - Throws: I/O errors, also if damage makes everything unreadable.
    public func wantedDocuments(for inspection: Inspection) throws -> [Damage.DocumentName] {
        guard !inspection.damages.isEmpty else { return [] }
        var names = Set(try damagedRows().map(\.name))
        for damage in inspection.damages {
            if case .blob(_, namedBy: .some(let name)) = damage.part { names.insert(name) }
        }
        return names.sorted {
            $0.collection == $1.collection
                ? $0.documentID < $1.documentID : $0.collection.wireName < $1.collection.wireName
        }
    }

    /// Replaces the damaged data of an inspection with copies from another database.
    ///
    /// A damaged row is removed in the transaction that stores its copy, and kept if there is no copy. Intact data
    /// are not changed. Indexes that do not match their rows are rebuilt, and damaged small values that only save
    /// work, such as checkpoints, are removed.
    ///
    /// - Parameters:
    ///   - inspection: The result of a recent `inspect()`.
    ///   - source: A database that pulled `wantedDocuments(for:)` from one peer.
    /// - Returns: The number of restored items, and the lost edits.
    /// - Throws: I/O errors; the documents are then unchanged.
    public func restore(_ inspection: Inspection, from source: Store) throws -> Restoration {
        var restoration = Restoration()
        try restoreBlobs(inspection, from: source, &restoration)
        let hasBadPages = inspection.damages.contains { $0.part == .structure }
        let rows = try damagedRows()
        let remote = try source.read { try $0.remotes() }.first
        let number: RemoteID? = try remote.map { remote in try remoteID(for: remote.name) }
        try write { writer in
            try writer.discardDamagedValues()
            for path in try writer.collections() {
                let copies = try rows.filter { $0.name.collection == path }.compactMap { row in
                    try source.copy(row, at: number)
                }
                guard hasBadPages || !copies.isEmpty else { continue }
                try writer.discard(copies.map(\.row.sequence), in: path, hasBadPages)
                for copy in copies {
                    try restoreBlobs(of: copy.revision, from: source)
                    _ = try writer.insert(copy.revision, in: path)
                    if let time = copy.row.expiration {
                        try writer.setExpiration(time, of: copy.revision.documentID, in: path)
                    }
                    restoration.restoredCount += 1
                    restoration.lostRevisions += copy.lost
                }
            }
        }
        do {
            try removeUnnamedBlobs(inspection)
        } catch {
            // The copies are stored, and the caller must learn which edits are lost.
            StoreLog.database.warning("Cannot remove damaged, unreferenced blobs: \(error)")
        }
        return restoration
    }

    private func damagedRows() throws -> [NamedRow] {
        try read { reader in
            var rows: [NamedRow] = []
            for path in try reader.collections() {
                let id = try reader.collection(path).id
                rows += try reader.current().damageReading.damagedRows(in: id).map { row in
                    NamedRow(
                        name: Damage.DocumentName(row.documentID, in: path),
                        sequence: row.sequence,
                        revisionID: row.revisionID,
                        expiration: row.expiration
                    )
                }
            }
            return rows
        }
    }

    /// The current revision of a damaged row's document in this store, if it has one.
    private func copy(_ row: NamedRow, at remote: RemoteID?) throws -> DocumentCopy? {
        try read { reader in
            let (documentID, path) = (row.name.documentID, row.name.collection)
            guard try reader.hasCollection(path),
                let document = try reader.document(
                    documentID,
                    in: path,
                    includingTombstones: true
                ),
                let history = try reader.revisions(of: documentID, in: path)
            else { return nil }
            let ancestry = history.ancestry(
                of: document.revisionID,
                limit: RevisionLimits.historyCount,
                until: [],
                random: SystemRandomSource()
            )
            let revision = RemoteRevision(
                documentID: documentID,
                revisionID: document.revisionID,
                history: ancestry.ids,
                mergeCount: ancestry.mergeCount,
                isTombstone: document.flags.contains(.tombstone),
                body: document.body,
                hasBlobs: document.flags.contains(.hasBlobs),
                remote: remote
            )
            return DocumentCopy(row: row, revision: revision)
        }
    }

    // MARK: Blobs

    private func restoreBlobs(
        _ inspection: Inspection,
        from source: Store,
        _ restoration: inout Restoration
    ) throws {
        for damage in inspection.damages {
            guard case .blob(let digest, _) = damage.part, source.blobs.contains(digest)
            else { continue }
            try blobs.replace(digest, from: source.blobs)
            restoration.restoredCount += 1
        }
        try blobs.settle()
    }

    /// Removes damaged blobs that no document refers to now; none while damage hides what a document refers
    /// to: that may be these, and what could not be read may be intact.
    private func removeUnnamedBlobs(_ inspection: Inspection) throws {
        let unnamed = inspection.damages.compactMap { damage -> BlobDigest? in
            guard case .blob(let digest, namedBy: nil) = damage.part else { return nil }
            return (try? blobs.reader(digest).digest()) == digest ? nil : digest
        }
        guard !unnamed.isEmpty else { return }
        try outsideWrites {
            do {
                try engine.file?.checkPages()
                let used = try read { try $0.usedBlobs() }
                _ = try blobs.collectGarbage(among: (unnamed, []), keeping: used)
            } catch let error as StoreError where error.isDamage {}
        }
    }

    private func restoreBlobs(of revision: RemoteRevision, from source: Store) throws {
        guard revision.hasBlobs else { return }
        for digest in try BlobReferences.digests(in: revision.body)
        where !blobs.contains(digest) && source.blobs.contains(digest) {
            try blobs.replace(digest, from: source.blobs)
        }
    }
}

/// A row that is not what was stored, and the name of its document.
private struct NamedRow {
    var name: Damage.DocumentName
    var sequence: UInt64
    var revisionID: RevisionID?
    var expiration: Int64?
}

/// What replaces a damaged row.
private struct DocumentCopy {
    var row: NamedRow
    var revision: RemoteRevision

    /// The revision that nobody has any more, if there is one.
    var lost: [Restoration.LostRevision] {
        guard let old = row.revisionID, old != revision.revisionID,
            !revision.history.contains(old)
        else { return [] }
        return [Restoration.LostRevision(name: row.name, revisionID: old)]
    }
}

extension StoreWriter {
    /// Removes rows whatever they contain, rebuilds the indexes on request, and recounts.
    fileprivate func discard(
        _ sequences: [UInt64],
        in path: CollectionPath,
        _ rebuildsIndexes: Bool
    ) throws(StoreError) {
        let collection = try self.collection(path)
        var state = try state(of: collection)
        try withoutIndexes(of: collection.id) { () throws(StoreError) in
            guard let repair = try changing().damageRepair else { return }
            state = try repair.discard(
                sequences,
                in: collection.id,
                rebuildingIndexes: rebuildsIndexes
            )
        }
        noteTreeChange()
        setState(state, of: collection)
        collection.hasNewState = true
        collection.mayRepeat = true
    }

    fileprivate func discardDamagedValues() throws(StoreError) {
        try changing().damageRepair?.discardDamagedValues()
        noteTreeChange()
    }
}

extension BlobStore {
    /// Stores a blob again from another store, replacing whatever is here.
    ///
    /// - Throws: `blobMismatch` if the other store's was altered, and the system's error; what is here is
    ///   then kept.
    @_spi(Database) public func replace(
        _ digest: BlobDigest,
        from source: BlobStore
    ) throws(StoreError) {
        let (reader, writer) = (try source.reader(digest), try writer())
        while true {
            let piece = try reader.read(upTo: StoreLimits.blobPieceByteCount)
            if piece.isEmpty { break }
            try writer.append(piece)
        }
        _ = try writer.finishHeld(expected: digest, replacing: true)
    }
}
