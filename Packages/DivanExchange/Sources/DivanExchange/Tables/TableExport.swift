import DivanCrypto
public import DivanDatabase
import DivanJSON
import DivanRevisions
import Foundation

/// Writes documents to a plain SQLite database: a table for each collection.
///
/// A table has its collection's name (two that differ only in case are distinguished by a number),
/// and has `_id`, `_revision` and `_body`, the whole document as JSON,
/// then a column for each property that at least one in a hundred documents has. Anything that reads
/// SQLite can read it.
public struct TableExport {
    /// A property of fewer than one in this many documents gets no column.
    private static let share = 100
    /// Bytes of a value that SQLite accepts.
    private static let longestValue = 1_000_000_000
    /// Columns that each table has.
    private static let ownColumns = ["_id", "_revision", "_body"]

    private let file: TableFile
    private let blobs: BlobStore?
    private let progress: ProgressHandler
    private var written: Set<BlobDigest> = []
    private var names: Set<ExactText> = []

    /// Documents to write in all collections, for the progress; `nil` to count those of each collection when it is
    /// added.
    public var expectedCount: Int?
    /// Documents written.
    public private(set) var count = 0
    /// Properties that got no column.
    public private(set) var rareCount = 0
    /// Digests of blobs that documents refer to and that are neither here nor at a peer.
    public private(set) var missingBlobs: [BlobDigest] = []
    /// Blobs that are at a peer and not here, so that their content is not included.
    public private(set) var absentBlobCount = 0
    /// Documents that cannot be read, and were left out.
    public private(set) var damaged = DamagedDocuments()

    /// Creates an empty database.
    ///
    /// - Parameters:
    ///   - directory: Where the database is built, in a file without a name that needs as much space as the result;
    ///     the temporary directory if that is not possible.
    ///   - blobs: The blobs that are embedded, in a table of their own; none if it is `nil`.
    ///   - progress: Is called for each document, twice: the columns must be known first.
    /// - Throws: `ExchangeError` with `writing` or `sqlite`.
    public init(
        in directory: String,
        embedding blobs: BlobStore? = nil,
        progress: @escaping ProgressHandler = { _ in }
    ) throws {
        let other = FileManager.default.temporaryDirectory.path
        file = try (try? TableFile(in: directory)) ?? TableFile(in: other)
        self.blobs = blobs
        self.progress = progress
        guard blobs != nil else { return }
        try file.execute(
            "CREATE TABLE _blobs (digest TEXT PRIMARY KEY, length INTEGER, content BLOB)"
        )
    }

    /// Writes a collection; documents that have expired are left out.
    ///
    /// - Parameters:
    ///   - path: The collection.
    ///   - reader: The state of the database to write.
    ///   - living: Which documents have not expired.
    ///   - choice: The documents that are written, called twice; `nil` for all, in the order of IDs.
    /// - Throws: `ExchangeError` with `sqlite`, `writing`, `blobTooLarge` or `damagedBlob`; `StoreError`; errors of the
    ///   choice and the progress handler.
    public mutating func add(
        _ path: CollectionPath,
        of reader: StoreReader,
        among living: UnexpiredDocuments,
        choosing choice: DocumentChoice? = nil
    ) throws {
        var census = PropertyCensus()
        try reader.forEachObject(in: path, choosing: choice, among: living, &damaged) { _, body in
            try progress(ExchangeProgress(documentCount: count, totalCount: expectedCount))
            try census.count(body)
        }
        let columns = census.columns(
            besides: Self.ownColumns,
            oneOf: Self.share,
            limit: ExchangeLimits.tableColumnCount
        )
        rareCount += census.propertyCount - columns.count
        let table = name(for: path).quotedByDoubling
        let titles = columns.map { ", \($0.key.quotedByDoubling) \($0.kind.rawValue)" }.joined()
        try file.execute(
            "CREATE TABLE \(table) (_id TEXT PRIMARY KEY, _revision TEXT, _body TEXT\(titles))"
        )
        let marks = Array(repeating: "?", count: columns.count + 3).joined(separator: ",")
        let insertion = try file.prepare("INSERT INTO \(table) VALUES (\(marks))")
        let added = choice == nil ? try reader.count(in: path) : census.documentCount
        let total = expectedCount ?? count + added
        var known = DamagedDocuments()
        try reader.forEachObject(
            in: path,
            choosing: choice,
            among: living,
            &known
        ) { document, body in
            let own: [TableCell] = [
                .text(document.documentID.text), .text("\(document.revisionID)"),
                .json(document.body[...]),
            ]
            try insertion.run(own + columns.map { try $0.cell(of: body) })
            if document.mayNameBlobs { try addBlobs(of: document, reader) }
            count += 1
            try progress(ExchangeProgress(documentCount: count, totalCount: total))
        }
    }

    /// Completes the database, and passes its bytes on; nothing can be added afterwards.
    ///
    /// Do not write them to a file next to which a file with the suffix `-wal` or `-journal` belongs to another
    /// database: SQLite would treat it as part of this one.
    ///
    /// - Throws: `ExchangeError` with `sqlite`, `writing` or `reading`; errors of the sink.
    public func finish(to sink: ByteSink) throws {
        try file.finish(sink)
    }

    private mutating func addBlobs(of document: StoredDocument, _ snapshot: StoreReader) throws {
        guard let blobs else { return }
        let insertion = try file.prepare("INSERT INTO _blobs VALUES (?, ?, zeroblob(?2))")
        for digest in try BlobReferences.digests(in: document.body).sorted()
        where written.insert(digest).inserted {
            guard blobs.contains(digest) else {
                if try snapshot.absentBlob(digest) == nil {
                    missingBlobs.append(digest)
                } else {
                    absentBlobCount += 1
                }
                continue
            }
            let reader = try blobs.reader(digest)
            guard reader.byteCount <= Self.longestValue else {
                throw ExchangeError(
                    .blobTooLarge,
                    at: "\(document.documentID)",
                    "a blob of \(reader.byteCount.inUnits) exceeds the limit of SQLite, 1 GB",
                    remedy: "leave blobs out"
                )
            }
            try insertion.run([.text("\(digest)"), .integer(Int64(reader.byteCount))])
            var found = SHA1()
            try file.fillBlob(table: "_blobs", column: "content") {
                let piece = try reader.read(upTo: StoreLimits.blobPieceByteCount)
                found.update(piece.span)
                return piece
            }
            guard BlobDigest(bytes: found.finalize()) == digest else {
                throw ExchangeError(
                    .damagedBlob,
                    at: "\(document.documentID)",
                    "blob \(digest) is damaged",
                    remedy: "repair it from a peer or a copy"
                )
            }
        }
    }

    /// A name that no other table has and that SQLite does not reserve.
    private mutating func name(for path: CollectionPath) -> String {
        let isReserved = TableColumn.folded(path.wireName).hasPrefix("sqlite_")
        let plain = isReserved ? "_" + path.wireName : path.wireName
        var (name, number) = (plain, 1)
        while !names.insert(ExactText(TableColumn.folded(name))).inserted {
            number += 1
            name = "\(plain) \(number)"
        }
        return name
    }
}
