@_spi(Stores) public import CouchbaseLiteSwift
import DivanCrypto
public import DivanDatabase
import DivanJSON
import DivanRevisions

/// Writes a dump: one state of a database with all known revisions, or what has changed since another dump.
///
/// ``DumpRestoration`` recreates the database; `Docs/formats/dump.md` describes the format. A blob comes before the
/// first document that refers to it, so that readers need not go back.
public struct DumpWriter {
    private let store: Store
    private let output: DumpOutput
    private let progress: ProgressHandler
    private var total = 0
    private var remotes: [RemoteID] = []
    private var written: Set<BlobDigest> = []
    private var standing: [CollectionPath: String] = [:]

    /// Documents written.
    public private(set) var documentCount = 0
    /// Blobs written.
    public private(set) var blobCount = 0
    /// Digests of blobs that documents refer to and that are neither here nor at a peer.
    public private(set) var missingBlobs: [BlobDigest] = []
    /// Digests of blobs whose content has changed, and which are left out.
    public private(set) var alteredBlobs: [BlobDigest] = []
    /// What is wrong with the file's pages, which may hide documents; `nil` if they are sound.
    public private(set) var hidingDamage: String?
    /// Whether a document is not found by its ID, or is found twice.
    public private(set) var hasDamagedIndex = false
    /// Documents that cannot be read, and are left out.
    public private(set) var damaged = DamagedDocuments()

    /// Bytes written.
    public var byteCount: UInt64 { output.byteCount }

    /// Prepares to dump an open database, which may be in use.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - sink: Receives the dump.
    ///   - progress: Is called for each line.
    /// - Throws: `CBLError.notOpen`.
    public init(
        _ database: Database,
        to sink: @escaping ByteSink,
        progress: @escaping ProgressHandler = { _ in }
    ) throws {
        self.init(try database.openStore(), to: sink, progress: progress)
    }

    /// Prepares to dump an open store.
    public init(
        _ store: Store,
        to sink: @escaping ByteSink,
        progress: @escaping ProgressHandler = { _ in }
    ) {
        self.store = store
        output = DumpOutput(to: sink)
        self.progress = progress
    }

    /// Writes the dump; call it once.
    ///
    /// - Parameter former: The end of the dump that this one continues; `nil` to write everything.
    /// - Throws: `ExchangeError` with `notContinuable` if the database is not that of the previous dump, with
    ///   `damagedDatabase`, `damagedDocument` or `undumpable`; `StoreError`; errors of the sink and the progress
    ///   handler.
    public mutating func write(since former: DumpEnd? = nil) throws {
        try checkPages(isIncrement: former != nil)
        try store.read { reader in
            let uuid = store.publicUUID
            let database = Hex.encode(uuid.span)
            let paths = try reader.collections()
            total = try paths.reduce(0) { try $0 + reader.count(in: $1) }
            if let former {
                try Self.check(former, database, store.scheme, reader)
                for path in paths {
                    try Self.checkChanges(in: path, after: former.sequences[path] ?? 0, reader)
                }
            }
            let head = DumpHead(
                database: database,
                scheme: store.scheme,
                since: former?.sequences,
                migrations: try reader.migrations()
            )
            try write(.head(head))
            for remote in try reader.remotes() {
                remotes.append(remote.id)
                try write(.remote(remote.id, name: remote.name))
            }
            for path in paths {
                // The contents of a damaged index are unknown.
                let indexes = try reader.indexes(in: path).map(\.dumped)
                try write(.collection(path, indexes: indexes))
            }
            if let former { try writeBlobs(lackingIn: former, paths, reader) }
            for path in paths { try write(path, since: former, reader) }
            // The next dump counts on the numbers of this one.
            try store.syncCommits()
            let end = DumpEnd(
                database: database,
                scheme: store.scheme,
                sequences: try reader.lastSequences(),
                documentCount: documentCount,
                blobCount: blobCount,
                standing: standing,
                lacking: Array(
                    (missingBlobs + alteredBlobs).sorted().prefix(ExchangeLimits.missingBlobCount)
                )
            )
            try output.write(end)
        }
    }

    /// Refuses to continue from a dump that does not precede what is here.
    private static func check(
        _ former: DumpEnd,
        _ database: String,
        _ scheme: DivanRevisions.RevisionScheme,
        _ reader: StoreReader
    ) throws {
        guard former.database == database else {
            throw ExchangeError.notContinuable("the dump is of a different database")
        }
        guard former.scheme == scheme else {
            throw ExchangeError.notContinuable("the dump was made before the database was upgraded")
        }
        guard former.lacking.count < ExchangeLimits.missingBlobCount else {
            throw ExchangeError.notContinuable("the dump is missing too many blobs")
        }
        for (path, sequence) in former.sequences where try reader.hasCollection(path) {
            guard try reader.lastSequence(in: path) >= sequence else {
                throw ExchangeError.notContinuable(
                    "collection \(path) was recreated after the dump"
                )
            }
        }
    }

    private mutating func checkPages(isIncrement: Bool) throws {
        do throws(StoreError) {
            try store.checkPages()
        } catch {
            guard case .corrupt(let finding) = error.code else { throw error }
            guard !isIncrement else {
                throw ExchangeError(
                    .damagedDatabase,
                    "the file is damaged (\(finding)): unreadable documents would be dumped as "
                        + "purged",
                    remedy: "restore them from a peer or a copy"
                )
            }
            hidingDamage = finding
        }
    }

    /// Refuses changes that cannot be read, before anything is written: the previous dump's version of such
    /// a document would count as purged.
    private static func checkChanges(
        in path: CollectionPath,
        after sequence: UInt64,
        _ reader: StoreReader
    ) throws {
        let refuse: (DocumentID) throws -> Void = { documentID in
            throw ExchangeError(
                .damagedDocument,
                at: "\(path.wireName)/\(documentID)",
                "damaged since the previous dump",
                remedy: "restore it from a peer or a copy"
            )
        }
        try reader.forEachHistory(in: path, after: sequence, damaged: refuse) { _, _, _ in }
    }

    /// Writes what has changed in a collection; and which documents are unchanged, unless all of them are.
    private mutating func write(
        _ path: CollectionPath,
        since former: DumpEnd?,
        _ reader: StoreReader
    ) throws {
        let sequence = former?.sequences[path] ?? 0
        var digest = SequenceDigest()
        try reader.forEachPlace(in: path, through: sequence) {
            digest.take(sequence: $0.sequence, expiration: $0.expiration)
        }
        let isAllThere = sequence == 0 || former?.standing[path] == digest.text
        try writeChanges(in: path, after: sequence, &digest, reader)
        if !isAllThere { try writeStanding(in: path, through: sequence, reader) }
        standing[path] = digest.text
    }

    private func writeStanding(
        in path: CollectionPath,
        through sequence: UInt64,
        _ reader: StoreReader
    ) throws {
        var line = UnchangedDocuments(collection: path, through: 0)
        try reader.forEachPlace(in: path, through: sequence) { place in
            if line.isFull {
                try write(.standing(line))
                line = UnchangedDocuments(collection: path, through: 0)
            }
            line.take(place)
        }
        line.through = sequence
        try write(.standing(line))
    }

    private mutating func writeChanges(
        in path: CollectionPath,
        after sequence: UInt64,
        _ digest: inout SequenceDigest,
        _ reader: StoreReader
    ) throws {
        try reader.forEachHistory(in: path, after: sequence) {
            damaged.add($0.text, in: path.wireName)
        } _: { document, history, expiration in
            digest.take(sequence: document.sequence, expiration: expiration)
            let id = document.documentID
            if try !reader.isIndexed(id, in: path, at: document.sequence) { hasDamagedIndex = true }
            do {
                if document.mayNameBlobs { try writeBlobs(of: history, reader) }
                let dumped = DumpedDocument(
                    documentID: document.documentID,
                    collection: path,
                    sequence: document.sequence,
                    expiration: expiration,
                    revisions: try DumpedHistory.revisions(of: history, remotes: remotes)
                )
                try write(.document(dumped))
            } catch let damage as DumpDamage {
                throw ExchangeError(
                    .undumpable,
                    at: "\(path.wireName)/\(document.documentID)",
                    damage.problem,
                    remedy: damage.hint
                )
            }
            documentCount += 1
        }
    }

    private func write(_ line: DumpLine) throws {
        try progress(
            ExchangeProgress(
                documentCount: documentCount,
                totalCount: max(total, documentCount),
                byteCount: output.byteCount
            )
        )
        try output.write(line)
    }

    // MARK: Blobs

    private mutating func writeBlobs(
        of history: any RevisionHistory,
        _ reader: StoreReader
    ) throws {
        // Sorted, so that equal databases produce equal dumps.
        for body in history.revisionsWithBody.compactMap(\.body) {
            for digest in try BlobReferences.digests(in: body).sorted() {
                try writeOnce(digest, reader)
            }
        }
    }

    /// Writes blobs that the previous sections lacked and that documents still refer to: the documents may not
    /// have changed when the blobs were restored.
    private mutating func writeBlobs(
        lackingIn former: DumpEnd,
        _ paths: [CollectionPath],
        _ reader: StoreReader
    ) throws {
        guard !former.lacking.isEmpty else { return }
        var named: Set<BlobDigest> = []
        for path in paths {
            try reader.forEachHistory(
                in: path,
                damaged: { _ in },
                { document, history, _ in
                    guard document.mayNameBlobs else { return }
                    for body in history.revisionsWithBody.compactMap(\.body) {
                        named.formUnion(try BlobReferences.digests(in: body))
                    }
                }
            )
        }
        for digest in former.lacking where named.contains(digest) {
            try writeOnce(digest, reader)
        }
    }

    private mutating func writeOnce(_ digest: BlobDigest, _ reader: StoreReader) throws {
        guard written.insert(digest).inserted else { return }
        if store.blobs.contains(digest) {
            if isSound(digest) { try write(digest) } else { alteredBlobs.append(digest) }
        } else if try reader.absentBlob(digest) != nil {
            try write(.absent(digest))
        } else {
            missingBlobs.append(digest)
        }
    }

    /// Whether a blob can be read and matches its digest: no database can be restored from any other.
    private func isSound(_ digest: BlobDigest) -> Bool {
        (try? store.blobs.reader(digest).digest()) == digest
    }

    private mutating func write(_ digest: BlobDigest) throws {
        let content = try store.blobs.reader(digest)
        var offset = 0
        repeat {
            var bytes: [UInt8] = []
            while bytes.count < ExchangeLimits.blobPieceByteCount {
                let wanted = ExchangeLimits.blobPieceByteCount - bytes.count
                let piece = try content.read(upTo: wanted)
                if piece.isEmpty { break }
                bytes += piece
            }
            guard !bytes.isEmpty || content.byteCount == 0 else {
                throw ExchangeError(
                    .damagedBlob,
                    at: "blob \(digest)",
                    "shorter than expected"
                )
            }
            let piece = BlobPiece(
                digest: digest,
                byteCount: content.byteCount,
                offset: offset,
                bytes: bytes
            )
            try write(.piece(piece))
            offset += bytes.count
        } while offset < content.byteCount
        blobCount += 1
    }
}

extension StoredIndex {
    fileprivate var dumped: DumpedIndex {
        DumpedIndex(
            name: name,
            kind: kind.rawValue,
            source: source,
            language: words?.language,
            ignoresAccents: words?.ignoresAccents ?? false
        )
    }
}
