public import DivanHTTP
import DivanJSON
import DivanRevisions
public import DivanStore
public import DivanTransport
import Synchronization

/// Reads and writes the blob under a key of a document.
///
/// A blob is reached through a document that names it, so that whoever may not see the document does
/// not see the blob.
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
        default: throw RESTError.method("GET, HEAD, PUT")
        }
    }

    private func read() throws -> HTTPResponse {
        let found = try call.store.read { try call.document(documentID, in: collection, $0) }
        guard let document = found else {
            throw RESTError.notFound("there is no document \"\(documentID)\"")
        }
        try call.checkReading(document)
        guard let blob = try BlobReferences.all(in: document.body.span).first(where: isWanted)
        else {
            throw RESTError.notFound("\"\(documentID)\" has no blob under \"\(key)\"")
        }
        let headers: HTTPHeaders = [
            "ETag": "\"\(blob.digest)\"", "Content-Type": "application/octet-stream",
            // Content is data: whatever it says of itself, a browser saves it.
            "Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-cache",
        ]
        if call.hasFresh("\"\(blob.digest)\"") {
            return HTTPResponse(status: 304, headers: headers)
        }
        return try BlobBody.response(blob.digest, of: call.store, on: call.queue, headers)
    }

    private func save(_ content: [UInt8]) throws -> HTTPResponse {
        try call.checkWriting()
        guard !key.hasPrefix("/") else {
            throw RESTError.bad("a blob is put under a key at the top level")
        }
        guard !key.utf8.elementsEqual(BlobReferences.attachmentsKey.utf8) else {
            throw RESTError.bad("\(key) is for attachments of CouchDB; choose another key")
        }
        guard let expected = try call.expectedRevision() else {
            throw RESTError.bad("name the document's revision by If-Match or ?rev=")
        }
        let type = call.request.headers["Content-Type"] ?? "application/octet-stream"
        // Held until the document names it.
        let hold = try call.store.blobs.writeHeld(content)
        defer { withExtendedLifetime(hold) {} }
        let resource = DocumentResource(
            call: call,
            collection: collection,
            documentID: documentID
        )
        let document = try call.store.write { writer in
            let current = try call.document(documentID, in: collection, writer)
            guard let current, expected.fits(current.revisionID) else {
                throw RESTError.conflict(current: current?.revisionID)
            }
            var object = try JSON(parsing: current.body, limits: StoreLimits.bodyText).object ?? [:]
            object[key] = BlobReference.object(
                naming: hold.digest,
                byteCount: content.count,
                contentType: type
            )
            let body = try JSON.object(object).canonicalBytes()
            try call.checkStoring(body, as: documentID)
            return try resource.saved(
                writer.save(
                    documentID,
                    in: collection,
                    body: body,
                    hasBlobs: true,
                    parent: .revision(current.revisionID)
                )
            )
        }
        return resource.written(document, status: 200)
    }

    /// A key at the top level, or a JSON pointer.
    private func isWanted(_ blob: BlobReference) -> Bool {
        let pointer = key.hasPrefix("/") ? key : "/" + JSONPointer.step(to: key)
        return blob.pointerByteCount == pointer.utf8.count
            && blob.pointer.utf8.elementsEqual(pointer.utf8)
    }
}

/// Sends the content of a blob piece by piece.
public enum BlobBody {
    /// The answer with a whole content.
    ///
    /// - Throws: `StoreError`, `noSuchBlob` where it is not here.
    public static func response(
        _ digest: BlobDigest,
        of store: Store,
        on queue: WorkQueue,
        _ headers: HTTPHeaders
    ) throws -> HTTPResponse {
        let content = try OpenContent(digest, of: store)
        let body = PagedBody(on: queue) { try content.next() }
        return HTTPResponse(
            status: 200,
            headers: headers,
            body: .pieces(body, byteCount: content.byteCount)
        )
    }
}

/// A content that is being read.
private final class OpenContent: Sendable {
    private static let pieceByteCount = 64 << 10

    let byteCount: Int
    private let reader: Mutex<BlobReader>

    init(_ digest: BlobDigest, of store: Store) throws {
        let opened = try store.blobs.reader(digest)
        byteCount = opened.byteCount
        reader = Mutex(opened)
    }

    /// The next piece; `nil` behind the last.
    func next() throws -> [UInt8]? {
        let piece = try reader.withLock { try $0.read(upTo: Self.pieceByteCount) }
        return piece.isEmpty ? nil : piece
    }
}
