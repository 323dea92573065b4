import DivanDatabase
import DivanHTTP
import DivanJSON

/// Describes the contents of a database.
struct DatabaseResource {
    let call: RESTCall

    func answer(
        _ name: String,
        _ queries: [ExactText: RESTNamedQuery]
    ) throws -> HTTPResponse {
        let collections = try call.store.readLiving { reader in
            try reader.collections().filter(call.mayUse)
                .map { JSON.object(try call.figures(of: $0, reader)) }
        }
        let names = queries.keys.sorted().map(\.text).filter(call.rights.queries.allows)
        return .json([
            "name": .string(name), "collections": .array(collections),
            "writable": .bool(!call.rights.isReadOnly && !call.store.isReadOnly),
            "queries": .array(names.compactMap { queries[ExactText($0)]?.described(as: $0) }),
        ])
    }
}
