import DivanAuth
import DivanDatabase
import DivanHTTP
public import DivanJSON
import DivanLog
public import DivanTLS
import DivanTransport
import Synchronization

/// Serves databases over HTTP: documents, lists, changes, queries and blobs.
///
/// Can be used from any thread. `README.md` describes the paths. Requests are authenticated and answered on the
/// server's threads. Lists are streamed and only need the memory of one page.
///
/// ```swift
/// let server = RESTServer(RESTConfiguration(databases: ["travel": store]))
/// let port = try server.start()
/// ```
public final class RESTServer: Sendable {
    private let service: RESTService
    private let server: HTTPServer

    /// Creates a server; call `start` to listen.
    public init(_ configuration: RESTConfiguration) {
        let service = RESTService(configuration)
        self.service = service
        server = HTTPServer(
            HTTPServer.Configuration(
                networkInterface: configuration.networkInterface,
                port: configuration.port,
                tls: configuration.tls,
                limits: configuration.limits.http,
                trustedProxies: configuration.trustedProxies
            )
        ) { exchange in service.serve(exchange) }
    }

    /// Starts listening.
    ///
    /// - Returns: The port.
    /// - Throws: `TransportError` if the port is in use or the interface is unknown.
    @discardableResult
    public func start() throws -> UInt16 { try server.start() }

    /// The port; `nil` unless listening.
    public var port: UInt16? { server.port }

    /// Connections closed because the connection limit was reached.
    public var displacedConnectionCount: UInt64 { server.displacedConnectionCount }

    /// The times until requests were answered, since the server was created.
    ///
    /// The time ends when the answer is ready to be sent, so the rest of a stream does not count. A long poll counts
    /// until it has an answer.
    public var latencies: [RESTLatency] { service.latencies.all }

    /// Closes the connections of clients whose rights have changed since their latest request, within a second.
    ///
    /// Responses in progress, such as event streams, are ended.
    public func dropOutdated() { server.dismissUnwelcome() }

    /// Changes the identity and the rules for client certificates for new connections.
    ///
    /// Open connections continue unless `dismissesAll` is true.
    public func replaceTLS(with context: TLSContext, dismissesAll: Bool) {
        server.replaceTLS(with: context, dismissesAll: dismissesAll)
    }

    /// Replaces the named queries of each database, by the names in paths; requests in progress keep theirs.
    public func replace(namedQueries: [ExactText: [ExactText: RESTNamedQuery]]) {
        service.replace(namedQueries: namedQueries)
    }

    /// Stops listening and closes every connection.
    public func stop() { server.stop() }
}

/// Authenticates clients, and routes their requests.
final class RESTService: Sendable {
    private let configuration: RESTConfiguration
    private let namedQueries: Mutex<[ExactText: [ExactText: RESTNamedQuery]]>
    private let queues: FairQueues
    private let authenticator: RESTAuthenticator
    private let notifiers: [ExactText: ChangeNotifier]
    let latencies = RESTLatencies()

    init(_ configuration: RESTConfiguration) {
        self.configuration = configuration
        namedQueries = Mutex(configuration.namedQueries)
        let queues = FairQueues(configuration.limits)
        self.queues = queues
        authenticator = RESTAuthenticator(configuration, queues)
        let clock = EventLoopGroup.shared.next()
        notifiers = configuration.databases.mapValues {
            ChangeNotifier($0, clock: clock, queue: queues.whole)
        }
    }

    func replace(namedQueries: [ExactText: [ExactText: RESTNamedQuery]]) {
        self.namedQueries.withLock { $0 = namedQueries }
    }

    private func queries(of database: String) -> [ExactText: RESTNamedQuery] {
        namedQueries.withLock { $0[ExactText(database)] ?? [:] }
    }

    func serve(_ exchange: HTTPExchange) {
        let origin = RESTOrigin(exchange.request, allowed: configuration.origins)
        let begin = ContinuousClock.now
        let answer = { @Sendable [latencies] (response: HTTPResponse) in
            latencies.add(exchange.request, status: response.status, .now - begin)
            exchange.answer(origin.marking(response))
        }
        if let refusal = refusal(of: origin, exchange) { return answer(refusal.response) }
        if let preflight = origin.preflight { return answer(preflight) }
        authenticator.enter(exchange, answer) { [self] client in
            let answer = reporting(answer, to: exchange.request, of: client)
            do {
                let route = try RESTRoute(exchange.request.target)
                let queue = queue(for: route, client, exchange)
                let call = try call(for: route, by: client, exchange, on: queue)
                try route.endpoint.check(exchange.request.method)
                exchange.keepConnection(while: isCurrent(client, call.call))
                guard exchange.request.framing != .none else {
                    return respond(to: route, call, body: [], exchange, answer)
                }
                exchange.readBody { [self] body in
                    let byteCount = (try? body.get().count) ?? 0
                    let queue = self.queue(for: route, client, exchange, forBodyOf: byteCount)
                    queue.async(unlessGone: exchange.departure) { [self] in
                        do {
                            let body = try body.get()
                            // Receiving the body may have taken a while.
                            try call.call?.checkCurrent()
                            respond(to: route, call, body: body, exchange, answer)
                        } catch {
                            answer(RESTError(error).response)
                        }
                    }
                }
            } catch {
                let response = RESTError(error).response
                guard exchange.request.framing != .none else { return answer(response) }
                // Read first, so that the connection can continue.
                exchange.readBody { _ in answer(response) }
            }
        }
    }

    /// Sends an answer, and reports it first if there is a receiver.
    private func reporting(
        _ answer: @escaping RESTAuthenticator.Answer,
        to request: HTTPRequest,
        of client: RESTClient
    ) -> RESTAuthenticator.Answer {
        guard let onAnswer = configuration.onAnswer else { return answer }
        return { response in
            onAnswer(RESTAnswer(request, by: client, status: response.status))
            answer(response)
        }
    }

    private func queue(
        for route: RESTRoute,
        _ client: RESTClient,
        _ exchange: HTTPExchange,
        forBodyOf byteCount: Int = 0
    ) -> WorkQueue {
        queues.queue(
            of: client.user,
            at: exchange.address,
            isQuery: route.endpoint.isQuery,
            forBodyOf: byteCount
        )
    }

    /// Answers a request, or does so on the queue for large bodies if it has to parse one.
    private func respond(
        to route: RESTRoute,
        _ asked: (client: RESTClient, call: RESTCall?),
        body: [UInt8],
        _ exchange: HTTPExchange,
        _ answer: @escaping RESTAuthenticator.Answer
    ) {
        do throws(LargeDocument) {
            answer(try response(to: route, asked, body: body))
        } catch {
            var (client, call) = asked
            call?.mayParseLarge = true
            queue(for: route, client, exchange, forBodyOf: error.byteCount)
                .async(unlessGone: exchange.departure) { [self, client, call] in
                    let response = try? response(to: route, (client, call), body: body)
                    answer(response ?? RESTError(503, "busy", "try again").response)
                }
        }
    }

    /// Why a request may not come from its page, or with its `Host`.
    private func refusal(of origin: RESTOrigin, _ exchange: HTTPExchange) -> RESTError? {
        let asksNobody = configuration.authenticator is OpenListenerAuthenticator
        let isOpen = asksNobody && !exchange.isSecure
        let names = isOpen || !configuration.hostNames.isEmpty ? configuration.hostNames : nil
        return origin.refusal(names: names, isOpen: isOpen, isSecure: exchange.isSecure)
    }

    // MARK: Requests

    private func call(
        for route: RESTRoute,
        by client: RESTClient,
        _ exchange: HTTPExchange,
        on queue: WorkQueue
    ) throws(RESTError) -> (client: RESTClient, call: RESTCall?) {
        guard let name = route.database else { return (client, nil) }
        guard let store = configuration.databases[ExactText(name)],
            let notifier = notifiers[ExactText(name)],
            let rights = configuration.rights(client, name)
        else { throw .notFound("database \"\(name)\" not found; GET / lists the databases") }
        let call = RESTCall(
            request: exchange.request,
            endpoint: route.endpoint,
            store: store,
            rights: rights,
            notifier: notifier,
            queue: queue,
            limits: configuration.limits,
            isCurrent: { [configuration] in configuration.rights(client, name) == rights }
        )
        return (client, call)
    }

    /// Whether a client still has the rights with which its request is answered.
    private func isCurrent(_ client: RESTClient, _ call: RESTCall?) -> @Sendable () -> Bool {
        if let call { return call.isCurrent }
        let seen = databases(of: client)
        return { [weak self] in self?.databases(of: client) == seen }
    }

    /// The response.
    ///
    /// - Throws: `LargeDocument` if it must be made on the queue for large bodies.
    private func response(
        to route: RESTRoute,
        _ asked: (client: RESTClient, call: RESTCall?),
        body: [UInt8]
    ) throws(LargeDocument) -> HTTPResponse {
        do {
            guard let call = asked.call else {
                return route.resource == .openAPI ? OpenAPI.response : welcome(asked.client)
            }
            call.store.purgeDue()
            return try response(to: route, call, body: body) ?? welcome(asked.client)
        } catch let large as LargeDocument {
            throw large
        } catch {
            let failure = RESTError(error)
            guard failure.status == 500, asked.call?.rights.condition != nil else {
                return failure.response
            }
            // The damaged document may be one that the client does not see.
            Log(.listener).error("A request failed: \(error)")
            return RESTError(500, "internal", "internal error; see the server's log").response
        }
    }

    /// The answer of a resource; `nil` if the path refers to none.
    private func response(
        to route: RESTRoute,
        _ call: RESTCall,
        body: [UInt8]
    ) throws -> HTTPResponse? {
        let name = route.database ?? ""
        switch route.resource {
        case .server, .openAPI: return nil
        case .database:
            return try DatabaseResource(call: call).answer(name, queries(of: name))
        case .query: return try QueryResource(call: call, database: name).answer(body: body)
        case .namedQuery(let query):
            return try NamedQueryResource(
                call: call,
                database: name,
                queries: queries(of: name)
            ).answer(query, body: body)
        case .collection(let path):
            let resource = CollectionResource(call: call, collection: path)
            return try resource.answer(database: name, body: body)
        case .list(let path): return try ListingResource(call: call, collection: path).answer()
        case .changes(let path): return try ChangesResource(call: call, collection: path).answer()
        case .bulk(let path):
            return try BulkResource(call: call, collection: path).answer(body: body)
        case .document(let path, let id):
            let resource = DocumentResource(call: call, collection: path, documentID: id)
            return try resource.answer(body: body)
        case .blob(let path, let id, let key):
            let resource = BlobResource(call: call, collection: path, documentID: id, key: key)
            return try resource.answer(body: body)
        }
    }

    private func welcome(_ client: RESTClient) -> HTTPResponse {
        let names = databases(of: client).map { JSON.string($0) }
        return .json(["divan": "welcome", "databases": .array(names)])
    }

    /// The names of the databases that a client may use.
    private func databases(of client: RESTClient) -> [String] {
        configuration.databases.keys.map(\.text).sorted().filter {
            configuration.rights(client, $0) != nil
        }
    }
}
