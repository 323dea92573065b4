import DivanConflicts
import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanQuery
import DivanREST
import DivanRevisions
import DivanTransport

/// The data of the pages, as JSON.
struct StudioData: Sendable {
    private let store: Store
    private let name: String
    private let mayWrite: Bool
    private let limits: StudioLimits

    init(_ configuration: StudioConfiguration) {
        store = configuration.store
        name = configuration.name
        mayWrite = configuration.acceptsWrites
        limits = configuration.limits
    }

    /// The database and its collections.
    func index() throws -> JSON {
        let collections = try store.readLiving { reader in
            try reader.collections().map { path -> JSON in
                [
                    "name": .string("\(path)"), "count": JSON(try reader.count(in: path)),
                    "sequence": JSON(try reader.lastSequence(in: path)),
                    "conflicts": JSON(try reader.conflicts(in: path).count),
                    "indexes": JSON(try reader.indexes(in: path).count),
                ]
            }
        }
        return [
            "name": .string(name), "write": .bool(mayWrite),
            "scheme": .string(store.scheme == .vectors ? "vectors" : "trees"),
            "collections": .array(collections),
        ]
    }

    /// A document with its revisions and blobs.
    func document(_ target: HTTPTarget) throws -> JSON {
        let (path, id) = try StudioRequestTarget.document(target)
        return try store.readLiving { reader in
            guard let document = try reader.document(id, in: path, includingTombstones: true) else {
                throw RESTError(404, "not_found", "document \"\(id)\" not found in \(path)")
            }
            let graph = RevisionGraph(
                try reader.revisions(of: id, in: path),
                remotes: try reader.remotes(),
                source: store.source
            )
            // The path to each includes all names along it, so a short body can have very long ones.
            let named = try BlobReferences.all(in: document.body.span).lazy
                .filter { $0.pointerByteCount <= limits.shownByteCount }
                .prefix(limits.blobCount)
            let blobs: [JSON] = named.map { Self.shown($0, in: store.blobs) }
            return [
                "collection": .string("\(path)"), "id": .string(id.text),
                "rev": .string("\(document.revisionID)"), "sequence": JSON(document.sequence),
                "deleted": .bool(document.isTombstone),
                "conflict": .bool(document.flags.contains(.conflicted)),
                "bytes": JSON(document.body.count),
                "doc": document.isTombstone ? .null : try StudioBody.json(document.body),
                "revisions": .array(graph.nodes), "blobs": .array(blobs),
                "write": .bool(mayWrite),
            ]
        }
    }

    /// The body of a revision that is still kept.
    func revision(_ target: HTTPTarget) throws -> JSON {
        let (path, id) = try StudioRequestTarget.document(target)
        let wanted = target["rev"].flatMap { RevisionID($0) }
        let found = try wanted.flatMap { wanted in
            try store.readLiving { try $0.revision(id, wanted, in: path) }
        }
        guard let found else {
            throw RESTError(404, "not_found", "the body of this revision is not kept")
        }
        return try Self.side(found)
    }

    /// A blob of a document, which is shown whatever its content is.
    static func shown(_ blob: BlobReference, in blobs: BlobStore) -> JSON {
        var (isPicture, isReadable) = (false, true)
        do {
            isPicture = try PictureKind(of: blob.digest, in: blobs) != nil
        } catch {
            isReadable = false
        }
        return [
            "pointer": .string(blob.pointer), "digest": .string("\(blob.digest)"),
            "type": blob.members["content_type"] ?? .null,
            "here": .bool(blobs.contains(blob.digest)), "readable": .bool(isReadable),
            "length": blobs.byteCount(blob.digest).map { JSON($0) } ?? .null,
            "picture": .bool(isPicture),
        ]
    }

    /// The documents with unresolved conflicts.
    func conflicts() throws -> JSON {
        try store.readLiving { reader in
            var rows: [JSON] = []
            for path in try reader.collections() {
                let rest = max(0, limits.conflictCount - rows.count)
                for id in try reader.conflicts(in: path).prefix(rest) {
                    rows.append(["collection": .string("\(path)"), "id": .string(id.text)])
                }
            }
            return ["conflicts": .array(rows)]
        }
    }

    /// Both sides of a conflict, what they have in common, and the result of a merge.
    func conflict(_ target: HTTPTarget) throws -> JSON {
        let (path, id) = try StudioRequestTarget.document(target)
        guard let conflict = try store.readLiving({ try $0.conflict(of: id, in: path) }) else {
            throw RESTError(404, "not_found", "document \"\(id)\" has no conflict")
        }
        let merged = try FieldMergeResolver().resolve(
            Conflict(
                documentID: id,
                local: Leaf(conflict.local, at: conflict.precedence.local),
                remote: Leaf(conflict.remote, at: conflict.precedence.remote),
                base: conflict.base?.body
            )
        )
        let proposal: JSON =
            switch merged {
            case .keepLocal: try Self.body(conflict.local)
            case .keepRemote: try Self.body(conflict.remote)
            case .merge(let body, _): try StudioBody.json(body)
            case .delete: .null
            }
        return [
            "collection": .string("\(path)"), "id": .string(id.text),
            "local": try Self.side(conflict.local), "remote": try Self.side(conflict.remote),
            "base": try conflict.base.map { try Self.side($0) } ?? .null, "merged": proposal,
            "write": .bool(mayWrite),
        ]
    }

    private static func side(_ revision: StoredRevision) throws -> JSON {
        [
            "rev": .string("\(revision.revisionID)"), "deleted": .bool(revision.isTombstone),
            "doc": try body(revision),
        ]
    }

    private static func body(_ revision: StoredRevision) throws -> JSON {
        revision.isTombstone || revision.body.isEmpty ? .null : try StudioBody.json(revision.body)
    }

    /// The latest changes of each collection in turn, the newest first.
    func changes() throws -> JSON {
        let count = limits.changeCount
        return try store.readLiving { reader in
            var rows: [JSON] = []
            for path in try reader.collections() {
                let last = try reader.lastSequence(in: path)
                let start = last - min(last, UInt64(clamping: count))
                let changes = try reader.changes(in: path, after: start, limit: count)
                rows += changes.reversed().map { StudioFeed.json($0, path) }
            }
            return ["changes": .array(rows)]
        }
    }

    /// The rows of a query, and how it was run.
    func query(_ request: HTTPRequest, body: [UInt8]) throws -> JSON {
        var (text, parameters) = (request.target["q"], JSONObject())
        if !body.isEmpty {
            let object = try JSON(parsing: body.withoutByteOrderMark).object
            text = object?["query"]?.string
            parameters = object?["parameters"]?.object ?? [:]
        }
        guard let text, !text.isEmpty else {
            throw RESTError(400, "bad_request", "enter a query, such as SELECT * FROM _ LIMIT 10")
        }
        let query = try RESTQuery(
            QueryStatement(sql: text),
            text,
            of: store,
            named: name,
            parameters: parameters,
            timeout: limits.queryTimeout
        )
        let answer = try query.table(limit: limits.rowCount, byteCount: limits.answerByteCount)
        guard var table = answer.object else { return .null }
        table["plan"] = try query.plan()
        return .object(table)
    }

    /// The content of a blob: a picture to display, anything else to be saved.
    func blob(_ request: HTTPRequest, on queue: WorkQueue) throws -> HTTPResponse {
        let (path, id) = try StudioRequestTarget.document(request.target)
        let pointer = request.target["pointer"] ?? ""
        guard let document = try store.readLiving({ try $0.document(id, in: path) }),
            let blob = try BlobReferences.all(in: document.body.span).first(where: {
                $0.pointerByteCount == pointer.utf8.count
                    && $0.pointer.utf8.elementsEqual(pointer.utf8)
            })
        else { throw RESTError(404, "not_found", "document \"\(id)\" has no blob at \(pointer)") }
        var headers: HTTPHeaders = [
            "Content-Security-Policy": "default-src 'none'; sandbox"
        ]
        // By its first bytes: a document can claim anything about a blob.
        if let kind = try PictureKind(of: blob.digest, in: store.blobs) {
            headers.append("Content-Type", kind.rawValue)
        } else {
            headers.append("Content-Type", "application/octet-stream")
            headers.append("Content-Disposition", "attachment; filename=\"blob\"")
        }
        let body = BlobBody(digest: blob.digest, store: store, queue: queue)
        return try body.response(to: request, headers)
    }
}

/// Reads the bodies of documents.
enum StudioBody {
    /// Parses a stored body of any length.
    static func json(_ body: [UInt8]) throws(JSONError) -> JSON {
        try JSON(parsing: body, limits: StorageLimits.bodyText)
    }
}

/// Reads the collection and document that a request names.
enum StudioRequestTarget {
    static func collection(_ target: HTTPTarget) throws(RESTError) -> CollectionPath {
        guard let path = CollectionPath(target["collection"] ?? "_default") else {
            throw RESTError(400, "bad_request", "collection must be scope.name")
        }
        return path
    }

    static func document(_ target: HTTPTarget) throws -> (CollectionPath, DocumentID) {
        guard let id = target["id"] else {
            throw RESTError(400, "bad_request", "id is missing")
        }
        return (try collection(target), try DocumentID(received: id))
    }
}

extension Leaf {
    fileprivate init(_ revision: StoredRevision, at precedence: Precedence) {
        self.init(
            revisionID: revision.revisionID,
            isTombstone: revision.isTombstone,
            body: revision.body,
            precedence: precedence
        )
    }
}
