import DivanCrypto
import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanREST
import DivanRevisions

/// Changes documents and resolves conflicts, but only for the revision that the person saw.
struct StudioEditing {
    let store: Store

    func change(_ request: HTTPRequest, body: [UInt8]) throws -> JSON {
        let (path, id) = try StudioRequestTarget.document(request.target)
        switch (request.target.path, request.method) {
        case ("/document.json", "PUT"): return try save(id, in: path, request, body)
        case ("/document.json", "DELETE"): return try delete(id, in: path, request)
        case ("/conflict.json", "POST"): return try resolve(id, in: path, body)
        case ("/blob", "POST"): return try attach(to: id, in: path, request, body)
        default:
            throw RESTError(
                405,
                "method_not_allowed",
                "this page does not support \(request.method)"
            )
        }
    }

    private func save(
        _ id: DocumentID,
        in path: CollectionPath,
        _ request: HTTPRequest,
        _ bytes: [UInt8]
    ) throws -> JSON {
        let body = try Self.body(try JSON(parsing: bytes.withoutByteOrderMark))
        return try write(id, in: path, expecting: request.target["rev"]) { writer, parent in
            if parent == nil { _ = try DocumentID(checking: id.text) }
            return try writer.save(
                id,
                in: path,
                body: body.bytes,
                hasBlobs: body.hasBlobs,
                parent: .revision(parent)
            )
        }
    }

    private func delete(
        _ id: DocumentID,
        in path: CollectionPath,
        _ request: HTTPRequest
    ) throws -> JSON {
        try write(id, in: path, expecting: request.target["rev"] ?? "") { writer, parent in
            try writer.save(
                id,
                in: path,
                body: Array("{}".utf8),
                isTombstone: true,
                parent: .revision(parent)
            )
        }
    }

    /// `{"type":…,"data":…}` with the content in base64, as the blob of a property at the top of the document.
    private func attach(
        to id: DocumentID,
        in path: CollectionPath,
        _ request: HTTPRequest,
        _ bytes: [UInt8]
    ) throws -> JSON {
        let object = try JSON(parsing: bytes.withoutByteOrderMark).object
        guard let key = request.target["key"], !key.isEmpty, let type = object?["type"]?.string,
            let content = object?["data"]?.string.flatMap({ Base64.decode($0) })
        else {
            let reason = #"the body must be {"type":…,"data":…} with base64, for ?key=PROPERTY"#
            throw RESTError(400, "bad_request", reason)
        }
        // Held until the document refers to it.
        let hold = try store.blobs.writeHeld(content)
        defer { withExtendedLifetime(hold) {} }
        let reference = BlobReference.object(
            naming: hold.digest,
            byteCount: content.count,
            contentType: type
        )
        return try write(id, in: path, expecting: request.target["rev"] ?? "") { writer, parent in
            let body = try writer.document(id, in: path)?.body ?? []
            var members = try StudioBody.json(body).object ?? [:]
            members[key] = reference
            return try writer.save(
                id,
                in: path,
                body: try JSON.object(members).canonicalBytes(),
                hasBlobs: true,
                parent: .revision(parent)
            )
        }
    }

    /// Saves over the expected revision; `nil` expects no document, or a deleted one.
    private func write(
        _ id: DocumentID,
        in path: CollectionPath,
        expecting expected: String?,
        _ save: (StoreWriter, RevisionID?) throws -> SaveOutcome
    ) throws -> JSON {
        let outcome = try store.write { writer in
            let current = try writer.document(id, in: path)
            if expected == nil {
                guard current?.isTombstone ?? true else { throw Self.exists(id) }
            } else if current.map({ "\($0.revisionID)" }) != expected {
                throw Self.changed
            }
            return try save(writer, current?.revisionID)
        }
        guard case .saved(let document) = outcome else { throw Self.changed }
        return ["id": .string(id.text), "rev": .string("\(document.revisionID)")]
    }

    /// `{"local":…,"remote":…,"doc":{…}}`, where a `doc` of null deletes, or `"keep":"local"` instead of `doc`: the
    /// side that is kept does not pass through the browser.
    private func resolve(
        _ id: DocumentID,
        in path: CollectionPath,
        _ bytes: [UInt8]
    ) throws -> JSON {
        guard let object = try JSON(parsing: bytes.withoutByteOrderMark).object else {
            throw Self.noDecision
        }
        let requestedDecision = try Self.requestedDecision(object)
        let settled = try store.write { writer -> StoredDocument? in
            guard let conflict = try writer.conflict(of: id, in: path),
                object["local"]?.string == "\(conflict.local.revisionID)",
                object["remote"]?.string == "\(conflict.remote.revisionID)"
            else { throw Self.changed }
            return try writer.resolveConflict(
                id,
                in: path,
                local: conflict.local.revisionID,
                remote: conflict.remote.revisionID,
                decision: requestedDecision(conflict)
            )
        }
        guard let settled else { throw Self.changed }
        return [
            "id": .string(id.text), "rev": .string("\(settled.revisionID)"),
            "conflict": .bool(settled.flags.contains(.conflicted)),
        ]
    }

    /// The requested decision, for a conflict that is known to be the one that was seen.
    private static func requestedDecision(
        _ object: JSONObject
    ) throws -> @Sendable (StoredConflict) -> ConflictDecision {
        if let side = object["keep"]?.string {
            switch side {
            case "local": return { $0.local.isTombstone ? .delete : .keepLocal }
            case "remote": return { $0.remote.isTombstone ? .delete : .keepRemote }
            default: throw noDecision
            }
        }
        guard let doc = object["doc"] else { throw noDecision }
        guard !doc.isNull else { return { _ in .delete } }
        let body = try body(doc)
        return { _ in .merge(body: body.bytes, hasBlobs: body.hasBlobs) }
    }

    private static var noDecision: RESTError {
        RESTError(
            400,
            "bad_request",
            #"the body must be {"local":…,"remote":…,"doc":…} "#
                + #"or {"local":…,"remote":…,"keep":"local"}"#
        )
    }

    /// The canonical text of a document, and whether it references blobs.
    static func body(_ json: JSON) throws -> (bytes: [UInt8], hasBlobs: Bool) {
        guard json.object != nil else {
            throw RESTError(400, "bad_request", "a document must be a JSON object: {…}")
        }
        let bytes = try json.canonicalBytes()
        return (bytes, try !BlobReferences.digests(in: bytes).isEmpty)
    }

    private static func exists(_ id: DocumentID) -> RESTError {
        RESTError(
            409,
            "conflict",
            "document \(id.text) already exists; use another ID, or edit that document"
        )
    }

    private static var changed: RESTError {
        RESTError(
            409,
            "conflict",
            "the document was changed since you opened it; reload it and apply your change again"
        )
    }
}
