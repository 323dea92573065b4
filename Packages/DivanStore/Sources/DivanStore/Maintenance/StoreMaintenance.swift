internal import DivanJSON
internal import DivanLog
internal import DivanRevisions

// MARK: Expiry

extension Store {
    /// Purges every document that expires at `now`, in milliseconds since 1970, or before.
    ///
    /// Observers are told; nothing replicates. Returns how many documents there were. One that damage keeps
    /// from being purged keeps no other, and stays.
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
                // A row whose name is damaged is not found under it.
                let purged = try expired.count { try writer.purge($0, in: path) }
                return (expired.count, purged)
            }
            count += purged
            if found < batch || purged == 0 { return count }
        }
    }

    /// Each in a transaction of its own: damage in an index undoes that of the document in question.
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
                StoreLog.database.warning("Document \(documentID) has expired, and stays: \(error)")
                return false
            }
        }
    }

    /// How many documents `purgeExpired` would purge; `now` is in milliseconds since 1970.
    public func expiredCount(now: Int64) throws -> Int {
        try read { reader in
            try reader.collections().reduce(0) { count, path in
                try count + reader.expired(in: path, by: now, limit: .max).count
            }
        }
    }

    /// When the next document of any collection expires, in milliseconds since 1970.
    public func nextExpiration() throws -> Int64? {
        try read { reader in
            var times: [Int64] = []
            for path in try reader.collections() {
                if let time = try reader.nextExpiration(in: path) { times.append(time) }
            }
            return times.min()
        }
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

    func nextExpiration(in collection: CollectionPath) throws(StoreError) -> Int64? {
        let collection = try self.collection(collection)
        return try current().nextExpiration(in: collection.id)
    }
}

// MARK: Maintenance

extension Store {
    /// Removes blobs that no kept revision names and nobody holds, and shrinks the file.
    ///
    /// Where damage hides what a document names, no blob is removed (`BlobStore.Collection.obstacle`); the
    /// file is written anew all the same. One whose pages do not fit together is left as it is: rows that
    /// are hidden would go, and their blobs.
    ///
    /// Writers wait meanwhile. Needs as much free space as the data takes. Not inside `write`.
    ///
    /// - Returns: What became of the blobs; unknown files beside them are worth a warning.
    /// - Throws: `StoreError.Code.corrupt` for such a file; what the disk reports.
    ///
    /// Source: `blobs.md` §2, `behaviour.md` §18.
    @discardableResult
    public func compact() throws -> BlobStore.Collection {
        try outsideWrites {
            // A blob must not go before the commit that gave it up is safe: the document would
            // come back without it.
            try engine.makeDurable()
            try engine.checkPages()
            let collection = try collectGarbage()
            if let obstacle = collection.obstacle {
                StoreLog.database.warning("No blob is removed in a compaction: \(obstacle)")
            }
            try engine.compact()
            return collection
        }
    }

    /// What `compact()` would remove now; nothing is changed.
    public func garbage() throws -> BlobStore.Collection {
        try collectGarbage(onlyCounting: true)
    }

    /// Looks whether the pages of the file fit together that documents are found by.
    ///
    /// Reads the whole file; for whoever takes what is not found for gone.
    ///
    /// - Throws: `StoreError.Code.corrupt` with the first damage found.
    public func checkPages() throws(StoreError) { try engine.checkPages() }

    private func collectGarbage(onlyCounting: Bool = false) throws -> BlobStore.Collection {
        // In this order: what comes meanwhile is not in the list, or is found to be in use.
        let contents = try blobs.shelf.contents()
        let used: Set<BlobDigest>
        do {
            used = try read { try $0.usedBlobs() }
        } catch let error as StoreError where error.isDamageOfOneDocument {
            // Rather no collection than one that takes a blob in use.
            return BlobStore.Collection(unknownNames: contents.unknownNames, obstacle: error)
        }
        if !onlyCounting { try forgetAbsentBlobs(keeping: used) }
        return try blobs.collectGarbage(among: contents, keeping: used, onlyCounting: onlyCounting)
    }

    /// Makes every index anew from the documents, a transaction for each collection, compares it with
    /// them, and renews what plans are chosen by.
    ///
    /// Writers wait meanwhile. Not inside `write`: there it throws `busy`.
    ///
    /// The index of document IDs is among them. Where a document stands twice, which damage in that lets
    /// happen, the one stored last stays; where pages of it cannot be read, the file is compacted afterwards.
    ///
    /// - Parameters:
    ///   - watch: Is told how far it is, and may stop it.
    ///   - removed: Is called with a sentence for each document that stood twice; the log has them, too.
    /// - Returns: How many indexes there are that a user made.
    /// - Throws: `corrupt` where an index is not what it should be even so; `CancellationError` where
    ///   `watch` stops it. That collection has then the indexes of before.
    @discardableResult
    public func reindex(
        watch: IndexWatch? = nil,
        noting removed: (String) -> Void = { _ in }
    ) throws -> Int {
        var (count, leavesPages) = (0, false)
        // Before anything is changed.
        try outsideWrites {}
        try read { reader in
            for path in try reader.collections() {
                watch?.expect(try reader.indexStatements(of: path).count)
            }
        }
        for path in try collections() {
            let repair = try write { writer in
                // One that was removed meanwhile has no indexes either.
                guard try writer.hasCollection(path) else { return NameRepair() }
                let repair = try writer.reindex(path, watch)
                count += try writer.indexes(in: path).count
                return repair
            }
            for row in repair.removed { removed(row.second(in: path)) }
            leavesPages = leavesPages || repair.leavesPages
        }
        if leavesPages { try outsideWrites { try engine.compact() } }
        try optimize(isThorough: true)
        return count
    }

    /// Renews what speeds up look-ups; `isThorough` looks at everything instead of a sample.
    ///
    /// Not inside `write`: there it throws `busy`.
    public func optimize(isThorough: Bool = false) throws {
        try outsideWrites { try engine.optimize(isThorough: isThorough) }
    }

    /// Runs what the engine does between two transactions.
    ///
    /// - Throws: `busy` inside `write`, whose end would leave readers with states from before it.
    func outsideWrites<Output>(_ body: () throws -> Output) throws -> Output {
        guard !isWriting else {
            throw StoreError(.busy(.thisProcess(ownerCount: ownerCount)), at: directory ?? "")
        }
        return try writing.withLock(body)
    }
}

extension StoreReader {
    /// The digests in every body that is kept, also of ancestors and branches in conflict.
    func usedBlobs() throws -> Set<BlobDigest> {
        var used: Set<BlobDigest> = []
        for path in try collections() {
            let collection = try collection(path)
            // Each row, for earlier versions left some unmarked whose documents have attachments, and damage
            // may have taken the mark.
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
            let detail = "a body is no JSON: \(error)"
            throw StoreError(.damagedDocument(documentID: row.documentID, detail), at: path)
        }
    }
}

extension DocumentRow {
    /// Whether a revision may name blobs, be the row marked or not.
    var mayNameBlobs: Bool {
        flags.contains(.hasBlobs) || flags.contains(.conflicted) || BodyRules.mayNameBlobs(body)
    }
}
