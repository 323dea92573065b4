import DivanDatabase
import DivanHTTP
import DivanJSON

/// Reads, sets and removes the value at a path in a document.
///
/// Like a patch, a change without an expected revision applies to the current one, whichever that is.
struct SubDocumentResource {
    let document: DocumentResource
    let path: String

    private var call: RESTCall { document.call }

    func answer(body: [UInt8]) throws -> HTTPResponse {
        guard let pointer = JSONPointer(path) else {
            throw RESTError.bad("path must be a JSON pointer, such as /address/city")
        }
        switch call.request.method {
        case "GET", "HEAD": return try read(pointer)
        case "PUT":
            let value = try JSON(parsing: body.withoutByteOrderMark)
            return try change { editor throws(JSONPatchEditor.Fault) in
                try editor.set(value, at: pointer)
            }
        case "DELETE":
            guard !pointer.steps.isEmpty else {
                throw RESTError.bad("path is empty; omit it to delete the document")
            }
            return try change { editor throws(JSONPatchEditor.Fault) in
                _ = try editor.remove(at: pointer)
            }
        default: throw call.wrongMethod
        }
    }

    private func read(_ pointer: JSONPointer) throws -> HTTPResponse {
        let found = try call.store.readLiving { reader in
            try call.document(document.documentID, in: document.collection, reader)
        }
        guard let stored = found else { throw document.missing }
        return try document.response(with: stored) {
            try call.checkParsing(stored.body)
            let tree = try JSON(parsing: stored.body, limits: StorageLimits.bodyText)
            guard let value = tree[pointer] else { throw missing }
            return try value.canonicalBytes()
        }
    }

    private func change(
        _ body: (inout JSONPatchEditor) throws(JSONPatchEditor.Fault) -> Void
    ) throws -> HTTPResponse {
        try call.checkWriting()
        if call.request.headers["If-None-Match"] != nil {
            throw RESTError.bad("If-None-Match cannot be used with path; remove it")
        }
        let saved = try DocumentChange(resource: document).save { tree in
            var editor = JSONPatchEditor(document: tree, rest: call.limits.patchWorkByteCount)
            tree = .null
            do throws(JSONPatchEditor.Fault) {
                try body(&editor)
            } catch .missing {
                throw missing
            } catch {
                throw error.error("path \"\(path)\"")
            }
            tree = editor.document
        }
        return document.written(saved, status: 200)
    }

    private var missing: RESTError {
        .notFound("document \"\(document.documentID)\" has no value at \"\(path)\"")
    }
}
