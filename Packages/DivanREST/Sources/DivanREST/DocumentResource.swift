import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanPlatform
import DivanRevisions

/// Reads, writes and deletes one document.
///
/// A write names the revision that it replaces, so that no change is lost; without one it can only create.
struct DocumentResource {
    let call: RESTCall
    let collection: CollectionPath
    let documentID: DocumentID

    func answer(body: [UInt8]) throws -> HTTPResponse {
        try call.check(collection)
        if let path = call.request.target["path"], call.request.method != "PATCH" {
            return try SubDocumentResource(document: self, path: path).answer(body: body)
        }
        switch call.request.method {
        case "GET", "HEAD": return try read()
        case "PUT": return try save(body)
        case "PATCH": return try patch(body)
        case "DELETE": return try delete()
        default: throw call.wrongMethod
        }
    }

    private func read() throws -> HTTPResponse {
        let found = try call.store.readLiving { try call.document(documentID, in: collection, $0) }
        guard let document = found else { throw missing }
        return try response(with: document) { document.body }
    }

    /// The response to a `GET` request, unless the client already has it.
    func response(
        with document: StoredDocument,
        _ content: () throws -> [UInt8]
    ) throws -> HTTPResponse {
        try call.checkReading(document)
        let headers: HTTPHeaders = [
            "ETag": document.revisionID.tag, "Cache-Control": "no-cache",
        ]
        guard !call.hasFresh(document.revisionID.tag) else {
            return HTTPResponse(status: 304, headers: headers)
        }
        // The stored bytes, unchanged.
        return HTTPResponse(contentType: "application/json", headers: headers, try content())
    }

    func save(_ bytes: [UInt8]) throws -> HTTPResponse {
        try call.checkWriting()
        guard let body = try JSONMembers(parsing: bytes.withoutByteOrderMark)?.canonicalBytes()
        else {
            throw RESTError.bad("the body must be a JSON object: {…}")
        }
        let expected = try call.expectedRevision()
        let createsOnly = call.request.headers["If-None-Match"] == "*"
        // Before any lookup: if the condition concerns IDs, no answer reveals another client's document.
        try call.checkStoring(body, as: documentID)
        let document = try call.store.write { writer in
            try put(body, over: expected, createsOnly: createsOnly, writer)
        }
        return written(document, status: expected == nil ? 201 : 200)
    }

    /// Stores a body that the client may store.
    func put(
        _ body: [UInt8],
        over expected: ExpectedRevision?,
        createsOnly: Bool = false,
        _ writer: StoreWriter
    ) throws -> StoredDocument {
        let (stored, current) = try call.outline(of: documentID, in: collection, writer)
        if current == nil { _ = try DocumentID(checking: documentID.text) }
        try check(current, expected, createsOnly: createsOnly)
        guard current != nil || stored == nil else { throw taken }
        return try put(body, replacing: current?.revisionID, writer)
    }

    /// Stores a body over this revision, which the caller has checked.
    func put(
        _ body: [UInt8],
        replacing current: RevisionID?,
        _ writer: StoreWriter
    ) throws -> StoredDocument {
        let hasBlobs = try checkBlobs(of: body, replacing: current != nil, writer)
        return try saved(
            writer.save(
                documentID,
                in: collection,
                body: body,
                hasBlobs: hasBlobs,
                parent: .revision(current)
            )
        )
    }

    private func patch(_ bytes: [UInt8]) throws -> HTTPResponse {
        try call.checkWriting()
        let patch = try RESTPatch(bytes, of: call.request, call.limits)
        let document = try DocumentChange(resource: self).save { document in
            try patch.apply(to: &document, call.limits)
        }
        return written(document, status: 200)
    }

    private func delete() throws -> HTTPResponse {
        try call.checkWriting()
        let expected = try call.expectedRevision()
        let document = try call.store.write { try remove(expected, $0) }
        return written(document, status: 200)
    }

    /// Deletes the document.
    func remove(_ expected: ExpectedRevision?, _ writer: StoreWriter) throws -> StoredDocument {
        guard let current = try call.document(documentID, in: collection, writer) else {
            throw missing
        }
        try check(current, expected, createsOnly: false)
        return try saved(
            writer.save(
                documentID,
                in: collection,
                body: Array("{}".utf8),
                isTombstone: true,
                parent: .revision(current.revisionID)
            )
        )
    }

    // MARK: Rules

    var missing: RESTError {
        .notFound("document \"\(documentID)\" not found; …/_all_docs lists all documents")
    }

    /// The ID belongs to a document that the client does not see.
    private var taken: RESTError {
        RESTError(
            403,
            "forbidden",
            "this ID is already in use; use another ID, or POST without one"
        )
    }

    private func check(
        _ current: StoredDocument?,
        _ expected: ExpectedRevision?,
        createsOnly: Bool
    ) throws(RESTError) {
        let isRight =
            switch (expected, current) {
            case (nil, nil): true
            case (let expected?, let current?):
                !createsOnly && expected.fits(current.revisionID)
            default: false
            }
        guard isRight else { throw .conflict(current: current?.revisionID) }
    }

    /// Whether a body refers to blobs, which must be here; for a client with limited rights they must belong to this
    /// document already, or it could read those of others.
    private func checkBlobs(
        of body: [UInt8],
        replacing isReplacing: Bool,
        _ reader: StoreReader
    ) throws -> Bool {
        let wanted = try BlobReferences.digests(in: body)
        guard !wanted.isEmpty else { return false }
        let current = isReplacing ? try reader.document(documentID, in: collection) : nil
        let own = try current.map { try BlobReferences.digests(in: $0.body) } ?? []
        for digest in wanted where !own.contains(digest) {
            guard !call.rights.isLimited, call.store.blobs.contains(digest) else {
                throw RESTError.bad("blob \(digest) not found; PUT it to …/ID/_blobs/KEY first")
            }
        }
        return true
    }

    func saved(_ outcome: SaveOutcome) throws(RESTError) -> StoredDocument {
        switch outcome {
        case .saved(let document): return document
        case .conflict(let current): throw .conflict(current: current?.revisionID)
        }
    }

    func written(_ document: StoredDocument, status: Int) -> HTTPResponse {
        .json(
            ["id": .string(document.documentID.text), "rev": .string("\(document.revisionID)")],
            status: status,
            headers: ["ETag": document.revisionID.tag]
        )
    }
}

/// Creates documents with IDs chosen by the server.
struct CollectionResource {
    let call: RESTCall
    let collection: CollectionPath

    func answer(database: String, body: [UInt8]) throws -> HTTPResponse {
        try call.check(collection)
        switch call.request.method {
        case "GET", "HEAD":
            return .json(
                .object(try call.store.readLiving { try call.figures(of: collection, $0) })
            )
        case "POST":
            let documentID = Self.makeID()
            let document = DocumentResource(
                call: call,
                collection: collection,
                documentID: documentID
            )
            var response = try document.save(body)
            let steps = ["\(database)", "\(collection)", "\(documentID)"].map(HTTPTarget.segment)
            response.headers.append("Location", "/" + steps.joined(separator: "/"))
            return response
        default: throw call.wrongMethod
        }
    }

    static func makeID() -> DocumentID {
        var generator = SystemRandomNumberGenerator()
        return DocumentID(madeAt: WallClock.now() / 1_000_000, using: &generator)
    }
}
