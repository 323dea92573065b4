import DivanCommandLine
import DivanCrypto
import DivanJSON
import DivanRevisions
import DivanStore
import Foundation

/// Writes documents to a plain SQLite database: a table for each collection.
///
/// A table has its collection's name (two that differ only in case are distinguished by a number),
/// and has `_id`, `_revision` and `_body`, the whole document as JSON,
/// then a column for each property that at least one in a hundred documents has. Anything that reads
/// SQLite can read it.
struct TableExport {
    /// Columns of properties; SQLite's limit is 2,000.
    private static let columnCount = 500
    /// A property of fewer than one in this many documents gets no column.
    private static let share = 100
    /// Bytes of a value that SQLite accepts.
    private static let longestValue = 1_000_000_000
    /// Columns that each table has.
    private static let ownColumns = ["_id", "_revision", "_body"]

    private let file: TableFile
    private let blobs: BlobStore?
    private let progress: ProgressLine
    private var written: Set<BlobDigest> = []
    private var names: Set<ExactText> = []

    /// Documents written.
    private(set) var count = 0
    /// Properties that got no column.
    private(set) var rareCount = 0
    /// Digests of blobs that documents refer to and that are neither here nor at a peer.
    private(set) var missingBlobs: [BlobDigest] = []

    /// Creates a database that will be written to a file; `blobs` are embedded, unless it is `nil`.
    init(for path: String, embedding blobs: BlobStore?, _ progress: ProgressLine) throws {
        // The file's directory has as much space as it will need; that of a pipe may have none.
        let own = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let other = FileManager.default.temporaryDirectory.path
        file = try (try? TableFile(in: own)) ?? TableFile(in: other)
        self.blobs = blobs
        self.progress = progress
        guard blobs != nil else { return }
        try file.execute(
            "CREATE TABLE _blobs (digest TEXT PRIMARY KEY, length INTEGER, content BLOB)"
        )
    }

    /// Writes a collection.
    mutating func add(
        _ path: CollectionPath,
        _ reader: StoreReader,
        among living: UnexpiredDocuments,
        _ damaged: inout DamagedDocuments
    ) throws {
        var census = PropertyCensus()
        try reader.forEachObject(in: path, among: living, &damaged) { _, body in
            census.count(body)
        }
        let columns = census.columns(
            besides: Self.ownColumns,
            oneOf: Self.share,
            limit: Self.columnCount
        )
        rareCount += census.propertyCount - columns.count
        let table = Self.quoted(name(for: path))
        let titles = columns.map { ", \(Self.quoted($0.key)) \($0.kind.rawValue)" }.joined()
        try file.execute(
            "CREATE TABLE \(table) (_id TEXT PRIMARY KEY, _revision TEXT, _body TEXT\(titles))"
        )
        let marks = Array(repeating: "?", count: columns.count + 3).joined(separator: ",")
        let insertion = try file.prepare("INSERT INTO \(table) VALUES (\(marks))")
        let total = UInt64(try reader.count(in: path))
        var known = DamagedDocuments()
        try reader.forEachObject(in: path, among: living, &known) { document, body in
            let text = String(decoding: document.body, as: UTF8.self)
            let own: [TableCell] = [
                .text(document.documentID.text), .text("\(document.revisionID)"), .text(text),
            ]
            try insertion.run(own + columns.map { $0.cell(of: body) })
            if document.mayNameBlobs { try addBlobs(of: document, reader) }
            count += 1
            progress.show(ProgressLine.Reading(documents: UInt64(count), total: total))
        }
    }

    /// Refuses a place where SQLite would take another database's changes for changes of this one.
    static func requireRoom(for output: OutputFile) throws(Failure) {
        try output.requireNothing(beside: ["-wal", "-journal"])
    }

    /// Moves the database to its place.
    func finish(_ output: OutputFile) throws {
        try file.finish { try output.write($0) }
        try Self.requireRoom(for: output)
        try output.finish()
    }

    private mutating func addBlobs(of document: StoredDocument, _ snapshot: StoreReader) throws {
        guard let blobs else { return }
        let insertion = try file.prepare("INSERT INTO _blobs VALUES (?, ?, zeroblob(?2))")
        for digest in try BlobReferences.digests(in: document.body).sorted()
        where written.insert(digest).inserted {
            guard blobs.contains(digest) else {
                if try snapshot.absentBlob(digest) == nil { missingBlobs.append(digest) }
                continue
            }
            let reader = try blobs.reader(digest)
            guard reader.byteCount <= Self.longestValue else {
                throw Failure(
                    kind: .invalid,
                    sentence:
                        "\(document.documentID): a blob of \(Numbers.bytes(reader.byteCount)) "
                        + "exceeds the limit of SQLite, 1 GB",
                    hint: "leave '--blobs' out"
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
                throw Failure(
                    kind: .database,
                    sentence:
                        "\(document.documentID): blob \(digest) is damaged",
                    hint: "restore it from a peer or a copy with 'divan check --repair-from'"
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

    /// A name quoted for SQL.
    private static func quoted(_ name: String) -> String {
        "\"" + name.spelling("\"", as: "\"\"") + "\""
    }
}
