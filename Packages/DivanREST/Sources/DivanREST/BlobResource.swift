import DivanCrypto
public import DivanDatabase
public import DivanHTTP
import DivanJSON
import DivanRevisions
public import DivanTransport
import Synchronization

/// Reads and writes the blob under a key of a document.
///
/// A blob is accessed through a document that refers to it, so that a client that may not see the document cannot see
/// the blob.
struct BlobResource {
    let call: RESTCall
    let collection: CollectionPath
    let documentID: DocumentID
    let key: String

    func answer(body: [UInt8]) throws -> HTTPResponse {
        try call.check(collection)
        switch call.request.method {
        case "GET", "HEAD": return try read()
        case "PUT": return try save(body)
        default: throw call.wrongMethod
        }
    }

    private func read() throws -> HTTPResponse {
        let found = try call.store.readLiving { try call.document(documentID, in: collection, $0) }
        guard let document = found else {
            throw RESTError.notFound("document \"\(documentID)\" not found")
        }
        try call.checkReading(document)
        guard let blob = try BlobReferences.all(in: document.body.span).first(where: isWanted)
        else {
            throw RESTError.notFound("document \"\(documentID)\" has no blob at \"\(key)\"")
        }
        let headers: HTTPHeaders = [
            "Content-Type": "application/octet-stream",
            // Content is data: whatever type it claims, a browser saves it.
            "Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-cache",
        ]
        // A slow client may take days to read it.
        let body = BlobBody(digest: blob.digest, store: call.store, queue: call.queue) { [call] in
            try call.checkCurrent()
        }
        return try body.response(to: call.request, headers, isFresh: call.hasFresh(body.tag))
    }

    private func save(_ content: [UInt8]) throws -> HTTPResponse {
        try call.checkWriting()
        guard !key.hasPrefix("/") else {
            throw RESTError.bad("blobs can only be stored under a top-level key")
        }
        guard !key.utf8.elementsEqual(BlobReferences.attachmentsKey.utf8) else {
            throw RESTError.bad("\(key) is reserved for CouchDB attachments; use another key")
        }
        guard let expected = try call.expectedRevision() else {
            throw RESTError.bad("specify the document's revision with If-Match or ?rev=")
        }
        let type = call.request.headers["Content-Type"] ?? "application/octet-stream"
        let reference = BlobReference.object(
            naming: BlobDigest(hashing: content.span),
            byteCount: content.count,
            contentType: type
        )
        // Asked before as well: the content of a refused request would stay until the next compaction.
        _ = try call.store.readLiving { try revision(with: reference, of: expected, $0) }
        // Held until the document refers to it.
        let hold = try call.store.blobs.writeHeld(content)
        defer { withExtendedLifetime(hold) {} }
        let resource = DocumentResource(
            call: call,
            collection: collection,
            documentID: documentID
        )
        let document = try call.store.write { writer in
            let (body, parent) = try revision(with: reference, of: expected, writer)
            return try resource.saved(
                writer.save(
                    documentID,
                    in: collection,
                    body: body,
                    hasBlobs: true,
                    parent: .revision(parent)
                )
            )
        }
        return resource.written(document, status: 200)
    }

    /// The body of the document with the reference under the key, and the revision that it replaces.
    ///
    /// - Throws: `RESTError` if that is not the expected one, or the user may not store this.
    private func revision(
        with reference: JSON,
        of expected: ExpectedRevision,
        _ reader: StoreReader
    ) throws -> (body: [UInt8], parent: RevisionID) {
        let current = try call.document(documentID, in: collection, reader)
        guard let current, expected.fits(current.revisionID) else {
            throw RESTError.conflict(current: current?.revisionID)
        }
        var object = try JSON(parsing: current.body, limits: StorageLimits.bodyText).object ?? [:]
        object[key] = reference
        let body = try JSON.object(object).canonicalBytes()
        try call.checkStoring(body, as: documentID)
        return (body, current.revisionID)
    }

    /// A key at the top level, or a JSON pointer.
    private func isWanted(_ blob: BlobReference) -> Bool {
        let pointer = key.hasPrefix("/") ? key : "/" + JSONPointer.step(to: key)
        return blob.pointerByteCount == pointer.utf8.count
            && blob.pointer.utf8.elementsEqual(pointer.utf8)
    }
}

/// Sends the content of a blob, or the requested range, in pieces.
public struct BlobBody {
    private let digest: BlobDigest
    private let store: Store
    private let queue: WorkQueue
    private let check: @Sendable () throws -> Void

    /// Creates a body for a blob, read on a queue; `check` runs before each piece and can throw to end the response.
    public init(
        digest: BlobDigest,
        store: Store,
        queue: WorkQueue,
        checking check: @escaping @Sendable () throws -> Void = {}
    ) {
        self.digest = digest
        self.store = store
        self.queue = queue
        self.check = check
    }

    /// The `ETag` of the response: the digest of the content.
    public var tag: String { "\"\(digest)\"" }

    /// Returns the response to a `GET` or `HEAD` request.
    ///
    /// - Parameters:
    ///   - request: The request, with an optional `Range` (`HTTPRange`).
    ///   - headers: Additional header fields of the response.
    ///   - isFresh: Whether the client already has the content; the status is 304 then.
    /// - Returns: Status 200, 206, 304 or 416.
    /// - Throws: `StoreError`; `noSuchBlob` if the blob is missing.
    public func response(
        to request: HTTPRequest,
        _ headers: HTTPHeaders,
        isFresh: Bool = false
    ) throws -> HTTPResponse {
        var headers = headers
        headers.append("ETag", tag)
        if isFresh { return HTTPResponse(status: 304, headers: headers) }
        headers.append("Accept-Ranges", "bytes")
        let reader = try store.blobs.reader(digest)
        // Empty content has no last piece whose check could fail.
        let nothing = BlobDigest(hashing: Span())
        guard reader.byteCount > 0 || digest == nothing else {
            throw StoreError(.blobMismatch(expected: digest, actual: nothing))
        }
        let range = HTTPRange(of: request, byteCount: reader.byteCount, tag: tag)
        if let told = range.contentRange(byteCount: reader.byteCount) {
            headers.append("Content-Range", told)
        }
        let (status, part) =
            switch range {
            case .whole: (200, 0..<reader.byteCount)
            case .part(let range): (206, range)
            case .unsatisfiable: (416, 0..<0)
            }
        let content = OpenContent(reader, part, of: digest)
        let body = PagedBody(on: queue) { [check] in
            try check()
            return try content.next()
        }
        return HTTPResponse(
            status: status,
            headers: headers,
            body: .pieces(body, byteCount: part.count)
        )
    }
}

/// A blob's content, or a part of it, while it is read.
private final class OpenContent: Sendable {
    private static let pieceByteCount = 64 << 10

    private struct State {
        let reader: BlobReader
        /// Bytes still to be read.
        var byteCount: Int
        /// The hash of content that is sent completely, for comparison with the digest.
        var hash: SHA1?
    }

    private let digest: BlobDigest
    private let state: Mutex<State>

    init(_ reader: sending BlobReader, _ part: Range<Int>, of digest: BlobDigest) {
        self.digest = digest
        if part.lowerBound > 0 { reader.seek(to: part.lowerBound) }
        let hash = part.count == reader.byteCount ? SHA1() : nil
        state = Mutex(State(reader: reader, byteCount: part.count, hash: hash))
    }

    /// The next piece; `nil` after the last.
    func next() throws -> [UInt8]? {
        try state.withLock { state in
            guard state.byteCount > 0 else { return nil }
            let limit = min(state.byteCount, Self.pieceByteCount)
            let piece = try state.reader.read(upTo: limit)
            state.byteCount -= piece.count
            state.hash?.update(piece.span)
            // Checked before the last piece is sent, so that nobody takes modified content for complete.
            if state.byteCount == 0, let hash = state.hash.take() {
                let actual = BlobDigest(bytes: hash.finalize())
                guard actual == digest else {
                    throw StoreError(.blobMismatch(expected: digest, actual: actual ?? digest))
                }
            }
            return piece.isEmpty ? nil : piece
        }
    }
}
