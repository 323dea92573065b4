@_spi(Stores) import Divan
import DivanCommandLine
import DivanJSON
import DivanREST
import DivanStore

/// The REST interface of `divan serve --rest`: the databases that are served, for the same users, with
/// the same TLS.
final class RESTDoor {
    private let server: RESTServer
    private let stores: [Store]
    private let scheme: String
    private let interface: String?

    /// Listens.
    ///
    /// - Throws: `Failure` and whatever the databases throw.
    init(
        _ served: [ServedDatabase],
        port: UInt16,
        arguments: Arguments,
        gate: PeerGate
    ) throws {
        var stores: [ExactText: Store] = [:]
        for database in served {
            let name = ExactText(database.path.name)
            guard stores[name] == nil else {
                throw Failure.usage("--rest: two databases are called \(database.path.name)")
            }
            stores[name] = try database.path.open(forWriting: true)
        }
        self.stores = Array(stores.values)
        interface = arguments.value("--interface")
        guard let door = try served.first?.listener.gate() else {
            throw Failure.usage("--rest needs a database")
        }
        scheme = door.tls == nil ? "http" : "https"
        let shared = try arguments.collections()
        let isReadOnly = arguments.has("--read-only")
        server = RESTServer(
            RESTConfiguration(
                databases: stores,
                networkInterface: interface,
                port: port,
                tls: door.tls,
                authenticator: door.authenticator,
                rights: { client, _ in
                    gate.rights(of: client, to: shared, isReadOnly: isReadOnly)
                },
                origins: arguments.list("--rest-origin")
            )
        )
        try server.start()
    }

    /// Where it is, for people and programs.
    var url: String {
        let host = interface.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "127.0.0.1"
        return "\(scheme)://\(host):\(server.port ?? 0)/"
    }

    /// Ends it.
    func stop() {
        server.stop()
        for store in stores { try? store.close() }
    }
}

extension PeerGate {
    /// What a client of the REST interface may do; `nil` when its user was removed, or has
    /// a condition.
    func rights(
        of client: RESTClient,
        to shared: [CollectionPath],
        isReadOnly: Bool
    ) -> RESTRights? {
        let all = shared.isEmpty ? nil : shared
        guard let users else { return RESTRights(collections: all, isReadOnly: isReadOnly) }
        // A condition chooses documents one by one, which a list paged by key cannot do: nothing then.
        guard let user = client.user.flatMap({ users.user($0) }), user.condition == nil else {
            return nil
        }
        let own = user.collections.map { own in (all ?? Array(own)).filter(own.contains) }
        return RESTRights(collections: own ?? all, isReadOnly: isReadOnly || user.isReadOnly)
    }
}
