internal import DivanJSON
public import DivanRevisions

/// Checks everything that is stored, and records what is not as it was written.
final class Inspector {
    private(set) var inspection = Inspection()
    private var named: [BlobDigest: Damage.DocumentName] = [:]
    // Belongs to the collection that is being checked.
    private var liveCount = 0
    private var lastSequence: UInt64 = 0
    private var hasDamage = false

    private func add(_ part: Damage.Part, _ detail: String) {
        inspection.damages.append(Damage(part, detail))
    }

    /// Runs a part of the inspection; if the file itself is damaged, that part ends there.
    func note(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StoreError {
            guard error.isDamage else { throw error }
            add(.structure, error.problem)
        }
    }

    // MARK: Rows

    func inspectRows(_ reader: StoreReader) throws {
        for sentence in try reader.current().damageReading.damagedValues() {
            add(.values, sentence)
        }
        for path in try reader.collections() {
            let collection = try reader.collection(path)
            (liveCount, lastSequence, hasDamage) = (0, 0, false)
            try reader.current().forEachRow(in: collection.id) { result in
                try LongWork.check(at: "")
                try self.inspect(result, in: collection, reader)
            }
            // If a document is damaged its flags may be, too, and counts prove nothing.
            let state = try reader.state(of: collection)
            if !hasDamage, liveCount != state.liveCount || lastSequence > state.lastSequence {
                add(.values, "wrong counters of collection \(path)")
            }
        }
    }

    private func inspect(
        _ result: Result<DocumentRow, StoreError>,
        in collection: StoreReader.OpenCollection,
        _ reader: StoreReader
    ) throws {
        let failure: StoreError
        switch result {
        case .success(let row):
            lastSequence = row.sequence
            let isLive = !row.flags.contains(.tombstone)
            if isLive { liveCount += 1 }
            guard let problem = try problem(of: row, in: collection, reader) else {
                if isLive { inspection.documentCount += 1 }
                return
            }
            failure = problem
        case .failure(let error):
            failure = error
        }
        guard case .damagedDocument(let documentID, let detail) = failure.code else {
            throw failure
        }
        hasDamage = true
        add(.document(collection.path, documentID: documentID), detail)
    }

    /// What is wrong with a row whose checksum is correct; records the blobs that it refers to.
    private func problem(
        of row: DocumentRow,
        in collection: StoreReader.OpenCollection,
        _ reader: StoreReader
    ) throws -> StoreError? {
        do {
            let history = try reader.soundHistory(of: row, in: collection)
            guard row.mayNameBlobs else { return nil }
            let name = Damage.DocumentName(row.documentID, in: collection.path)
            for digest in try history.blobDigests() { named[digest] = named[digest] ?? name }
            return nil
        } catch let error as JSONError {
            return row.damaged("a body is not JSON: \(error)")
        } catch let error as StoreError {
            return error
        }
    }

    // MARK: Blobs

    /// The blobs that documents refer to.
    var namedBlobs: Set<BlobDigest> { Set(named.keys) }

    /// Reads every blob; those that were never fetched need not be here.
    ///
    /// A compaction may remove some in the meantime: `usedBlobs` returns those that documents refer to
    /// then, `nil` if that is unknown.
    func inspectBlobs(
        _ blobs: BlobStore,
        absent: Set<BlobDigest>,
        usedBlobs: () -> Set<BlobDigest>?
    ) throws {
        var missing = named.filter { !absent.contains($0.key) }
        for digest in try blobs.storage.contents().digests {
            missing[digest] = nil
            let name = named[digest]
            switch Result(catching: { try blobs.reader(digest).digest() == digest }) {
            case .success(true): if name != nil { inspection.blobCount += 1 }
            case .success(false): add(.blob(digest, namedBy: name), "checksum mismatch")
            case .failure(let error as StoreError) where error.code == .noSuchBlob(digest):
                missing[digest] = name
            case .failure(let error): add(.blob(digest, namedBy: name), "cannot be read: \(error)")
            }
        }
        guard !missing.isEmpty else { return }
        let used = usedBlobs()
        for (digest, name) in missing
        where used?.contains(digest) ?? true && !blobs.contains(digest) {
            add(.blob(digest, namedBy: name), "missing")
        }
    }
}

extension StoreReader {
    /// The history of a whole row whose body is a JSON object.
    ///
    /// - Throws: `damagedDocument` for any other row.
    @_spi(Database) public func soundHistory(
        of row: DocumentRow,
        in collection: OpenCollection
    ) throws(StoreError) -> any RevisionHistory {
        let summary: JSONSummary
        do throws(JSONError) {
            summary = try JSONScanner.validate(
                row.body.span,
                limits: StorageLimits.bodyText,
                checksSpelling: false
            )
        } catch {
            throw row.damaged("a body is not JSON: \(error)")
        }
        guard summary.kind == .object else { throw row.damaged("its body is not a JSON object") }
        return try history(of: row, in: collection)
    }
}

extension RevisionHistory {
    /// The blobs that its bodies refer to.
    @_spi(Database) public func blobDigests() throws -> Set<BlobDigest> {
        var digests: Set<BlobDigest> = []
        for body in revisionsWithBody.compactMap(\.body) {
            digests.formUnion(try BlobReferences.digests(in: body))
        }
        return digests
    }
}

extension DocumentRow {
    fileprivate func damaged(_ detail: String) -> StoreError {
        StoreError(.damagedDocument(documentID: documentID, detail))
    }
}
