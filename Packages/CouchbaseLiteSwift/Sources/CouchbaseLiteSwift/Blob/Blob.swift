import DivanDatabase
import DivanJSON
public import Foundation

/// Binary content stored outside a document, and identified by its digest; equal content is stored once.
///
/// A blob created from bytes keeps them in memory. The content of a blob from a stored document or a stream is read
/// from the database each time. Safe to use from several threads.
///
/// Source: `behaviour.md` §4; `blobs.md` §1.
public final class Blob: Equatable, Hashable, @unchecked Sendable {
    // Unchecked: `state` is the only variable, and is protected by `lock`. A stream passed to the blob belongs to it
    // from then on, as ``init(contentType:contentStream:)`` says.

    /// The value of ``typeProperty`` in a dictionary that represents a blob.
    public static let blobType = "blob"
    /// The key that identifies a dictionary as a blob.
    public static let typeProperty = "@type"
    /// The key of the digest.
    public static let blobDigestProperty = "digest"
    /// The key of the content's length.
    public static let blobLengthProperty = "length"
    /// The key of the content's MIME type.
    public static let blobContentType = "content_type"
    /// The key of inline content, which other writers may produce.
    static let dataProperty = "data"

    /// The MIME type, or `nil` if unknown.
    public let contentType: String?
    /// Other properties of the dictionary that this blob was read from.
    private let otherProperties: JSONObject
    /// Whether it was read from such a dictionary, which a peer may have written.
    private let standsInDocument: Bool
    private let lock = NSLock()
    private var state: BlobState  // behind `lock`

    /// Creates a blob from bytes.
    public init(contentType: String, data: Data) {
        self.contentType = contentType
        otherProperties = [:]
        standsInDocument = false
        state = BlobState(.bytes(data), byteCount: UInt64(data.count))
    }

    /// Creates a blob with the content of a stream, which is read once, on first use.
    ///
    /// Do not read the stream after passing it to the blob.
    public init(contentType: String, contentStream: InputStream) {
        self.contentType = contentType
        otherProperties = [:]
        standsInDocument = false
        state = BlobState(.stream(contentStream))
    }

    /// Creates a blob with the content of a file, which is read once, on first use.
    ///
    /// A URL of another scheme is a programming error and stops the program.
    ///
    /// - Throws: `NSURLErrorFileDoesNotExist` of `NSURLErrorDomain` when there is no readable file.
    public convenience init(contentType: String, fileURL: URL) throws {
        guard fileURL.isFileURL else {
            stopForMisuse("Blob: \(fileURL) is not a file URL; pass URL(fileURLWithPath:)")
        }
        guard FileManager.default.isReadableFile(atPath: fileURL.path),
            let stream = InputStream(fileAtPath: fileURL.path)
        else {
            throw NSError(
                ErrorNumber(domain: NSURLErrorDomain, code: NSURLErrorFileDoesNotExist),
                "\(fileURL.path): not a readable file; check the path"
            )
        }
        self.init(contentType: contentType, contentStream: stream)
    }

    /// Creates the blob that a dictionary in a document represents.
    ///
    /// Its content is read from `origin`; `nil` if it is not in a database yet.
    convenience init(_ members: JSONObject, in origin: Database?) {
        self.init(members, BlobState(members, in: origin))
    }

    private init(_ members: JSONObject, _ state: BlobState) {
        contentType = members[Self.blobContentType]?.string
        self.state = state
        var known = [Self.typeProperty, Self.blobDigestProperty, Self.blobContentType]
        // Properties with no meaning here stay as they are.
        if state.byteCount != nil { known.append(Self.blobLengthProperty) }
        if state.isNew { known.append(Self.dataProperty) }
        otherProperties = JSONObject(members.filter { !known.contains($0.key) })
        standsInDocument = true
    }

    /// Recreates the blob that a dictionary in a document represented, from `other`, which was created from its content
    /// as `Data`; `nil` if the bytes differ.
    convenience init?(_ members: JSONObject, around other: Blob) {
        guard let digest = members[Self.blobDigestProperty]?.string, other.digest == nil,
            other.contentType == "application/octet-stream", let data = other.content,
            BlobDigest(hashing: Array(data).span).description == digest
        else { return nil }
        self.init(members, BlobState(.bytes(data), byteCount: UInt64(data.count)))
    }

    /// The content, or `nil` if it is not available: not in the database, or the database is closed.
    ///
    /// The content of a stored blob is read from disk on each call, unless it is at most 8 KiB or the blob was created
    /// from bytes. A blob that was not downloaded has none until you fetch it (``fetch(from:progress:)``). If the bytes
    /// do not match the digest, because the file is damaged, the result is `nil`.
    public var content: Data? { lock.withLock { state.load() } }

    /// An unopened stream over the content; `nil` if the content is not available, or if the blob was created from a
    /// stream that has not been read yet.
    ///
    /// Unlike ``content``, it does not verify the digest.
    public var contentStream: InputStream? {
        lock.withLock { state.makeStream() }
    }

    /// Where the content is, or will be, if it belongs to a database.
    var place: (BlobDigest, Database)? {
        lock.withLock {
            if case .stored(let digest, let database) = state.content {
                (digest, database)
            } else {
                nil
            }
        }
    }

    /// Number of bytes; 0 for a stream that has not been read yet.
    ///
    /// If the document does not contain the length, it is 0 until ``content`` is read.
    public var length: UInt64 { lock.withLock { state.byteCount ?? 0 } }

    /// `sha1-` and base64 of the content's SHA-1, or `nil` until the blob is stored.
    public var digest: String? { lock.withLock { state.digest } }

    /// The metadata: digest, length, content type, and other properties from the document, but not `@type`.
    public var properties: [String: Any] {
        var members = metadataObject()
        members[Self.typeProperty] = nil
        return members.plainDictionary(in: nil)
    }

    /// Returns the metadata as JSON text, with `@type`.
    ///
    /// Only for blobs that are stored or come from a document. Other blobs have no digest, and the call stops the
    /// program.
    public func toJSON() -> String {
        var members = metadataObject()
        if members[Self.blobDigestProperty] == nil {
            guard standsInDocument else {
                stopForMisuse("Blob: toJSON() needs a digest; save the blob or its document first")
            }
            // A peer wrote the content inline, or an invalid blob.
            let digest = lock.withLock { state.contentDigest() }
            members[Self.blobDigestProperty] = digest.map { .string($0) }
        }
        return JSON.object(members).canonicalText
    }

    /// Whether a dictionary represents a blob.
    public static func isBlob(properties: [String: Any]) -> Bool {
        guard properties[typeProperty] as? String == blobType,
            properties[blobDigestProperty] is String
        else { return false }
        let (length, type) = (properties[blobLengthProperty], properties[blobContentType])
        // On Linux a cast of a container to `NSNumber` would convert the container first.
        let isNumber = length.flatMap { Value(storing: $0) }.number != nil
        return (length == nil || isNumber) && (type == nil || type is String)
    }

    /// Whether both have the same digest, or the same content if one has no digest yet.
    public static func == (left: Blob, right: Blob) -> Bool {
        if left === right { return true }
        if let leftDigest = left.digest, let rightDigest = right.digest {
            return leftDigest == rightDigest
        }
        // Unreadable contents cannot be assumed to be equal.
        return left.content.map { $0 == right.content } ?? false
    }

    /// Feeds the digest into `hasher`; before the blob is stored, the digest is computed from the content.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(lock.withLock { state.contentDigest() })
    }
}

extension Blob {
    /// The dictionary that represents this blob in a document.
    func metadataObject() -> JSONObject {
        let (digest, byteCount) = lock.withLock { (state.digest, state.byteCount) }
        var members = otherProperties
        members[Self.typeProperty] = .string(Self.blobType)
        members[Self.blobDigestProperty] = digest.map { .string($0) }
        if let byteCount { members[Self.blobLengthProperty] = JSON(byteCount) }
        members[Self.blobContentType] = contentType.map { .string($0) }
        return members
    }

    /// The dictionary that represents it in a query, with content that is only here inline.
    func queryObject() -> JSONObject {
        let content = lock.withLock { state.isStored ? nil : state.load() }
        var members = metadataObject()
        members[Self.dataProperty] = content.map { .string($0.base64EncodedString()) }
        return members
    }

    /// The dictionary that represents it in a document, with unstored content inline; `nil` for a blob that was created
    /// here and is not stored.
    func standingObject() -> JSONObject? {
        let content = lock.withLock { state.isNew ? state.load() : nil }
        var members = metadataObject()
        guard standsInDocument else {
            return members[Self.blobDigestProperty] == nil ? nil : members
        }
        if let content { members[Self.dataProperty] = .string(content.base64EncodedString()) }
        return members
    }

    /// Stores the content in `database` unless it is already there.
    ///
    /// - Returns: A hold that protects the content from garbage collection until a document names it.
    /// - Throws: `CBLError.invalidParameter` when the blob belongs to another database; the
    ///   store's errors.
    func install(in database: Database) throws -> BlobHold? {
        try translatingErrors { try lock.withLock { try state.install(in: database) } }
    }
}

/// A document names a blob whose content is in another database.
struct ForeignBlob: Error {
    /// The official SDK's message for a conflict resolver that returns such a document.
    static let officialSentence =
        "A document contains a blob that was saved to a different database. "
        + "The save operation cannot complete."
}

extension ForeignBlob: NumberedError, CustomStringConvertible {
    var number: ErrorNumber { .divan(CBLError.invalidParameter) }

    var description: String {
        "Blob: belongs to another database; create a new Blob from its content"
    }
}
