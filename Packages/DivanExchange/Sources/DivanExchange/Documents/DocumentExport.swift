@_spi(Stores) public import CouchbaseLiteSwift
import DivanDatabase
import DivanJSON
import DivanRevisions
import Foundation

/// Writes documents as JSON: lines, one array, or a text for each document.
///
/// A quarter of a megabyte is buffered at a time.
public struct DocumentExport {
    /// How documents are arranged in an output.
    public enum Form: Sendable {
        /// One object per line.
        case lines
        /// One array of objects.
        case array
    }

    /// Receives the text of a document and the name of a file for it, which no other document has.
    public typealias FileSink = (_ name: String, _ text: [UInt8]) throws -> Void

    /// Where the text goes.
    private enum Target {
        case stream(Form, ByteSink)
        /// A text for each document.
        case files(FileSink)
    }

    private static let bufferByteCount = 1 << 18

    private let target: Target
    private let embedsBlobs: Bool
    private let skipsMissingBlobs: Bool
    private let progress: ProgressHandler
    private var pending: [UInt8] = []
    private var fileNames = DocumentFileNames()
    /// Blobs that they refer to and whose content was left out.
    private var omittedBlobs: Set<ExactText> = []

    /// Documents to write in all collections, for the progress; `nil` to count those of each collection when it is
    /// added.
    public var expectedCount: Int?
    /// Documents written.
    public private(set) var count = 0
    /// How many blobs that they refer to are not included.
    public var omittedBlobCount: Int { omittedBlobs.count }
    /// Bytes of their texts.
    public private(set) var byteCount: UInt64 = 0
    /// Documents that cannot be read, and were left out.
    public private(set) var damaged = DamagedDocuments()

    /// Begins a stream of documents.
    ///
    /// - Parameters:
    ///   - form: How documents are arranged.
    ///   - embedsBlobs: Whether the content of blobs is included, as base64.
    ///   - skipsMissingBlobs: Whether the content of a blob is left out if the database does not have it; otherwise,
    ///     the export fails.
    ///   - sink: Receives the text.
    ///   - progress: Is called after each document.
    public init(
        _ form: Form = .lines,
        embeddingBlobs embedsBlobs: Bool = false,
        skippingMissingBlobs skipsMissingBlobs: Bool = false,
        to sink: @escaping ByteSink,
        progress: @escaping ProgressHandler = { _ in }
    ) {
        target = .stream(form, sink)
        self.embedsBlobs = embedsBlobs
        self.skipsMissingBlobs = skipsMissingBlobs
        self.progress = progress
    }

    /// Begins an export with a text for each document, such as a file in a directory.
    ///
    /// - Parameters:
    ///   - sink: Receives a name of ASCII letters, digits, `-`, `_` and `%` that ends in `.json`, and the text.
    ///   - embedsBlobs: Whether the content of blobs is included, as base64.
    ///   - progress: Is called after each document.
    public init(
        eachTo sink: @escaping FileSink,
        embeddingBlobs embedsBlobs: Bool = false,
        progress: @escaping ProgressHandler = { _ in }
    ) {
        target = .files(sink)
        self.embedsBlobs = embedsBlobs
        skipsMissingBlobs = false
        self.progress = progress
    }

    /// Writes a collection; documents that have expired are left out.
    ///
    /// - Parameters:
    ///   - collection: A collection of an open database.
    ///   - snapshot: The state of the database to write.
    ///   - sequence: Writes only what has changed after this sequence, in the order of the changes, including
    ///     deletions. `nil` writes all documents in the order of IDs.
    ///   - choice: The documents that are written, without `sequence`; `nil` for all.
    ///   - namesCollection: Whether each document of another collection than the default one names its collection.
    /// - Throws: `ExchangeError` with `documentTooLong`, `unreadableBlob` or `damagedBlob`; errors of the database, the
    ///   sink, the choice and the progress handler.
    public mutating func add(
        _ collection: CouchbaseLiteSwift.Collection,
        in snapshot: DatabaseSnapshot,
        since sequence: UInt64? = nil,
        choosing choice: DocumentChoice? = nil,
        namingCollection namesCollection: Bool = false
    ) throws {
        let database = collection.database
        // In the snapshot: a purge after it was taken does not remove a document from it.
        let living = try UnexpiredDocuments(in: snapshot.reader)
        let name = collection.qualifiedName
        let path = CollectionPath(name)
        let wireName = path.wireName
        func isLiving(_ id: String) throws -> Bool {
            try living.contain(DocumentID(unchecked: id), in: path, of: snapshot.reader)
        }
        if let sequence {
            try snapshot.forEachChange(of: collection, since: sequence) { id, _ in
                damaged.add(id, in: wireName)
            } _: { change in
                guard try isLiving(change.id) else { return }
                var members: JSONObject = ["_sequence": JSON(change.sequence)]
                if change.isDeleted { members["_deleted"] = true }
                try add(change.id, change.document?.storedJSON, members, of: database)
            }
        } else {
            let isNamed = namesCollection && name != .default
            let members: JSONObject = isNamed ? ["_collection": .string("\(name)")] : [:]
            if let choice {
                return try snapshot.reader.forEachDocument(in: path, choosing: choice) { id in
                    damaged.add(id.text, in: wireName)
                } _: { document in
                    let id = document.documentID.text
                    guard try isLiving(id) else { return }
                    try add(id, document.body, members, of: database, total: expectedCount)
                }
            }
            let total = try expectedCount ?? count + Int(clamping: snapshot.count(of: collection))
            try snapshot.forEachDocument(of: collection) { id, _ in
                damaged.add(id, in: wireName)
            } _: { document in
                guard try isLiving(document.id) else { return }
                try add(document.id, document.storedJSON, members, of: database, total: total)
            }
        }
    }

    /// Writes the rest, and the end.
    ///
    /// - Throws: Errors of the sink.
    public mutating func finish() throws {
        guard case .stream(let form, _) = target else { return }
        if form == .array { pending += Array((count == 0 ? "[]\n" : "\n]\n").utf8) }
        try flush()
    }

    // MARK: One document

    /// Writes a document with its ID and further members.
    private mutating func add(
        _ id: String,
        _ stored: [UInt8]?,
        _ members: JSONObject,
        of database: Database,
        total: Int? = nil
    ) throws {
        var body = try JSONMembers(storedBody: stored ?? [])
        if !embedsBlobs { omittedBlobs.formUnion(try InlineBlobs.digests(in: body)) }
        EscapedProperties.setApart(in: &body)
        for (key, value) in members { body[key] = value }
        body["_id"] = .string(id)
        let bytes =
            embedsBlobs ? try embedding(database, in: body, of: id) : try body.canonicalBytes()
        guard bytes.count < ExchangeLimits.documentByteCount else { throw Self.tooLong(id) }
        switch target {
        case .stream(.lines, _):
            try append(bytes)
            pending.append(UInt8(ascii: "\n"))
        case .stream(.array, _):
            pending += (count == 0 ? "[\n" : ",\n").utf8
            try append(bytes)
        case .files(let sink):
            try sink(fileNames.add(DocumentID(unchecked: id)), bytes)
        }
        count += 1
        byteCount += UInt64(bytes.count)
        if pending.count > Self.bufferByteCount { try flush() }
        try progress(
            ExchangeProgress(documentCount: count, totalCount: total, byteCount: byteCount)
        )
    }

    /// Embeds the blobs in a body, unless its text would become too long.
    private mutating func embedding(
        _ database: Database,
        in body: JSONMembers,
        of id: String
    ) throws -> [UInt8] {
        var room = ExchangeLimits.documentByteCount
        do {
            return try InlineBlobs.embed(body) { digest in
                // Three bytes are four characters of base64.
                guard let content = try content(of: digest, upTo: room / 4 * 3, in: database) else {
                    return nil
                }
                room -= (content.count + 2) / 3 * 4
                return content
            }
        } catch is ContentTooLong {
            throw Self.tooLong(id)
        }
    }

    /// The content of a blob; `nil` if it is left out.
    private mutating func content(
        of digest: String,
        upTo limit: Int,
        in database: Database
    ) throws -> [UInt8]? {
        do {
            return try database.content(of: digest, upTo: limit)
        } catch let error as StoreError {
            guard skipsMissingBlobs, case .noSuchBlob = error.code else { throw error }
            omittedBlobs.insert(ExactText(digest))
            return nil
        }
    }

    /// An import would reject it.
    private static func tooLong(_ id: String) -> ExchangeError {
        ExchangeError(
            .documentTooLong,
            at: id,
            "larger than 64 MiB as text, the limit of an import",
            remedy: "make a dump, or leave the content of blobs out"
        )
    }

    /// Adds a text; a long one is not copied.
    private mutating func append(_ bytes: [UInt8]) throws {
        guard bytes.count > Self.bufferByteCount else {
            pending += bytes
            return
        }
        try flush()
        try write(bytes)
    }

    private mutating func flush() throws {
        try write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: [UInt8]) throws {
        if case .stream(_, let sink) = target { try sink(bytes) }
    }
}

extension CollectionPath {
    /// The store's path of a collection name.
    init(_ name: CollectionName) {
        // The rules of both are the same.
        self = CollectionPath(scope: name.scope, name: name.name) ?? .default
    }
}
