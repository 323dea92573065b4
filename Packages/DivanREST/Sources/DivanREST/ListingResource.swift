import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanLog
import DivanRevisions
import Synchronization

/// Lists the documents of a collection in the order of their IDs.
struct ListingResource {
    let call: RESTCall
    let collection: CollectionPath

    func answer() throws -> HTTPResponse {
        try call.check(collection)
        let limit: Int = try call.number("limit", in: 1...Int.max) ?? Int.max
        let listing = Listing(
            call: call,
            collection: collection,
            prefix: call.request.target["prefix"] ?? "",
            includesDocuments: try call.flag("include_docs")
        )
        let start = call.request.target["after"].map { DocumentID(unchecked: $0) }
        let reading = ListingReading(listing, after: start, limit: limit)
        let list = ListBody("rows") { try reading.next() }
        let body = PagedBody(on: call.queue, read: { try list.read() })
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"],
            body: .pieces(body, byteCount: nil)
        )
    }
}

/// Reads the rows of a list page by page, and each page in as many turns as it takes.
///
/// Used by one reader at a time.
private final class ListingReading: Sendable {
    private let listing: Listing
    private let state: Mutex<(page: Listing.Page, rest: Int)>
    /// Documents left out so far because they are damaged.
    private let damagedCount = Mutex(0)

    init(_ listing: Listing, after place: DocumentID?, limit: Int) {
        self.listing = listing
        state = Mutex((Listing.Page(place: place), limit))
    }

    /// The next page; `nil` while it is incomplete.
    func next() throws -> ListBody.Page? {
        var (page, rest) = state.withLock { $0 }
        try listing.fill(&page, upTo: min(rest, listing.call.limits.pageCount))
        guard page.isWhole else {
            state.withLock { [page] in $0.page = page }
            return nil
        }
        rest -= page.items.count
        let damagedCount = self.damagedCount.withLock { [page] in
            $0 += page.damagedCount
            return $0
        }
        let next = Listing.Page(place: page.place, list: page.list)
        state.withLock { [rest] in $0 = (next, rest) }
        var end: JSONObject? = page.isLast || rest == 0 ? [:] : nil
        if damagedCount > 0 { end?["damaged"] = JSON(damagedCount) }
        if !page.isLast, rest == 0, let last = page.last { end?["next"] = .string(last.text) }
        return ListBody.Page(items: page.items, end: end)
    }
}

/// The rows of a list, page by page.
private struct Listing: Sendable {
    let call: RESTCall
    let collection: CollectionPath
    /// The prefix of the IDs.
    let prefix: String
    let includesDocuments: Bool

    struct Page {
        /// Where to continue.
        var place: DocumentID?
        var items: [[UInt8]] = []
        /// Bytes of the items.
        var byteCount = 0
        /// Documents left out because they are damaged, as far as the client may see all.
        var damagedCount = 0
        /// The document of the last item.
        var last: DocumentID?
        /// Whether the page is complete.
        var isWhole = false
        /// Whether nothing follows it.
        var isLast = false
        /// For a list of all documents, their number so far.
        var list: ListCount?

        init(place: DocumentID?, list: ListCount? = nil) {
            self.place = place
            self.list = list
        }

        mutating func append(_ item: [UInt8]) {
            items.append(item)
            byteCount += item.count
        }
    }

    /// Continues until a page has `limit` items, or its turn is over.
    func fill(_ page: inout Page, upTo limit: Int) throws {
        // A slow client may take days to read it.
        try call.checkCurrent()
        page = try call.store.readLiving { [page] reader in
            guard call.rights.condition == nil else {
                return try filled(page, upTo: limit, reader)
            }
            // One extra ID shows whether there are more.
            let ids = try documentIDs(after: page.place, limit: limit + 1, reader)
            var page = page
            if page.place == nil, prefix.isEmpty {
                page.list = try ListCount(of: collection, reader)
            }
            var seen = 0
            while seen < min(ids.count, limit), page.byteCount < call.limits.pageByteCount {
                let id = ids[seen]
                seen += 1
                (page.last, page.place) = (id, id)
                let found = try call.unlessDamaged {
                    try call.document(id, in: collection, reader)
                }
                if found == nil { page.damagedCount += 1 }
                guard let document = found ?? nil else { continue }
                page.append(try row(document, sequence: document.sequence))
            }
            (page.isWhole, page.isLast) = (true, seen == ids.count)
            page.list?.count += seen
            if page.isLast, let list = page.list, try !isComplete(list, reader) {
                page.damagedCount += 1
            }
            return page
        }
    }

    /// Whether a list has all documents; one that lacks some because of damage is logged.
    private func isComplete(_ list: ListCount, _ reader: StoreReader) throws -> Bool {
        do {
            try reader.confirm(list)
            return true
        } catch let error as StoreError {
            switch error.code {
            case .damagedDocument, .corrupt:
                Log(.listener).warning("Damaged documents are missing from a list: \(error)")
                return false
            default: throw error
            }
        }
    }

    /// The same for the documents that the client may see; neither the rows nor the pieces of the answer reveal where
    /// others are.
    private func filled(_ page: Page, upTo limit: Int, _ reader: StoreReader) throws -> Page {
        var page = page
        var rest = call.limits.scanCount
        while rest > 0 {
            let count = min(rest, call.limits.pageCount)
            let ids = try documentIDs(after: page.place, limit: count, reader)
            for id in ids {
                if let document = try call.listed(id, in: collection, reader) {
                    // One extra document shows whether there are more.
                    guard page.items.count < limit,
                        page.byteCount < call.limits.pageByteCount
                    else {
                        page.isWhole = true
                        return page
                    }
                    page.append(try row(document, sequence: nil))
                    page.last = id
                }
                page.place = id
            }
            guard ids.count == count else {
                (page.isWhole, page.isLast) = (true, true)
                return page
            }
            rest -= count
        }
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
    /// The text of an object with one more member at its end, whose value is JSON text already.
    func adding(_ key: String, _ value: [UInt8]?) -> [UInt8] {
        guard let value else { return self }
        return dropLast() + Array(",\"\(key)\":".utf8) + value + [UInt8(ascii: "}")]
    }
}
