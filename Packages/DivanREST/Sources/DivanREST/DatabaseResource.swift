import DivanHTTP
import DivanJSON
import DivanStore

/// Describes the contents of a database.
struct DatabaseResource {
    let call: RESTCall

    func answer(_ name: String) throws -> HTTPResponse {
        guard ["GET", "HEAD"].contains(call.request.method) else {
            throw RESTError.method("GET, HEAD")
        }
        let collections = try call.store.readLiving { reader in
            try reader.collections().filter(call.mayUse)
                .map { JSON.object(try call.figures(of: $0, reader)) }
        }
        return .json([
            "name": .string(name), "collections": .array(collections),
            "writable": .bool(!call.rights.isReadOnly && !call.store.isReadOnly),
        ])
    }
}
