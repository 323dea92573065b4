import DivanCrypto
import DivanDatabase
import DivanJSON
import DivanLog
import Foundation

/// Where a blob's content is, and what is known of it; protected by the blob's lock.
struct BlobState {
    enum Content {
        /// In memory, not stored yet.
        case bytes(Data)
        /// A stream that has not been read yet.
        case stream(InputStream)
        /// A stream that could not be read to its end, and cannot be reread.
        case lost
        /// In the blob store of a database.
        case stored(BlobDigest, Database)
        /// Only the metadata is known.
        case elsewhere
    }

    /// Bytes of content that stay in memory after being stored or read, as in the official SDK.
    private static let cachedByteCountLimit = 8_192
    /// Bytes read from a stream in one step.
    private static let pieceByteCount = 65_536

    private(set) var content: Content
    private(set) var digest: String?
    /// `nil` while unknown.
    private(set) var byteCount: UInt64?
    private var cached: Data?
    /// Content from the application; it is kept after being stored, even after the database closes.
    private var own: Data?
    /// Whether it was read from a stream, which cannot be reread.
    private var cameFromStream = false

    init(_ content: Content, byteCount: UInt64? = nil) {
        self.content = content
        self.byteCount = byteCount
    }

    init(_ members: JSONObject, in origin: Database?) {
        digest = members[Blob.blobDigestProperty]?.string
        byteCount = members[Blob.blobLengthProperty]?.byteCount
        let key = digest.flatMap { BlobDigest($0) }
        if let bytes = members[Blob.dataProperty]?.string.flatMap({ Base64.decode($0) }),
            digest == nil || key == BlobDigest(hashing: bytes.span)
        {
            content = .bytes(Data(bytes))
            byteCount = UInt64(bytes.count)
        } else if let key, let origin {
            content = .stored(key, origin)
        } else {
            content = .elsewhere
        }
    }

    /// Whether the content is in a database, or only its metadata is known.
    var isStored: Bool {
        switch content {
        case .stored, .elsewhere: true
        case .bytes, .stream, .lost: false
        }
    }

    /// Whether the content is only in memory.
    var isNew: Bool {
        if case .bytes = content { true } else { false }
    }

    /// The content; a stream is read to its end and kept.
    mutating func load() -> Data? {
        switch content {
        case .bytes(let data): return data
        case .stream:
            readStream()
            return load()
        case .lost: return nil
        case .stored(let key, let database): return own ?? read(key, from: database)
        case .elsewhere:
            Journal.database.warning(
                "blob \(digest ?? "without digest"): only the metadata is known; "
                    + "get the blob with Database.getBlob(properties:)"
            )
            return nil
        }
    }

    /// The digest, computed from the content while there is none yet.
    mutating func contentDigest() -> String? {
        digest ?? load().map { BlobDigest(hashing: Array($0).span).description }
    }

    mutating func makeStream() -> InputStream? {
        // Reading it would leave nothing to store.
        if case .stream = content { return nil }
        if case .stored(let key, let database) = content, cached == nil, own == nil,
            let stream = database.blobStream(key)
        {
            return stream
        }
        return load().map { InputStream(data: $0) }
    }

    /// Stores the content in `database` unless it is already there.
    ///
    /// - Returns: A hold that protects the content from garbage collection until a document that names it is saved;
    ///   `nil` if only the metadata is known.
    mutating func install(in database: Database) throws -> BlobHold? {
        let store = try database.openStore()
        switch content {
        case .elsewhere:
            return adopt(from: store, of: database)
        case .lost:
            throw NSError(
                CBLError.ioError,
                "Blob: the stream could not be read or stored completely; save a new Blob"
            )
        case .stored(let key, let home):
            guard home.store === store else { throw ForeignBlob() }
            let hold = store.blobs.hold(key)
            // It is gone if the batch that saved it was rolled back and a compaction followed.
            if let own, !store.blobs.contains(key) { _ = try store.blobs.write(Array(own)) }
            guard !cameFromStream || store.blobs.contains(key) else {
                throw NSError(
                    CBLError.notFound,
                    "blob \(key): its content was deleted by a compaction, because no document "
                        + "referenced it, and its stream is already consumed; save a new Blob"
                )
            }
            return hold
        case .bytes(let data):
            let hold = try store.blobs.writeHeld(Array(data))
            settle(hold.digest, in: database, byteCount: data.count, content: data)
            return hold
        case .stream(let stream):
            // If anything fails, part of it has been read.
            content = .lost
            let (hold, count) = try Self.copy(stream, into: store)
            settle(hold.digest, in: database, byteCount: count, content: nil)
            cameFromStream = true
            return hold
        }
    }

    /// From now on reads its content from `database`, if that has it under the digest.
    ///
    /// Returns a hold that protects the content until a document names it.
    private mutating func adopt(from store: Store, of database: Database) -> BlobHold? {
        guard let key = digest.flatMap({ BlobDigest($0) }) else { return nil }
        // Hold it before looking for it, or a compaction might come in between.
        let hold = store.blobs.hold(key)
        guard store.blobs.contains(key) else { return nil }
        content = .stored(key, database)
        return hold
    }

    private mutating func settle(
        _ key: BlobDigest,
        in database: Database,
        byteCount: Int,
        content data: Data?
    ) {
        content = .stored(key, database)
        digest = key.description
        self.byteCount = UInt64(byteCount)
        own = data
    }

    private mutating func read(_ key: BlobDigest, from database: Database) -> Data? {
        guard let store = try? database.openStore() else { return nil }
        if let cached { return cached }
        do {
            let bytes = try store.blobs.read(key)
            guard BlobDigest(hashing: bytes.span) == key else {
                Journal.database.warning(
                    "blob \(key): the file is damaged (digest mismatch); sync its document again"
                )
                return nil
            }
            let data = Data(bytes)
            // The document may not have stated a length.
            byteCount = UInt64(data.count)
            if data.count <= Self.cachedByteCountLimit { cached = data }
            return data
        } catch {
            Journal.database.warning("\(error)")
            return nil
        }
    }

    private mutating func readStream() {
        guard case .stream(let stream) = content else { return }
        var data = Data()
        do {
            try Self.forEachPiece(of: stream) { data.append(contentsOf: $0) }
        } catch {
            Journal.database.warning(
                "Blob: reading the stream failed after \(data.count) bytes: \(error)"
            )
            content = .lost
            return
        }
        content = .bytes(data)
        byteCount = UInt64(data.count)
    }

    private static func copy(
        _ stream: InputStream,
        into store: Store
    ) throws -> (BlobHold, byteCount: Int) {
        let writer = try store.blobs.writer()
        try forEachPiece(of: stream) { piece in try writer.append(Array(piece)) }
        return (try writer.finishHeld(), writer.byteCount)
    }

    private static func forEachPiece(
        of stream: InputStream,
        _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        stream.open()
        defer { stream.close() }
        var piece = [UInt8](repeating: 0, count: pieceByteCount)
        while true {
            let count = stream.read(&piece, maxLength: piece.count)
            if count == 0 { return }
            guard count > 0 else {
                throw NSError(
                    CBLError.ioError,
                    "Blob: reading the stream failed; check the file or other source",
                    cause: (stream as? StoredBlobStream)?.failure
                )
            }
            try body(piece[..<count])
        }
    }
}

extension JSON {
    /// The number as a count of bytes, even if written as a decimal with a whole value.
    fileprivate var byteCount: UInt64? {
        switch self {
        case .int(let count): UInt64(exactly: count)
        case .uint(let count): count
        case .double(let count): UInt64(exactly: count)
        default: nil
        }
    }
}
