import DivanDatabase
import DivanJSON
import DivanREST
import DivanRevisions
import DivanTestKit

/// A store in memory behind a server.
final class Served {
    let store = Store.inMemory()
    let server: RESTServer
    let port: UInt16

    init(_ change: (inout RESTConfiguration) -> Void = { _ in }) throws {
        var configuration = RESTConfiguration(databases: ["notes": store])
        configuration.networkInterface = "127.0.0.1"
        change(&configuration)
        server = RESTServer(configuration)
        port = try server.start()
    }

    deinit { server.stop() }

    func visitor() throws -> HTTPTestClient { try HTTPTestClient(port: port) }

    @discardableResult
    func put(
        _ id: String,
        _ body: String,
        in collection: CollectionPath = .default
    ) throws -> String {
        let outcome = try store.save(
            DocumentID(unchecked: id),
            in: collection,
            body: Array(body.utf8)
        )
        guard case .saved(let document) = outcome else { return "" }
        return "\(document.revisionID)"
    }
}

extension HTTPTestClient.Answer {
    func json() throws -> JSON { try JSON(parsing: body) }
}
