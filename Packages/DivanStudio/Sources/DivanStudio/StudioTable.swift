import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanQuery
import DivanREST
import DivanRevisions

/// The pages of a collection's table: in the order of IDs, or as a query filters and sorts them.
struct StudioTable: Sendable {
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

    /// A page of documents.
    ///
    /// `after` and `before` continue in the order of IDs; a page with `where` or `sort` continues at an `offset`.
    func page(_ target: HTTPTarget) throws -> JSON {
        let path = try StudioRequestTarget.collection(target)
        let limit = min(target["limit"].flatMap { Int($0) } ?? 50, limits.pageCount)
        guard limit > 0 else { throw RESTError(400, "bad_request", "limit must be at least 1") }
        var page: JSONObject
        if let request = try StudioTableRequest(target, in: path) {
            page = try queried(request, limit)
        } else {
            page = try listed(target, in: path, limit)
        }
        page["collection"] = .string("\(path)")
        page["write"] = .bool(mayWrite)
        return .object(page)
    }

    private func listed(
        _ target: HTTPTarget,
        in path: CollectionPath,
        _ limit: Int
    ) throws -> JSONObject {
        let after = target["after"].map { DocumentID(unchecked: $0) }
        return try store.readLiving { reader in
            // One extra ID shows whether there are more.
            let ids = try reader.documentIDs(
                in: path,
                prefix: target["prefix"] ?? "",
                after: after,
                limit: limit + 1
            )
            let shown = ids.prefix(limit)
            var page = try members(shown, in: path, reader)
            if ids.count > limit, let last = shown.last { page["next"] = .string(last.text) }
            if after != nil, let first = shown.first { page["previous"] = .string(first.text) }
            return page
        }
    }

    private func queried(_ request: StudioTableRequest, _ limit: Int) throws -> JSONObject {
        var ids = try column(request.statement(limit: limit + 1), request)
            .compactMap { $0.string.map { DocumentID(unchecked: $0) } }
        let hasMore = ids.count > limit
        ids = Array(ids.prefix(limit))
        var count: JSON?
        if request.isFiltered { count = try column(request.countStatement, request).first }
        if request.isBackwards { ids.reverse() }
        return try store.readLiving { reader in
            var page = try members(ids[...], in: request.path, reader)
            page["matching"] = count
            guard request.isBackwards else {
                page["offset"] = JSON(request.offset)
                page["more"] = .bool(hasMore)
                return page
            }
            if let last = ids.last { page["next"] = .string(last.text) }
            if hasMore, let first = ids.first { page["previous"] = .string(first.text) }
            return page
        }
    }

    /// The first column of a query's rows.
    private func column(_ text: String, _ request: StudioTableRequest) throws -> [JSON] {
        let query = try RESTQuery(
            QueryStatement(sql: text),
            text,
            of: store,
            named: name,
            parameters: request.parameters,
            timeout: limits.queryTimeout
        )
        let table = try query.table(
            limit: limits.pageCount + 1,
            byteCount: limits.answerByteCount
        )
        return table["rows"]?.array?.compactMap { $0.array?.first } ?? []
    }

    private func members(
        _ ids: ArraySlice<DocumentID>,
        in path: CollectionPath,
        _ reader: StoreReader
    ) throws -> JSONObject {
        [
            "count": JSON(try reader.count(in: path)),
            "rows": .array(try ids.compactMap { try row($0, in: path, reader) }),
        ]
    }

    /// A damaged document is listed, too.
    private func row(
        _ id: DocumentID,
        in path: CollectionPath,
        _ reader: StoreReader
    ) throws -> JSON? {
        do {
            return try reader.document(id, in: path).map(row)
        } catch let error as StoreError where error.concernsOneDocument {
            return ["id": .string(id.text), "damage": .string(error.explanation)]
        }
    }

    private func row(_ document: StoredDocument) throws -> JSON {
        let hasBlobs = document.flags.contains(.hasBlobs)
        var row: JSONObject = [
            "id": .string(document.documentID.text), "rev": .string("\(document.revisionID)"),
            "sequence": JSON(document.sequence), "bytes": JSON(document.body.count),
            "conflict": .bool(document.flags.contains(.conflicted)), "blobs": .bool(hasBlobs),
        ]
        if document.body.count <= limits.shownByteCount {
            row["doc"] = try StudioBody.json(document.body)
            if hasBlobs { row["pictures"] = .array(try pictures(in: document.body)) }
        }
        return .object(row)
    }

    /// The places of the pictures in a short body; an unreadable blob is none.
    private func pictures(in body: [UInt8]) throws -> [JSON] {
        try BlobReferences.all(in: body.span).prefix(limits.thumbnailCount).filter { blob in
            guard let byteCount = store.blobs.byteCount(blob.digest),
                byteCount <= limits.thumbnailByteCount
            else { return false }
            return (try? PictureKind(of: blob.digest, in: store.blobs)) != nil
        }.map { .string($0.pointer) }
    }
}

/// What a table's page filters and sorts by, as a query for the IDs of its documents.
struct StudioTableRequest {
    let path: CollectionPath
    let offset: Int
    /// Whether it is the page before a document.
    let isBackwards: Bool
    let parameters: JSONObject
    private let conditions: [String]
    private let order: String

    /// Reads what a request asks for; `nil` if the list of IDs has it.
    ///
    /// - Throws: `QueryError` with the position in the condition.
    init?(_ target: HTTPTarget, in path: CollectionPath) throws {
        let filter = target["where"].flatMap { $0.isEmpty ? nil : $0 }
        let sort = target["sort"]
        let before = target["before"]
        let isDescending = target["order"] == "descending"
        guard filter != nil || sort != nil || before != nil || isDescending else { return nil }
        self.path = path
        offset = max(0, target["offset"].flatMap { Int($0) } ?? 0)
        isBackwards = before != nil && filter == nil && sort == nil && !isDescending
        var (conditions, parameters) = ([String](), JSONObject())
        if let filter {
            let expressions = try QueryStatement.indexedExpressions(sql: filter)
            guard expressions.count == 1, let condition = expressions.first else {
                let advice = "such as city = 'Oslo' AND price < 100"
                throw RESTError(400, "bad_query", "the filter must be one condition, \(advice)")
            }
            // Printed again, so that it is in brackets as it was understood.
            conditions.append("(\(condition.sql))")
        }
        if let prefix = target["prefix"], !prefix.isEmpty {
            conditions.append("META().id >= $prefix AND META().id < $end")
            parameters["prefix"] = .string(prefix)
            parameters["end"] = .string(prefix + "\u{10FFFF}")
        }
        if isBackwards, let before {
            conditions.append("META().id < $before")
            parameters["before"] = .string(before)
        }
        (self.conditions, self.parameters) = (conditions, parameters)
        let direction = isDescending || isBackwards ? " DESC" : ""
        let property = sort.map { QueryExpression(.property(QueryPath(keys: $0))).sql }
        order = property.map { "\($0)\(direction), META().id" } ?? "META().id\(direction)"
    }

    /// Whether it has only some of the documents, so that they are counted.
    var isFiltered: Bool { !conditions.isEmpty && !isBackwards }

    /// The query for the IDs.
    func statement(limit: Int) -> String {
        "SELECT META().id \(source) ORDER BY \(order) LIMIT \(limit) OFFSET \(offset)"
    }

    /// The query for the number of documents.
    var countStatement: String { "SELECT COUNT(*) \(source)" }

    private var source: String {
        let place = "FROM `\(path.scope)`.`\(path.name)`"
        return conditions.isEmpty
            ? place : "\(place) WHERE \(conditions.joined(separator: " AND "))"
    }
}
