import DivanHTTP
import DivanJSON
import DivanRevisions
import DivanStore

/// Lists the documents of a collection in the order of their IDs.
struct ListingResource {
    let call: RESTCall
    let collection: CollectionPath

    func answer() throws -> HTTPResponse {
        try call.check(collection)
        guard ["GET", "HEAD"].contains(call.request.method) else {
            throw RESTError.method("GET, HEAD")
        }
        let limit: Int = try call.number("limit", in: 1...Int.max) ?? Int.max
        let listing = Listing(
            call: call,
            collection: collection,
            prefix: call.request.target["prefix"] ?? "",
            includesDocuments: try call.flag("include_docs")
        )
        let start = call.request.target["after"].map { DocumentID(unchecked: $0) }
        let progress = ListProgress(last: start, rest: limit)
        let list = ListBody("rows") {
            let (last, rest) = progress.value
            let page = try listing.page(
                after: last,
                limit: min(rest, listing.call.limits.pageCount)
            )
            let left = rest - page.items.count
            let isEnd = page.isLast || left == 0
            progress.value = (page.last ?? last, left)
            let next = page.isLast ? nil : page.last
            return ListBody.Page(
                items: page.items,
                end: isEnd ? next.map { ["next": .string($0.text)] } ?? [:] : nil
            )
        }
        let body = PagedBody(on: call.queue, read: { try list.read() })
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"],
            body: .pieces(body, byteCount: nil)
        )
    }
}

/// The rows of a list, page by page.
private struct Listing: Sendable {
    let call: RESTCall
    let collection: CollectionPath
    /// How the IDs begin.
    let prefix: String
    let includesDocuments: Bool

    struct Page {
        var items: [[UInt8]] = []
        var last: DocumentID?
        var isLast: Bool
    }

    func page(after last: DocumentID?, limit: Int) throws -> Page {
        try call.store.read { reader in
            guard call.rights.condition == nil else {
                return try visiblePage(after: last, limit: limit, reader)
            }
            // One more tells whether there is more.
            let ids = try documentIDs(after: last, limit: limit + 1, reader)
            let shown = ids.prefix(limit)
            let items = try shown.compactMap { id -> [UInt8]? in
                guard let document = try reader.document(id, in: collection) else { return nil }
                return try row(document, sequence: document.sequence)
            }
            return Page(items: items, last: shown.last, isLast: ids.count <= limit)
        }
    }

    /// The same of the documents that the client may see; nothing tells where others stand between.
    private func visiblePage(
        after last: DocumentID?,
        limit: Int,
        _ reader: StoreReader
    ) throws -> Page {
        var page = Page(isLast: false)
        var place = last
        while true {
            let ids = try documentIDs(after: place, limit: call.limits.pageCount, reader)
            for id in ids {
                guard let document = try call.document(id, in: collection, reader) else {
                    continue
                }
                if page.items.count == limit { return page }
                page.items.append(try row(document, sequence: nil))
                page.last = id
            }
            guard ids.count == call.limits.pageCount else { break }
            place = ids.last
        }
        page.isLast = true
        return page
    }

    private func documentIDs(
        after last: DocumentID?,
        limit: Int,
        _ reader: StoreReader
    ) throws -> [DocumentID] {
        try reader.documentIDs(in: collection, prefix: prefix, after: last, limit: limit)
    }

    private func row(_ document: StoredDocument, sequence: UInt64?) throws -> [UInt8] {
        var row: JSONObject = [
            "id": .string(document.documentID.text), "rev": .string("\(document.revisionID)"),
        ]
        if let sequence { row["sequence"] = JSON(sequence) }
        return try JSON.object(row).canonicalBytes().adding(
            "doc",
            includesDocuments ? document.body : nil
        )
    }
}

extension [UInt8] {
    /// The text of an object with one more member at its end, whose value is a text already.
    func adding(_ key: String, _ value: [UInt8]?) -> [UInt8] {
        guard let value else { return self }
        return dropLast() + Array(",\"\(key)\":".utf8) + value + [UInt8(ascii: "}")]
    }
}
