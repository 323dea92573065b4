import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanREST
import DivanRevisions

/// Saves a batch of documents that the page read from a file.
struct StudioImport {
    let store: Store
    let limits: StudioLimits

    /// `{"documents":[{"id":…,"doc":{…}}],"replace":…}`: existing documents are skipped unless they are replaced.
    ///
    /// Documents that cannot be saved are listed with a reason, and the others are saved in one transaction.
    func save(_ request: HTTPRequest, _ bytes: [UInt8]) throws -> JSON {
        let path = try StudioRequestTarget.collection(request.target)
        let object = try JSON(parsing: bytes.withoutByteOrderMark).object
        guard let documents = object?["documents"]?.array else {
            let reason = #"the body must be {"documents":[{"id":…,"doc":{…}}]}"#
            throw RESTError(400, "bad_request", reason)
        }
        guard documents.count <= limits.importCount else {
            let reason = "at most \(limits.importCount) documents in one request"
            throw RESTError(413, "too_large", reason)
        }
        let replaces = object?["replace"]?.bool ?? false
        let (savedCount, skippedCount, failures) = try store.write { writer in
            var (savedCount, skippedCount, failures) = (0, 0, [JSON]())
            for item in documents {
                do {
                    let isSaved = try save(item, in: path, replaces, writer)
                    if isSaved { savedCount += 1 } else { skippedCount += 1 }
                } catch {
                    let error = RESTError(error)
                    guard error.status < 500 else { throw error }
                    failures.append(["id": item["id"] ?? .null, "reason": .string(error.reason)])
                }
            }
            return (savedCount, skippedCount, failures)
        }
        return [
            "saved": JSON(savedCount), "skipped": JSON(skippedCount), "failed": .array(failures),
        ]
    }

    /// Whether the document was saved; an existing one is skipped.
    private func save(
        _ item: JSON,
        in path: CollectionPath,
        _ replaces: Bool,
        _ writer: StoreWriter
    ) throws -> Bool {
        let id = try DocumentID(checking: item["id"]?.string ?? "")
        let body = try StudioEditing.body(item["doc"] ?? .null)
        let current = try writer.document(id, in: path)
        if let current, !current.isTombstone, !replaces { return false }
        let outcome = try writer.save(
            id,
            in: path,
            body: body.bytes,
            hasBlobs: body.hasBlobs,
            parent: .revision(current?.revisionID)
        )
        guard case .saved = outcome else { return false }
        return true
    }
}
