@_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanJSON
public import Foundation
internal import Synchronization

/// Binary content next to a document, such as a photo or a sound.
///
/// A document only contains the blob's type, length and digest; equal contents are stored once. Small blobs are created
/// from data, large ones with `Database.blob(contentsOf:type:)`. The content is read when you ask for it.
///
/// ```swift
/// doc.photo = Blob(jpeg, type: "image/jpeg")
/// try album.save(doc)
/// let data = try album.get(doc.id)?.photo?.blob?.data()
/// ```
public struct Blob: Sendable, Hashable {
    /// The media type, such as `image/jpeg`; `nil` if unknown.
    public let type: String?
    /// `sha1-` and the SHA-1 digest of the content in base64.
    public let digest: String
    /// Bytes in the content; 0 if the document does not say.
    public let length: Int

    /// Everything that the document says about it.
    let metadata: JSONObject
    /// New content.
    let content: BlobContents.NewContent?
    /// The database that has the content, unless it is new.
    let database: OfficialDatabase?

    /// Creates a blob from data; it is stored together with the next document that contains it.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - type: The media type, such as `image/jpeg`.
    public init(_ data: Data, type: String = "application/octet-stream") {
        let digest = BlobDigest(hashing: Array(data).span)
        self.init(digest, byteCount: data.count, type: type, content: .bytes(data), database: nil)
    }

    init(
        _ digest: BlobDigest,
        byteCount: Int,
        type: String,
        content: BlobContents.NewContent,
        database: OfficialDatabase?
    ) {
        self.digest = digest.description
        self.type = type
        self.content = content
        self.database = database
        length = byteCount
        metadata = [
            Key.type: .string(Key.blob), Key.digest: .string(digest.description),
            Key.length: JSON(byteCount), Key.contentType: .string(type),
        ]
    }

    /// Reads the blob that an object of a document describes; `nil` if it describes none.
    init?(_ members: JSONObject, _ contents: BlobContents) {
        guard members[Key.type]?.string == Key.blob, let digest = members[Key.digest]?.string
        else { return nil }
        self.digest = digest
        type = members[Key.contentType]?.string
        length = members[Key.length]?.double.flatMap { Int(exactly: $0) } ?? 0
        metadata = members
        content = contents.new[digest]
        database = contents.database
    }

    /// The keys of a blob's metadata.
    enum Key {
        static let type = "@type"
        static let blob = "blob"
        static let digest = "digest"
        static let length = "length"
        static let contentType = "content_type"
    }

    /// Whether both have the same content, by their digests.
    public static func == (left: Blob, right: Blob) -> Bool { left.digest == right.digest }

    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

// MARK: - Reading

extension Blob {
    /// Returns the content.
    ///
    /// - Throws: ``DivanError/Code/notFound`` if the content is not in the database, for example because a sync left it
    ///   at the peer; `corrupt` if it is damaged; `notOpen`.
    public func data() throws -> Data {
        if case .bytes(let data)? = content { return data }
        var data = Data(capacity: length)
        try forEachPiece { data.append($0) }
        return data
    }

    /// Returns the content, read on another thread.
    ///
    /// - Throws: The same errors as the synchronous call; `cancelled`.
    public func data() async throws -> Data {
        try await Background.reading { try data() }
    }

    /// Copies the content to a file, in pieces; an existing file is replaced.
    ///
    /// - Throws: The same errors as `data()`; file system errors.
    public func write(to file: URL) throws {
        try DivanError.converting(place: file.path) {
            try CompleteFile.write(file, isDurable: false) { try readPieces($0) }
        }
    }

    /// Copies the content to a file on another thread.
    ///
    /// - Throws: The same errors as the synchronous call; `cancelled`.
    public func write(to file: URL) async throws {
        try await Background.reading { try write(to: file) }
    }

    /// Calls `body` with the content in pieces of at most 64 KiB, so that memory use does not depend on its length.
    ///
    /// - Throws: The same errors as `data()`; errors thrown by `body`, unchanged.
    public func forEachPiece(_ body: (Data) throws -> Void) throws {
        try readPieces { try body(Data($0)) }
    }

    private func readPieces(_ body: ([UInt8]) throws -> Void) throws {
        try DivanError.passing(to: body, place: "blob \(digest)") { pass in
            if case .bytes(let data)? = content {
                var rest = data[...]
                while !rest.isEmpty {
                    try pass([UInt8](rest.prefix(Self.pieceByteCount)))
                    rest = rest.dropFirst(Self.pieceByteCount)
                }
                return
            }
            guard let key = BlobDigest(digest), let store = try store()?.blobs, store.contains(key)
            else {
                throw DivanError(
                    .notFound,
                    place: "blob \(digest)",
                    problem: "its content is not in the database",
                    remedy: "download it with `fetch(from:)`"
                )
            }
            let reader = try store.reader(key)
            while case let piece = try reader.read(upTo: Self.pieceByteCount), !piece.isEmpty {
                try pass(piece)
            }
        }
    }

    /// Calls `body` with the content in pieces on another thread; cancelling the task stops it.
    ///
    /// - Throws: The same errors as the synchronous call; `cancelled`.
    public func forEachPiece(_ body: @escaping @Sendable (Data) throws -> Void) async throws {
        try await Background.stoppable(body) { pass in try forEachPiece(pass) }
    }

    private static let pieceByteCount = 65_536

    private func store() throws -> Store? {
        if case .stored(_, let database)? = content { return try database.openStore() }
        return try database?.openStore()
    }
}

extension Blob: Codable, CustomStringConvertible {
    /// Only decodes from a document or row of this module.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` with any other decoder.
    public init(from decoder: any Decoder) throws {
        guard let reader = decoder as? ModelReader, let blob = reader.blob else {
            throw DivanError(
                .decodingFailed,
                problem: "a Blob can only be decoded from a document",
                remedy: "use DocumentCollection.get(_:as:)"
            )
        }
        self = blob
    }

    /// Only encodes into a document of this module.
    ///
    /// - Throws: ``DivanError/Code/encodingFailed`` with any other encoder.
    public func encode(to encoder: any Encoder) throws {
        guard let writer = encoder as? ModelWriter else {
            throw DivanError(
                .encodingFailed,
                problem: "a Blob can only be encoded into a document",
                remedy: "use DocumentCollection.save(_:)"
            )
        }
        writer.set(self)
    }

    /// The type, the length and the digest.
    public var description: String { "\(type ?? "blob"), \(length) bytes, \(digest)" }
}
