internal import DivanJSON
import DivanPlatform
internal import DivanRevisions
internal import DivanSQLiteEngine
@_spi(Database) internal import DivanStore

/// Carries the intact parts of one state of a damaged database into a new one.
struct SalvageCopier {
    private let reader: StoreReader
    private let blobs: BlobStore
    private let target: Store
    private(set) var salvage = Salvage()
    private var batch: [(row: DocumentRow, history: any RevisionHistory)] = []
    private var looked: Set<BlobDigest> = []
    // Belongs to the collection that is being carried over.
    private var sequence: UInt64 = 0
    private var kept: Set<DocumentID> = []

    /// Documents of one transaction.
    private static let batchCount = 1_000

    init(
        from reader: StoreReader,
        _ blobs: BlobStore,
        to target: Store,
        _ losses: [String]
    ) {
        self.reader = reader
        self.blobs = blobs
        self.target = target
        salvage.losses = losses
    }

    mutating func noteLoss(_ line: String) {
        salvage.losses.append(line)
    }

    mutating func carry() throws {
        let snapshot = try reader.current()
        try copyValues(snapshot)
        var taken: Set<CollectionPath> = []
        for (id, path) in try snapshot.damageReading.readableCollections() {
            taken.insert(path)
            try carry(id, as: path, snapshot)
        }
        for id in try snapshot.damageReading.namelessCollections() {
            let path = Self.path(for: id, besides: taken)
            taken.insert(path)
            try carry(id, as: path, snapshot)
            guard path != .default else { continue }
            salvage.knowsCollections = false
            noteLoss("the name of a collection; its documents are now in \(path)")
        }
    }

    /// A name for a collection whose own is lost; the first collection of every database is the default one.
    private static func path(
        for id: CollectionID,
        besides taken: Set<CollectionPath>
    ) -> CollectionPath {
        if id.rawValue == 1, !taken.contains(.default) { return .default }
        var name = "recovered_\(id.rawValue)"
        while true {
            if let path = CollectionPath(name), !taken.contains(path) { return path }
            name += "_"
        }
    }

    /// Carries a collection over; if its table is damaged, that affects no other one.
    private mutating func carry(
        _ id: CollectionID,
        as path: CollectionPath,
        _ snapshot: any StorageSnapshot
    ) throws {
        try target.createCollection(path)
        let collection = try reader.salvagedCollection(id, as: path)
        sequence = 0
        kept = []
        try copyPacking(of: id, path, snapshot)
        do {
            try copyRows(of: collection, snapshot)
        } catch let error as StoreError where error.isDamage && error.isAbout(reader.path) {
            try store(in: path)
            noteLoss("reading \(path) ended early: \(error.problem)")
        }
        for record in (try? snapshot.indexRecords(of: id)) ?? [] {
            salvage.indexes.append((path, record.stored))
        }
    }

    private mutating func copyRows(
        of collection: StoreReader.OpenCollection,
        _ snapshot: any StorageSnapshot
    ) throws {
        let path = collection.path
        var left: [UnrecoveredDocument] = []
        let leave = { (id: DocumentID, revisionID: RevisionID?, error: StoreError) in
            left.append(UnrecoveredDocument(path, id, revisionID, error.problem))
        }
        let leaveRow = { (row: DamagedRow, error: StoreError) in
            leave(row.documentID, row.revisionID, error)
        }
        var liveCount = 0
        let reach = try snapshot.damageReading.forEachReadableRow(
            in: collection.id,
            leaving: leaveRow
        ) {
            row in
            let history: any RevisionHistory
            do throws(StoreError) {
                history = try reader.soundHistory(of: row, in: collection)
            } catch {
                // With the codec it would be readable.
                if case .unknownCodec = error.code { throw error }
                return leave(row.documentID, row.revisionID, error)
            }
            if row.mayNameBlobs { try carryBlobs(of: history) }
            // The counters count a document twice that occurs twice.
            if !row.flags.contains(.tombstone) { liveCount += 1 }
            let isSecond = !kept.insert(row.documentID).inserted
            if isSecond { try noteSecond(row, history, in: path) }
            batch.append((row, history))
            if batch.count >= Self.batchCount { try store(in: path) }
        }
        try store(in: path)
        left.removeAll { $0.revisionID == nil && kept.contains($0.documentID) }
        salvage.left += left
        noteNameless(reach, liveCount, left, in: path)
    }

    /// Records how many documents must have existed that nothing names.
    private mutating func noteNameless(
        _ reach: RowScanResult,
        _ liveCount: Int,
        _ left: [UnrecoveredDocument],
        in path: CollectionPath
    ) {
        let count = reach.liveCount.map { $0 - liveCount - left.count }
        guard count.map({ $0 > 0 }) ?? !reach.namesAll else { return }
        salvage.nameless.append(
            UnidentifiedDocuments(
                collection: path,
                count: count,
                known: kept.union(left.map(\.documentID)),
                lastSequence: sequence
            )
        )
    }

    /// Reports what is dropped if a document occurs twice, which a damaged index of IDs can cause: the row
    /// that was stored later replaces the other.
    private mutating func noteSecond(
        _ row: DocumentRow,
        _ history: any RevisionHistory,
        in path: CollectionPath
    ) throws {
        try store(in: path)
        let first = try target.read { reader in
            try reader.document(row.documentID, in: path, includingTombstones: true)
        }
        guard let first, history[first.revisionID] == nil else { return }
        noteLoss(
            "revision \(first.revisionID) of document \(row.documentID) of \(path): "
                + "the document was stored twice; the later revision \(row.revisionID) is kept"
        )
    }

    /// What is stored in addition to the documents, and no peer has.
    private func copyValues(_ snapshot: any StorageSnapshot) throws {
        try target.write { writer in
            for (name, number) in try snapshot.damageReading.readableValues(in: .remotes) {
                guard let id = try? reader.remoteID(number) else { continue }
                try writer.importRemote(name, as: id)
            }
            // Cookies, and which blobs were left at a peer.
            for (key, value) in try snapshot.damageReading.readableValues(in: .metadata) {
                try writer.setMetadata(key, value)
            }
        }
    }

    /// Bodies are packed in the new database as in the old one, if that setting can be read.
    private func copyPacking(
        of id: CollectionID,
        _ path: CollectionPath,
        _ snapshot: any StorageSnapshot
    ) throws {
        let values = try snapshot.damageReading.readableValues(in: .packing)
        guard let value = values.first(where: { $0.key == PackedCollection.key(id) })?.value,
            let codec = PackedCollection(value)?.codec
        else { return }
        try target.write { try $0.packBodies(of: path, with: codec) }
    }

    private mutating func store(in path: CollectionPath) throws {
        try LongWork.check(at: "")
        try target.write { writer in
            for (row, history) in batch {
                sequence += 1
                let isNew = try writer.importDocument(
                    row.documentID,
                    sequence: sequence,
                    history: history,
                    expiration: row.expiration,
                    in: path
                )
                if isNew { salvage.documentCount += 1 }
            }
        }
        batch = []
    }

    /// Copies the blobs that can be read and match their digest; the others must come from a peer.
    private mutating func carryBlobs(of history: any RevisionHistory) throws {
        let digests: [BlobDigest]
        do {
            digests = Array(try history.blobDigests())
        } catch let error as JSONError {
            return noteLoss("the blobs of an old revision: \(error)")
        }
        for digest in digests where looked.insert(digest).inserted {
            guard blobs.contains(digest) else { continue }
            do throws(StoreError) {
                try target.blobs.replace(digest, from: blobs)
            } catch  where isLoss(error) {
                salvage.lostBlobs.append(digest)
            } catch {
                guard case .blobMismatch = error.code else { throw error }
            }
        }
    }

    /// Whether an error is about a blob in the damaged database, not about the new one.
    private func isLoss(_ error: StoreError) -> Bool {
        guard let directory = blobs.directory, error.path.utf8.starts(with: directory.utf8) else {
            return false
        }
        switch error.code {
        case .io(Errno.ioError.rawValue), .noSuchBlob: return true
        default: return error.isDamage
        }
    }
}
