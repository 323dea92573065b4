@_spi(Stores) import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanREST
import DivanTransport
import Synchronization

/// The REST interface of `divan serve --rest`: the served databases, for the same users, with
/// the same TLS.
final class RESTListener: Sendable {
    private let server: RESTServer
    private let stores: [ExactText: Store]
    private let queryFile: String?
    private let scheme: String
    private let interface: String?

    /// Listens.
    ///
    /// - Throws: `Failure` and any error of the databases.
    init(
        _ served: [ServedDatabase],
        port: UInt16,
        arguments: Arguments,
        gate: PeerAccess,
        refusals: Refusals,
        audit: ServeAudit? = nil
    ) throws {
        var stores: [ExactText: Store] = [:]
        for database in served {
            let name = ExactText(database.path.name)
            guard stores[name] == nil else {
                throw Failure.usage(
                    "'--rest' cannot serve two databases with the name '\(database.path.name)'"
                )
            }
            stores[name] = try database.path.open(forWriting: true)
        }
        self.stores = stores
        interface = arguments.value("--interface")
        guard let sync = try served.first?.listener.gate() else {
            throw Failure.usage("'--rest' requires a database")
        }
        scheme = sync.tls == nil ? "http" : "https"
        let shared = try arguments.collectionPaths()
        let isReadOnly = arguments.has("--read-only")
        let onlyNamed = arguments.has("--rest-named-only")
        let conditions = ConditionCache()
        var configuration = RESTConfiguration(
            databases: stores,
            networkInterface: interface,
            port: port,
            tls: sync.tls,
            authenticator: sync.authenticator,
            rights: { client, _ in
                var rights = gate.rights(
                    of: client,
                    to: shared,
                    isReadOnly: isReadOnly,
                    conditions
                )
                if onlyNamed, rights?.queries == .all { rights?.queries = .named(nil) }
                return rights
            },
            origins: arguments.list("--rest-origin")
        )
        queryFile = arguments.value("--rest-queries")
        configuration.namedQueries = try Self.queries(in: queryFile, for: stores)
        configuration.hostNames = arguments.list("--rest-host")
        configuration.trustedProxies = try arguments.trustedProxies()
        configuration.onRefusal = { refusals.add($0) }
        configuration.onAnswer = audit?.onAnswer
        server = RESTServer(configuration)
        do {
            try server.start()
        } catch let error as TransportError {
            throw Failure(kind: .failed, text: "cannot serve REST on port \(port): \(error)")
        }
    }

    /// The port that the options name; `nil` for no REST interface.
    ///
    /// - Throws: `Failure` for an invalid port, and for options that require one.
    static func port(_ arguments: Arguments) throws(Failure) -> UInt16? {
        if let port: UInt16 = try arguments.number("--rest", in: 0...65_535) { return port }
        let options = ["--rest-origin", "--rest-host", "--rest-queries", "--rest-named-only"]
        for option in options where arguments.has(option) {
            throw Failure.usage("'\(option)' requires '--rest PORT'")
        }
        return nil
    }

    /// Reads what the options name, without opening anything.
    ///
    /// - Throws: `Failure`.
    static func check(_ arguments: Arguments) throws {
        guard try port(arguments) != nil, let file = arguments.value("--rest-queries") else {
            return
        }
        _ = try NamedQueryFile.read(file)
    }

    /// The queries in a file, for each database.
    private static func queries(
        in file: String?,
        for stores: [ExactText: Store]
    ) throws -> [ExactText: [ExactText: RESTNamedQuery]] {
        guard let file else { return [:] }
        let queries = try NamedQueryFile.read(file)
        return stores.mapValues { _ in queries }
    }

    /// Reads the named queries again; false if there is no file of them.
    ///
    /// - Throws: `Failure`; the queries are then unchanged.
    func reloadQueries() throws -> Bool {
        guard let queryFile, queryFile != "-" else { return false }
        server.replace(namedQueries: try Self.queries(in: queryFile, for: stores))
        return true
    }

    /// Its URL.
    var url: String {
        let host = interface.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "127.0.0.1"
        return "\(scheme)://\(host):\(server.port ?? 0)/"
    }

    /// Connections that were closed to accept new ones.
    var displacedConnectionCount: UInt64 { server.displacedConnectionCount }

    /// The times until requests were answered.
    var latencies: [RESTLatency] { server.latencies }

    /// Closes the connections of clients whose rights have changed, within a second.
    func dropOutdated() { server.dropOutdated() }

    /// Presents another identity to clients that connect from now on.
    func replace(_ gate: ListenerGate, dismissesAll: Bool) {
        guard let tls = gate.tls else { return }
        server.replaceTLS(with: tls, dismissesAll: dismissesAll)
    }

    /// Stops it.
    func stop() {
        server.stop()
        for store in stores.values { try? store.close() }
    }
}

extension PeerAccess {
    /// The rights of a client of the REST interface; `nil` if its user was removed.
    func rights(
        of client: RESTClient,
        to shared: [CollectionPath],
        isReadOnly: Bool,
        _ conditions: ConditionCache
    ) -> RESTRights? {
        let all = shared.isEmpty ? nil : shared
        let (name, user): (String, UserRights)
        var edition: UInt64 = 0
        if let tokens, let token = client.token {
            guard let grant = tokens.grant(of: token) else { return nil }
            (name, user) = (grant.user, grant.rights)
        } else {
            guard let users else { return RESTRights(collections: all, isReadOnly: isReadOnly) }
            guard let known = client.user, let entry = users.user(known) else { return nil }
            (name, user, edition) = (known, entry.record.rights, entry.edition)
        }
        let own = user.collections?.map { CollectionPath($0) }
            .filter { all?.contains($0) ?? true }
        var rights = RESTRights(
            collections: own ?? all,
            isReadOnly: isReadOnly || user.isReadOnly
        )
        rights.edition = edition
        if let queries = user.queries { rights.queries = .named(queries) }
        if let condition = user.condition {
            // If the condition cannot be evaluated, the user is refused.
            guard let asked = conditions.condition(condition, of: name) else { return nil }
            rights.condition = asked
        }
        return rights
    }
}

/// The conditions of users, each parsed once.
final class ConditionCache: Sendable {
    /// Users whose conditions are cached.
    private static let userCount = 1_000

    private struct Entry {
        let condition: UserCondition
        let asked: RESTCondition
    }

    private let entries = Mutex<[ExactText: Entry]>([:])

    /// The condition of a user, as the file of users has it now.
    func condition(_ condition: UserCondition, of user: String) -> RESTCondition? {
        let name = ExactText(user)
        if let entry = entries.withLock({ $0[name] }), entry.condition == condition {
            return entry.asked
        }
        // It was parsed with the file; a failure here is not an error in its text.
        guard let asked = try? condition.asked(of: user) else { return nil }
        entries.withLock { entries in
            if entries.count >= Self.userCount { entries.removeAll() }
            entries[name] = Entry(condition: condition, asked: asked)
        }
        return asked
    }
}

extension Arguments {
    /// The proxies of `--trusted-proxy`.
    func trustedProxies() throws(Failure) -> TrustedProxies {
        guard let proxies = TrustedProxies(list("--trusted-proxy")) else {
            throw Failure.usage(
                "invalid value for '--trusted-proxy'",
                hint: "use addresses and networks such as 127.0.0.1 and 10.0.0.0/8"
            )
        }
        return proxies
    }
}
