import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanRevisions

/// Saves and deletes several documents in one transaction: `{"docs": [{"_id": …, "_rev": …, …}]}`.
///
/// Documents that cannot be saved have an error in their place of the answer, and the others are saved. If the
/// transaction fails, no document is saved.
///
/// The form is that of CouchDB's and Sync Gateway's endpoint of this name.
struct BulkResource {
    let call: RESTCall
    let collection: CollectionPath

    func answer(body: [UInt8]) throws -> HTTPResponse {
        try call.check(collection)
        try call.checkWriting()
        let object = try JSON(parsing: body.withoutByteOrderMark).object
        guard let object, let items = object["docs"]?.array else {
            throw RESTError.bad(#"the body must be {"docs": [{"_id": "…", …}]}"#)
        }
        guard object["new_edits"]?.bool ?? true else {
            throw RESTError.bad("new_edits=false is not supported; remove it")
        }
        guard items.count <= call.limits.bulkDocumentCount else {
            let limit = call.limits.bulkDocumentCount
            throw RESTError(413, "too_large", "send at most \(limit) documents in one request")
        }
        let results = try call.store.write { writer in
            try items.map { item in try result(of: item, writer) }
        }
        return .json(.array(results), status: 201)
    }

    /// The result for one document; an error of the server ends the transaction.
    private func result(of item: JSON, _ writer: StoreWriter) throws -> JSON {
        do {
            let saved = try save(item, writer)
            return [
                "ok": true, "id": .string(saved.documentID.text),
                "rev": .string("\(saved.revisionID)"),
            ]
        } catch {
            var failure = RESTError(error)
            guard failure.status < 500 else { throw error }
            if let id = item["_id"] { failure.members["id"] = id }
            return .object(failure.object)
        }
    }

    private func save(_ item: JSON, _ writer: StoreWriter) throws -> StoredDocument {
        guard var members = item.object else {
            throw RESTError.bad("a document must be a JSON object: {…}")
        }
        let isDeletion = try Self.flag("_deleted", in: members)
        let expected = try Self.text("_rev", in: members).map {
            ExpectedRevision.exactly(ExactText($0))
        }
        let documentID = try Self.text("_id", in: members).map { try DocumentID(received: $0) }
        for key in ["_id", "_rev", "_deleted"] { members[key] = nil }
        let resource = DocumentResource(
            call: call,
            collection: collection,
            documentID: documentID ?? CollectionResource.makeID()
        )
        if isDeletion { return try resource.remove(expected, writer) }
        let body = try JSON.object(members).canonicalBytes()
        try call.checkStoring(body, as: resource.documentID)
        return try resource.put(body, over: expected, writer)
    }

    private static func text(_ key: String, in members: JSONObject) throws(RESTError) -> String? {
        guard let value = members[key] else { return nil }
        guard let text = value.string else { throw .bad("\"\(key)\" must be a string") }
        return text
    }

    private static func flag(_ key: String, in members: JSONObject) throws(RESTError) -> Bool {
        guard let value = members[key] else { return false }
        guard let flag = value.bool else { throw .bad("\"\(key)\" must be true or false") }
        return flag
    }
}
