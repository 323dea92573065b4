internal import DivanJSON
internal import DivanLog
import DivanPlatform
internal import DivanRevisions

// MARK: Expiry

extension Store {
    /// Purges every document that expires at or before `now`, in milliseconds since 1970.
    ///
    /// Observers are notified; purges are not replicated. Returns the number of purged documents. A document that
    /// cannot be purged because of damage does not prevent others from being purged.
    ///
    /// Source: `behaviour.md` §5.
    @discardableResult
    public func purgeExpired(now: Int64) throws -> Int {
        guard let next = try nextExpiration(), next <= now else { return 0 }
        var count = 0
        for path in try collections() {
            do {
                count += try purgeExpired(in: path, now: now)
            } catch let error as StoreError where error.isCorrupt {
                count += try purgeExpiredOneByOne(in: path, now: now)
            }
        }
        return count
    }

    private func purgeExpired(in path: CollectionPath, now: Int64) throws -> Int {
        let batch = 1_000  // one transaction each, so that other writers get in between
        var count = 0
        while true {
            let (found, purged) = try write { writer in
                guard try writer.hasCollection(path) else { return (0, 0) }
                let expired = try writer.expired(in: path, by: now, limit: batch)
                // A row whose name is damaged is not found by it.
                let purged = try expired.count { try writer.purge($0, in: path) }
                return (expired.count, purged)
            }
            count += purged
            if found < batch || purged == 0 { return count }
        }
    }

    /// Each in a transaction of its own: damage in an index rolls back that of the document in question.
    private func purgeExpiredOneByOne(in path: CollectionPath, now: Int64) throws -> Int {
        let expired = try read { reader in
            try reader.hasCollection(path) ? reader.expired(in: path, by: now, limit: .max) : []
        }
        return try expired.count { documentID in
            do {
                return try write { writer in
                    try writer.hasCollection(path) && writer.purge(documentID, in: path)
                }
            } catch let error as StoreError where error.isCorrupt {
                StoreLog.database.warning(
                    "Cannot purge expired document \(user: documentID): \(error)"
                )
                return false
            }
        }
    }

    /// The number of documents that `purgeExpired` would purge; `now` is in milliseconds since 1970.
    public func expiredCount(now: Int64) throws -> Int {
        try read { reader in
            try reader.collections().reduce(0) { count, path in
                try count + reader.expired(in: path, by: now, limit: .max).count
            }
        }
    }

    /// When the next document of any collection expires, in milliseconds since 1970.
    public func nextExpiration() throws -> Int64? {
        try read { try $0.nextExpiration() }
    }
}

extension StoreReader {
    func expired(
        in collection: CollectionPath,
        by time: Int64,
        limit: Int
    ) throws(StoreError) -> [DocumentID] {
        let collection = try self.collection(collection)
        return try current().expiredDocumentIDs(in: collection.id, by: time, limit: limit)
    }

    /// When the next document of any collection expires, in milliseconds since 1970.
    public func nextExpiration() throws(StoreError) -> Int64? {
        var first: Int64?
        for path in try collections() {
            guard let time = try nextExpiration(in: path) else { continue }
            first = min(first ?? time, time)
        }
        return first
    }

    func nextExpiration(in collection: CollectionPath) throws(StoreError) -> Int64? {
        let collection = try self.collection(collection)
        return try current().nextExpiration(in: collection.id)
    }
}

// MARK: Maintenance

extension Store {
    /// Removes blobs that no stored revision references and that are not held, and shrinks the file.
    ///
    /// If damage hides the references of a document, no blob is removed (`BlobStore.Collection.obstacle`), but the
    /// file is still rewritten. A file with inconsistent pages is not changed, because hidden rows and their blobs
    /// would be lost.
    ///
    /// Writers wait in the meantime. Needs as much free space as the data takes. Not inside `write`.
    ///
    /// - Returns: The removed blobs, and unknown files, which are worth a warning.
    /// - Throws: `StoreError.Code.corrupt` for such a file; I/O errors.
    ///
    /// Source: `blobs.md` §2, `behaviour.md` §18.
    @discardableResult
    public func compact() throws -> BlobStore.Collection {
        try outsideWrites {
            // A blob must not be removed before the commit that gave it up is safe: the document
            // would come back without it.
            try engine.makeDurable()
            try engine.file?.checkPages()
            let collection = try collectGarbage()
            if let obstacle = collection.obstacle {
                StoreLog.database.warning("Compaction removes no blobs: \(obstacle)")
            }
            try engine.file?.compact()
            return collection
        }
    }

    /// Makes everything visible in earlier snapshots survive a power failure, regardless of which process wrote it.
    ///
    /// Call it before passing on a sequence: otherwise a power failure may undo the latest commits, and their
    /// sequences are then reused.
    public func syncCommits() throws(StoreError) {
        try place?.syncCommits()
    }

    /// The blobs that `compact()` would remove; changes nothing.
    public func garbage() throws -> BlobStore.Collection {
        try collectGarbage(onlyCounting: true)
    }

    /// Checks that the pages with which documents are found are consistent.
    ///
    /// Reads the whole file; for callers that treat missing documents as deleted.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found.
    public func checkPages() throws(StoreError) { try engine.file?.checkPages() }

    private func collectGarbage(onlyCounting: Bool = false) throws -> BlobStore.Collection {
        // In this order: what arrives in the meantime is not in the list, or is found to be in use.
        let contents = try blobs.storage.contents()
        let used: Set<BlobDigest>
        do {
            used = try read { try $0.usedBlobs() }
        } catch let error as StoreError where error.isDamageOfOneDocument {
            // Better no collection than one that removes a blob in use.
            return BlobStore.Collection(unknownNames: contents.unknownNames, obstacle: error)
        }
        if !onlyCounting { try forgetAbsentBlobs(keeping: used) }
        return try blobs.collectGarbage(among: contents, keeping: used, onlyCounting: onlyCounting)
    }

    /// Updates the statistics that speed up lookups; with `isThorough`, from all data instead of a sample.
    ///
    /// Not inside `write`: there it throws `busy`.
    public func optimize(isThorough: Bool = false) throws {
        try outsideWrites { try engine.file?.optimize(isThorough: isThorough) }
    }

    /// Runs what the engine does between two transactions.
    ///
    /// - Throws: `busy` inside `write`, whose end would leave readers with earlier states.
    @_spi(Database) public func outsideWrites<Output>(_ body: () throws -> Output) throws -> Output
    {
        guard !isWriting else {
            throw StoreError(.busy(.thisProcess(ownerCount: ownerCount)), at: directory ?? "")
        }
        return try writing.withLock(body)
    }
}

extension StoreReader {
    /// The digests in every body that is kept, including ancestors and branches in conflict.
    func usedBlobs() throws -> Set<BlobDigest> {
        var used: Set<BlobDigest> = []
        for path in try collections() {
            let collection = try collection(path)
            // Every row, since earlier versions left some unmarked whose documents have attachments, and
            // damage may have cleared the mark.
            try current().forEachRow(in: collection.id) { result in
                let row = try result.get()
                guard row.mayNameBlobs else { return }
                try addBlobs(of: row, in: collection, to: &used)
            }
        }
        return used
    }

    private func addBlobs(
        of row: DocumentRow,
        in collection: OpenCollection,
        to used: inout Set<BlobDigest>
    ) throws {
        do {
            used.formUnion(try history(of: row, in: collection).blobDigests())
        } catch let error as JSONError {
            let detail = "a body is not JSON: \(error)"
            throw StoreError(.damagedDocument(documentID: row.documentID, detail), at: path)
        }
    }
}

extension DocumentRow {
    /// Whether a revision may refer to blobs, even if the row is not marked.
    @_spi(Database) public var mayNameBlobs: Bool {
        flags.contains(.hasBlobs) || flags.contains(.conflicted) || BodyRules.mayNameBlobs(body)
    }
}
