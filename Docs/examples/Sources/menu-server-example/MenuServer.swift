import CouchbaseLiteSwift
import Foundation

/// One process: a database, the listener that peers sync with, and an HTTP endpoint on the same data.
final class MenuServer {
    private let database: Database
    private let listener: URLEndpointListener
    private let endpoint: HTTPEndpoint

    init(directory: String, password: String) throws {
        TLSIdentity.storeDirectory = directory + "/identities"
        var config = DatabaseConfiguration()
        config.directory = directory
        config.publishesStatus = true  // divan top shows this program, too
        database = try Database(name: "shop", config: config)
        let menu = try database.createCollection(name: "menu")

        var configuration = URLEndpointListenerConfiguration(collections: [menu])
        configuration.authenticator = ListenerPasswordAuthenticator { user, shown in
            user == "till" && shown == password
        }
        listener = URLEndpointListener(config: configuration)

        let routes = MenuRoutes(menu: menu)
        endpoint = HTTPEndpoint { request, body in try await routes.answer(request, body) }
    }

    /// Starts listening on two free ports; returns the addresses.
    func open() throws -> [String] {
        try listener.start()
        let port = try endpoint.start()
        return ["http://127.0.0.1:\(port)/menu"] + (listener.urls ?? []).map(\.absoluteString)
    }

    /// Accepts no more requests, asks peers to reconnect later, and closes the database.
    func close() throws {
        endpoint.stop()
        listener.stopForRestart()
        try database.close()
    }
}
