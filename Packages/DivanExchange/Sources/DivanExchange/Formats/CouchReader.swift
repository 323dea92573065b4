import DivanJSON

/// Reads the output of CouchDB and PouchDB: `_all_docs`, `_find`, `_bulk_docs` and `_changes`, as one
/// object with an array of documents, as an array, or with one per line; the stream of `pouchdb-dump`, a
/// line about the database and then objects with an array `docs` each; and the files of `couchbackup`,
/// an array per line, which may have been resumed.
///
/// `_id` stays the ID. `_rev` and CouchDB's other members with an underscore belong to its own history
/// and are left out, unless revision IDs are to be kept. An attachment becomes a blob under `attachments`
/// if its content is included (`?attachments=true`). Design documents are programs for CouchDB and are
/// left out, too. Of several leaves of a document, which a stream has, the one that CouchDB shows is used.
///
/// Source: the HTTP API reference of CouchDB 3; the README of pouchdb-replication-stream.
struct CouchReader {
    private let keepsRevisions: Bool
    private let body: (inout DocumentText) throws -> Void
    /// A leaf that waits until another document arrives.
    private var held: (leaf: CouchLeaf, entry: DocumentText)?

    /// Calls `body` for each document of an input.
    ///
    /// With `keepingRevisions`, a document's revision IDs stay in its text.
    static func read(
        _ file: ByteSource,
        keepingRevisions: Bool,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        try withoutActuallyEscaping(body) { body in
            var reader = CouchReader(keepsRevisions: keepingRevisions, body: body)
            var lines = ResumedLines()
            var finder = ArrayFinder(name: file.name)
            var splitter = DocumentSplitter(name: file.name, tellsBytes: false)
            func receive(_ part: ResumedLines.Part) throws {
                switch part {
                case .bytes(let bytes):
                    let found = try finder.receive(bytes)
                    try splitter.receive(found) { try reader.take(&$0) }
                case .interruption: splitter.abandonArray()
                }
            }
            do {
                while case let piece = try file.read(), !piece.isEmpty {
                    try lines.receive(piece).forEach(receive)
                }
                try lines.finish().forEach(receive)
                try splitter.receive(try finder.finish()) { try reader.take(&$0) }
                try splitter.finish { try reader.take(&$0) }
            } catch {
                // A revision that another leaf would replace cannot be replaced later.
                if !keepingRevisions { try reader.release() }
                throw error
            }
            try reader.release()
        }
    }

    /// What a text contains.
    private enum Content {
        /// A document, which the text is now, and its revisions if they are known.
        case document(CouchLeaf?)
        /// A document that cannot be imported.
        case refused(ExchangeError)
        /// No document for us.
        case nothing
        /// Not an object.
        case unknown
    }

    /// Passes on the document in a row, if any.
    private mutating func take(_ entry: inout DocumentText) throws {
        switch try content(of: &entry) {
        case .nothing: return
        case .document(let leaf?):
            if let held, held.leaf.isOfSameDocument(as: leaf) {
                if leaf.wins(over: held.leaf) { self.held = (leaf, entry) }
                return
            }
            try release()
            held = (leaf, entry)
        case .document(nil), .unknown:
            try release()
            try body(&entry)
        case .refused(let failure):
            if let documents = Self.bulkDocuments(in: entry.bytes) {
                for document in documents {
                    var inner = entry
                    inner.bytes = try document.canonicalBytes()[...]
                    try take(&inner)
                }
                return
            }
            try release()
            var refused = DocumentText(place: entry.place, refusedFor: failure)
            try body(&refused)
        }
    }

    /// Replaces the text of a row by that of its document; both are in memory only here.
    private mutating func content(of entry: inout DocumentText) throws -> Content {
        guard let row = CouchRow(entry.bytes) else { return .unknown }
        let members = row.members
        let document: JSONObject?
        do {
            document = try Self.document(of: members)
        } catch {
            let isRow = members["key"] != nil || members["id"] != nil
            guard members["error"] == nil || isRow else {
                // About the whole answer, which holds no documents.
                try release()
                throw error.at(entry.place)
            }
            return .refused(error)
        }
        guard var document else { return .nothing }
        if keepsRevisions {
            let isDocument = members["_id"] != nil
            let whole = isDocument ? members : members["doc"]?.object ?? members
            for key in ["_rev", "_revisions"] { document[key] = whole[key] }
        }
        entry.bytes = try row.canonicalBytes(of: document)[...]
        return .document(CouchLeaf(members))
    }

    /// The documents and errors in a result of `_bulk_get`; `nil` for any other row.
    private static func bulkDocuments(in text: ArraySlice<UInt8>) -> [JSON]? {
        guard let row = (try? JSON(parsing: text))?.object, row["id"] != nil else { return nil }
        return row["docs"]?.array?.compactMap { $0.object?["ok"] ?? $0.object?["error"] }
    }

    /// Passes on the waiting leaf.
    private mutating func release() throws {
        guard var entry = held?.entry else { return }
        held = nil
        try body(&entry)
    }

    /// The document in a row, in the form of an import; `nil` if it has none for us.
    private static func document(of row: JSONObject) throws(ExchangeError) -> JSONObject? {
        guard let id = (row["_id"] ?? row["id"])?.string else {
            // The last line of a changes feed.
            if row["last_seq"] != nil { return nil }
            throw stranger(row)
        }
        if id.hasPrefix("_design/") || id.hasPrefix("_local/") { return nil }
        let isDeleted =
            row["deleted"]?.bool == true || row["_deleted"]?.bool == true
            || row["value"]?.object?["deleted"]?.bool == true
            || row["doc"]?.object?["_deleted"]?.bool == true
        if isDeleted { return ["_id": .string(id), "_deleted": true] }
        let isRow = row["_id"] == nil
        if isRow, row["doc"] == nil, let error = row["error"]?.string {
            throw ExchangeError(.invalid, "CouchDB returned no document '\(id)': \(error)")
        }
        guard let whole = isRow ? row["doc"]?.object : row else {
            throw ExchangeError(
                .invalid,
                "the file contains only the ID of document '\(id)'",
                remedy: "export with '?include_docs=true'"
            )
        }
        var document = JSONObject()
        for (key, value) in whole where !key.hasPrefix("_") { document[key] = value }
        document["_id"] = .string(id)
        guard let attachments = whole[InlineBlobs.attachmentsKey]?.object else { return document }
        guard document["attachments"] == nil else {
            throw ExchangeError(
                .invalid,
                "document '\(id)' has both attachments and a property 'attachments'"
            )
        }
        document["attachments"] = .object(try blobs(attachments, id))
        return document
    }

    /// The failure for an object that is not a CouchDB document.
    private static func stranger(_ row: JSONObject) -> ExchangeError {
        if let error = row["error"]?.string {
            if let key = row["key"] {
                return ExchangeError(
                    .invalid,
                    "CouchDB returned no document for key \(key.canonicalText): \(error)"
                )
            }
            let reason = row["reason"]?.string.map { ": \($0)" } ?? ""
            return ExchangeError(
                .invalid,
                "CouchDB returned an error: \(error)\(reason)",
                remedy: "correct the request, and export the documents again"
            )
        }
        return ExchangeError(
            .notCouchDocument,
            "not a CouchDB document: it has no _id",
            remedy: "export with '_all_docs?include_docs=true&attachments=true' or pouchdb-dump"
        )
    }

    private static func blobs(
        _ attachments: JSONObject,
        _ id: String
    ) throws(ExchangeError) -> JSONObject {
        var blobs = JSONObject()
        for (name, value) in attachments {
            guard let data = value.object?["data"] else {
                throw ExchangeError(
                    .invalid,
                    "attachment '\(name)' of document '\(id)' has no content",
                    remedy: "export with '?attachments=true'"
                )
            }
            blobs[name] = [
                "@type": "blob", "data": data,
                "content_type": value.object?["content_type"] ?? "application/octet-stream",
            ]
        }
        return blobs
    }
}
