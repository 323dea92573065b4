import Divan
import Foundation

/// One process: a database, the listener that peers sync with, and an HTTP endpoint on the same data.
final class MenuServer {
    private let database: Database
    private let listener: Listener
    private let endpoint: HTTPEndpoint

    init(directory: String, password: String) throws {
        let directory = URL(filePath: directory)
        var opening = Database.Options()
        opening.publishesStatus = true  // divan top shows this program, too
        database = try Database.open("shop", in: directory, opening)
        let routes = MenuRoutes(menu: try database.collection("menu"))

        var sharing = Listener.Options()
        sharing.identityStorage = .directory(directory.appending(path: "identities"))
        let users = Listener.Users.passwords(["till": password])
        listener = try Listener.start(sharing: database, users: users, options: sharing)
        endpoint = HTTPEndpoint { request, body in try await routes.answer(request, body) }
    }

    /// Listens for browsers too, on another free port; returns the addresses.
    func open() throws -> [String] {
        let port = try endpoint.start()
        return ["http://127.0.0.1:\(port)/menu"] + listener.urls.map(\.absoluteString)
    }

    /// Accepts no more requests, asks peers to reconnect later, and closes the database.
    func close() async throws {
        endpoint.stop()
        await listener.stop(reconnecting: true)
        try await database.close()
    }
}
