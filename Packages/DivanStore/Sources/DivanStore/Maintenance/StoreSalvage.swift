internal import CDivanStore
internal import DivanJSON
internal import DivanRevisions
internal import Glibc

/// What could still be read of a damaged database.
public struct Salvage: Equatable, Sendable {
    /// Documents that are whole, tombstones included.
    public internal(set) var documentCount = 0
    /// A line for each thing that the new database is known to lack, and that no peer has.
    public internal(set) var losses: [String] = []
    /// Documents that could be named, and not read.
    var left: [LeftDocument] = []
    /// Where the damaged database is now; empty as long as it is in its place.
    public internal(set) var oldDirectory = ""
}

/// A document that a salvage leaves behind, unless a peer has it.
struct LeftDocument: Equatable, Sendable {
    let collection: CollectionPath
    let documentID: DocumentID
    /// What was current here, if that can be read.
    let revisionID: RevisionID?
    let problem: String

    init(
        _ collection: CollectionPath,
        _ documentID: DocumentID,
        _ revisionID: RevisionID?,
        _ problem: String
    ) {
        self.collection = collection
        self.documentID = documentID
        self.revisionID = revisionID
        self.problem = problem
    }

    /// What is lost of it, now that all came that comes.
    func loss(in reader: StoreReader) throws(StoreError) -> String? {
        var history: (any RevisionHistory)?
        if try reader.hasCollection(collection) {
            history = try reader.revisions(of: documentID, in: collection)
        }
        guard let history else { return "document \(documentID) of \(collection): \(problem)" }
        guard let revisionID, history[revisionID] == nil else { return nil }
        return "revision \(revisionID) of document \(documentID) of \(collection): \(problem)"
    }
}

// A database whose pages or schema are damaged is not mended in place: what can be read is carried into
// a new one, which takes the old one's place when it is whole.
extension Store {
    /// Makes a database anew: out of what can be read of it, and of what `complete` adds.
    ///
    /// A plain file that cannot be opened since its first page is damaged, the one with the schema, is
    /// read page by page, from a copy that takes as much room as the file.
    ///
    /// The new one has other UUIDs, so replications compare everything once; documents keep their
    /// revisions and expirations. It takes the place of the old one in one step, which a crash leaves
    /// done or not begun. Whoever wants to open the database meanwhile waits, or is told that it is
    /// busy. Indexes are left out.
    ///
    /// - Parameters:
    ///   - directory: The database, readable or not.
    ///   - unfinished: Where the new one is made, beside the old one.
    ///   - place: The places where the old one may stand afterwards, by number, from 1; the first is
    ///     taken where nothing is.
    ///   - options: How the new one is made.
    ///   - complete: Opens the new one by itself, and closes it.
    /// - Returns: What was carried over.
    /// - Throws: `busy` while the database is open, `tooNew`, what `complete` throws, and what the
    ///   medium reports; everything is then as it was.
    public static func rebuild(
        directory: String,
        by unfinished: String,
        keepingOldAt place: (Int) -> String,
        options: StoreOptions,
        completing complete: (Salvage) throws -> Void
    ) throws -> Salvage {
        let files = try located(directory, create: false)
        let entry = StoreRegistry.shared.entry(for: files.directory)
        return try entry.lock.withLock {
            guard entry.ownerCount == 0 else {
                throw StoreError(.busy(.thisProcess(ownerCount: entry.ownerCount)), at: directory)
            }
            let lock = try BundleLock(at: files.lock, of: files.directory)
            return try withExtendedLifetime(lock) {
                try clear(unfinished, place)
                do {
                    var salvage = try salvage(files.directory, into: unfinished, options)
                    try complete(salvage)
                    try noteLosses(of: &salvage, in: unfinished, options)
                    try BundleFiles.removeFile(unfinished + marker)
                    do throws(StoreError) {
                        try exchange(files.directory, unfinished)
                    } catch {
                        // Not every file system can. Without the mark it would be taken for the old one.
                        try? BundleFiles.removeDirectory(unfinished)
                        throw error
                    }
                    salvage.oldDirectory = try moveAside(unfinished, place)
                    BundleFiles.syncName(of: files.directory)
                    return salvage
                } catch {
                    if BundleFiles.exists(unfinished + marker) {
                        try? BundleFiles.removeDirectory(unfinished)
                    }
                    throw error
                }
            }
        }
    }

    /// Looks which of the documents that were left behind have come from a peer.
    private static func noteLosses(
        of salvage: inout Salvage,
        in directory: String,
        _ options: StoreOptions
    ) throws {
        guard !salvage.left.isEmpty else { return }
        let store = try Store.open(directory: directory, options: options)
        defer { try? store.close() }
        salvage.losses += try store.read { reader in
            try salvage.left.compactMap { try $0.loss(in: reader) }
        }
    }

    /// Stands in a database for as long as it is being made.
    private static var marker: String { "/unfinished" }

    /// Where a file that cannot be opened is copied, to be read page by page.
    private static func pages(of unfinished: String) -> String { unfinished + ".pages" }

    /// Removes what a crash left half made; what has no mark is whole, or is the old database.
    private static func clear(
        _ unfinished: String,
        _ place: (Int) -> String
    ) throws(StoreError) {
        if BundleFiles.exists(pages(of: unfinished)) {
            try BundleFiles.removeDirectory(pages(of: unfinished))
        }
        guard BundleFiles.exists(unfinished) else { return }
        if BundleFiles.exists(unfinished + marker) {
            try BundleFiles.removeDirectory(unfinished)
        } else {
            _ = try moveAside(unfinished, place)
        }
    }

    private static func moveAside(
        _ path: String,
        _ place: (Int) -> String
    ) throws(StoreError) -> String {
        var number = 1
        while BundleFiles.exists(place(number)) { number += 1 }
        try BundleFiles.move(path, to: place(number))
        return place(number)
    }

    private static func exchange(_ one: String, _ other: String) throws(StoreError) {
        let number = divan_exchange(one, other)
        guard number == 0 else { throw .system(number, at: one) }
    }

    private static func salvage(
        _ directory: String,
        into target: String,
        _ options: StoreOptions
    ) throws -> Salvage {
        let (damaged, blobs, losses) = try openDamaged(directory, pages(of: target), options)
        defer {
            try? damaged?.close()
            try? BundleFiles.removeDirectory(pages(of: target))
        }
        let identity = ForeignIdentity(
            publicUUID: [],
            privateUUID: [],
            previousPrivateUUID: nil,
            scheme: damaged?.scheme ?? options.scheme ?? .trees
        )
        let fresh = try create(directory: target, replacing: identity, options: options)
        defer { try? fresh.close() }
        if let made = try BundleFiles.makeFile(target + marker) { BundleFiles.close(made) }
        guard let damaged else {
            return Salvage(losses: ["nothing of the file could be read: what no peer has is lost"])
        }
        return try damaged.read { reader in
            var cargo = Cargo(from: reader, blobs, to: fresh, losses)
            do {
                try cargo.carry()
            } catch let error as StoreError where error.isDamage && error.path == reader.path {
                cargo.noteLoss("reading the file ended early: \(error.problem)")
            }
            return cargo.salvage
        }
    }

    /// Opens what can be read of a database: as it is, or a copy with a page that was made anew; and its blobs.
    private static func openDamaged(
        _ directory: String,
        _ copied: String,
        _ options: StoreOptions
    ) throws -> (store: Store?, blobs: BlobStore, losses: [String]) {
        let files = BundleFiles(directory: directory)
        var reading = options
        (reading.create, reading.readOnly) = (false, true)
        do throws(StoreError) {
            let found = try open(directory: directory, options: reading)
            let (whole, _) = try openRemade(at: copied, options) { path throws(StoreError) in
                try SQLiteTreeTop.remake(files.database, at: path) ? [] : nil
            }
            return (whole ?? found, found.blobs, [])
        } catch {
            // Another key reads nothing either, and must not cost a database that is whole.
            guard error.isDamage, options.sealing == nil || !error.isNoDatabase else { throw error }
        }
        let (store, losses) = try openRemade(at: copied, options) { path throws(StoreError) in
            try SQLiteFirstPage.remake(files.database, at: path)
        }
        let blobs = try BlobDirectory(files.blobs, isReadOnly: true, syncsDirectory: false)
        return (store, BlobStore(blobs), losses)
    }

    /// Opens a copy of a damaged file to which `remake` has given a page that cannot be read, as far as the
    /// others tell what stood on it; no store where it need not or cannot.
    private static func openRemade(
        at directory: String,
        _ options: StoreOptions,
        _ remake: (_ path: String) throws(StoreError) -> [String]?
    ) throws(StoreError) -> (store: Store?, losses: [String]) {
        guard options.sealing == nil else { return (nil, []) }
        do throws(StoreError) {
            try BundleFiles.makeDirectory(directory)
            guard let losses = try remake(BundleFiles(directory: directory).database) else {
                return (nil, [])
            }
            let options = StoreOptions(
                create: false,
                archive: options.archive,
                packing: options.packing
            )
            return (try open(directory: directory, options: options), losses)
        } catch {
            guard error.isDamage else { throw error }
            return (nil, [])
        }
    }
}

/// Carries what is whole from one state of a damaged database into a new one.
private struct Cargo {
    private let reader: StoreReader
    private let blobs: BlobStore
    private let target: Store
    private(set) var salvage = Salvage()
    private var batch: [(row: DocumentRow, history: any RevisionHistory)] = []
    private var looked: Set<BlobDigest> = []
    private var sequence: UInt64 = 0

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
        try carryValues(snapshot)
        for (id, path) in try snapshot.readableCollections() {
            try target.createCollection(path)
            let collection = StoreReader.OpenCollection(path: path, id: id)
            // What remotes have need not be known, and must cost no document where it is damaged.
            collection.known =
                try snapshot.readableValues(in: .knownSequences)
                .first { $0.key.utf8.elementsEqual(collection.key.utf8) }
                .flatMap { KnownSequences(encoded: $0.value) } ?? KnownSequences()
            sequence = 0
            try carryPacking(of: id, path, snapshot)
            var left: [LeftDocument] = []
            let leave = { (id: DocumentID, revisionID: RevisionID?, error: StoreError) in
                left.append(LeftDocument(path, id, revisionID, error.problem))
            }
            let leaveRow = { (row: DamagedRow, error: StoreError) in
                leave(row.documentID, row.revisionID, error)
            }
            try snapshot.forEachReadableRow(in: id, leaving: leaveRow) { row in
                let history: any RevisionHistory
                do throws(StoreError) {
                    history = try reader.soundHistory(of: row, in: collection)
                } catch {
                    // With the codec it could be read.
                    if case .unknownCodec = error.code { throw error }
                    return leave(row.documentID, row.revisionID, error)
                }
                if row.mayNameBlobs { try carryBlobs(of: history) }
                batch.append((row, history))
                if batch.count >= Self.batchCount { try store(in: path) }
            }
            try store(in: path)
            salvage.left += left
            for record in (try? snapshot.indexRecords(of: id)) ?? [] {
                noteLoss("index \(record.name.text) of \(path): make it again")
            }
        }
    }

    /// What stands beside the documents, and no peer has.
    private func carryValues(_ snapshot: any StorageSnapshot) throws {
        try target.write { writer in
            for (name, number) in try snapshot.readableValues(in: .remotes) {
                guard let id = try? reader.remoteID(number) else { continue }
                try writer.importRemote(name, as: id)
            }
            // Cookies, and which blobs were left at a peer.
            for (key, value) in try snapshot.readableValues(in: .metadata) {
                try writer.setMetadata(key, value)
            }
        }
    }

    /// Bodies are packed in the new database as they were in the old one, if that can be read.
    private func carryPacking(
        of id: CollectionID,
        _ path: CollectionPath,
        _ snapshot: any StorageSnapshot
    ) throws {
        let values = try snapshot.readableValues(in: .packing)
        guard let value = values.first(where: { $0.key == PackedCollection.key(id) })?.value,
            let codec = PackedCollection(value)?.codec
        else { return }
        try target.write { try $0.packBodies(of: path, with: codec) }
    }

    private mutating func store(in path: CollectionPath) throws {
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

    /// Brings the contents that can be read and are what their digest says; the others must come from a
    /// peer.
    private mutating func carryBlobs(of history: any RevisionHistory) throws {
        let digests: [BlobDigest]
        do {
            digests = Array(try history.blobDigests())
        } catch let error as JSONError {
            return noteLoss("what contents an old revision names: \(error)")
        }
        for digest in digests where looked.insert(digest).inserted {
            guard blobs.contains(digest) else { continue }
            do throws(StoreError) {
                try target.blobs.replace(digest, from: blobs)
            } catch  where isLoss(error) {
                noteLoss("the content \(digest) cannot be read")
            } catch {
                guard case .blobMismatch = error.code else { throw error }
            }
        }
    }

    /// Whether an error is about what the damaged database has of a content, not about the new one.
    private func isLoss(_ error: StoreError) -> Bool {
        guard let directory = blobs.directory, error.path.utf8.starts(with: directory.utf8) else {
            return false
        }
        switch error.code {
        case .io(EIO), .noSuchBlob: return true
        default: return error.isDamage
        }
    }
}
