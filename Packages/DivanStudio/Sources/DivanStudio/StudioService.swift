import DivanCrypto
import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanPlatform
import DivanREST
import DivanTransport
import Synchronization

/// Routes requests to pages, data and changes.
///
/// All pages share one text; its script requests the data at the page's own path with `.json` appended, which any other
/// client may request, too.
final class StudioService: Sendable {
    private let configuration: StudioConfiguration
    private let gate: StudioAccess
    private let queue: WorkQueue
    private let notifier: ChangeNotifier
    private let data: StudioData
    private let table: StudioTable
    private let schema: StudioSchema
    private let indexing: StudioIndexing
    private let ownPort = Mutex<UInt16>(0)
    /// The user of this machine who was let in first.
    private let person = Mutex<UInt32?>(nil)

    init(_ configuration: StudioConfiguration, token: StudioToken) {
        self.configuration = configuration
        gate = StudioAccess(token: token)
        let queue = WorkQueue(label: "divan.studio", limit: configuration.limits.workerCount)
        self.queue = queue
        notifier = ChangeNotifier(
            configuration.store,
            clock: EventLoopGroup.shared.next(),
            queue: queue
        )
        data = StudioData(configuration)
        table = StudioTable(configuration)
        schema = StudioSchema(configuration)
        indexing = StudioIndexing(configuration.store)
    }

    /// The port on which the studio listens, which requests must name.
    var port: UInt16 {
        get { ownPort.withLock { $0 } }
        set { ownPort.withLock { $0 = newValue } }
    }

    func serve(_ exchange: HTTPExchange) {
        let request = exchange.request
        switch decide(about: exchange) {
        case .refuse(let error): exchange.answer(Self.guarded(Self.refusal(error, request)))
        case .welcome(let cookie):
            // Browsers interpret a second slash, of either kind, as the beginning of another host.
            let path = request.target.path
            let begin = path.utf8.dropFirst().first ?? 0
            let isOurs = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(begin)
            let headers: HTTPHeaders = ["Location": isOurs ? path : "/", "Set-Cookie": cookie]
            exchange.answer(Self.guarded(HTTPResponse(status: 303, headers: headers)))
        case .enter:
            guard request.framing != .none else { return answer(exchange, body: []) }
            exchange.readBody { [self] body in
                switch body {
                case .success(let bytes): answer(exchange, body: bytes)
                case .failure(let error):
                    exchange.answer(Self.guarded(RESTError(error).response))
                }
            }
        }
    }

    /// What the gate says of a request, and whether it comes from who was let in first: cookies know no
    /// ports, so that a browser shows the token to every server of 127.0.0.1, also to one of another user.
    private func decide(about exchange: HTTPExchange) -> StudioAccess.Decision {
        let decision = gate.decide(about: exchange.request, port: port)
        if case .refuse = decision { return decision }
        guard let user = LocalPeer.user(of: exchange.address, to: port) else { return decision }
        let isSame = person.withLock { person in
            if person == nil, user != LocalPeer.nobody { person = user }
            return person == user
        }
        guard !isSame else { return decision }
        return .refuse(
            HTTPError(403, "this studio belongs to another user; start your own with divan studio")
        )
    }

    private func answer(_ exchange: HTTPExchange, body: [UInt8]) {
        queue.async(unlessGone: exchange.departure) { [self] in
            do {
                exchange.answer(Self.guarded(try response(to: exchange.request, body: body)))
            } catch {
                exchange.answer(Self.guarded(RESTError(error).response))
            }
        }
    }

    private func response(to request: HTTPRequest, body: [UInt8]) throws -> HTTPResponse {
        let path = request.target.path
        if let asset = StudioAsset(path) { return asset.response }
        let isRead = ["GET", "HEAD"].contains(request.method)
        switch path {
        case "/index.json" where isRead: return .json(try data.index())
        case "/collection.json" where isRead: return .json(try table.page(request.target))
        case "/document.json" where isRead: return .json(try data.document(request.target))
        case "/schema.json" where isRead: return .json(try schema.page(request.target))
        case "/revision.json" where isRead: return .json(try data.revision(request.target))
        case "/conflicts.json" where isRead: return .json(try data.conflicts())
        case "/conflict.json" where isRead: return .json(try data.conflict(request.target))
        case "/indexes.json" where isRead:
            return .json(try indexing.page(mayWrite: configuration.acceptsWrites))
        case "/peers.json" where isRead:
            let others = JSON.array(configuration.neighbours())
            return .json(["processes": .array(configuration.peers()), "others": others])
        case "/mesh.svg" where isRead: return try meshPicture(request.target)
        case "/query.json": return .json(try data.query(request, body: body))
        case "/changes.json" where isRead: return .json(try data.changes())
        case "/changes.stream" where isRead: return try stream(request)
        case "/blob" where isRead: return try data.blob(request, on: queue)
        case "/document.json", "/conflict.json", "/blob":
            try checkWriting()
            return .json(try StudioEditing(store: store).change(request, body: body))
        case "/indexes.json":
            try checkWriting()
            return .json(try indexing.change(request, body: body))
        case "/import.json" where request.method == "POST":
            try checkWriting()
            let batch = StudioImport(store: store, limits: configuration.limits)
            return .json(try batch.save(request, body))
        case _ where isRead && request.headers["Accept"]?.contains("text/html") == true:
            return StudioAsset.missing
        default:
            throw RESTError(404, "not_found", "page not found; start at /")
        }
    }

    /// The picture of a mesh: `process` and `group` as in `/peers.json`.
    private func meshPicture(_ target: HTTPTarget) throws(RESTError) -> HTTPResponse {
        let process = target["process"].flatMap { Int64($0) }
        let status = configuration.peers().lazy.compactMap(\.object).first { status in
            status["pid"]?.int == process && status["group"]?.string == target["group"]
        }
        guard let graph = status.flatMap({ MeshGraph(status: $0) }) else {
            throw RESTError(404, "not_found", "mesh not found; see /peers.json")
        }
        var response = HTTPResponse(
            contentType: "image/svg+xml",
            Array(MeshPicture(graph).svg.utf8)
        )
        // It contains its own style sheet.
        response.headers.append(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        )
        return response
    }

    private var store: Store { configuration.store }

    private func checkWriting() throws(RESTError) {
        guard configuration.acceptsWrites else {
            throw RESTError(403, "read_only", "this studio is read-only; start it with --write")
        }
    }

    private func stream(_ request: HTTPRequest) throws -> HTTPResponse {
        let limits = configuration.limits
        let feed = try StudioFeed(configuration.store, pageCount: limits.pageCount)
        let body = EventStreamBody(
            notifier,
            on: queue,
            heartbeat: limits.heartbeat,
            greeting: try StudioFeed.greeting(of: configuration.name),
            look: feed.read
        )
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": HTTPEvent.contentType],
            body: .pieces(body, byteCount: nil)
        )
    }

    // MARK: Parts of every answer

    /// A refusal in the client's form: a line of text for a person, JSON for a script.
    private static func refusal(_ error: HTTPError, _ request: HTTPRequest) -> HTTPResponse {
        guard request.target.path.hasSuffix(".json") else {
            let text = Array("\(error.explanation)\n".utf8)
            return HTTPResponse(
                status: error.status,
                contentType: "text/plain; charset=utf-8",
                text
            )
        }
        return RESTError(error.status, "refused", error.explanation).response
    }

    /// The answer with headers that tell a browser to run only our own script, and to store nothing.
    private static func guarded(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        let fields: HTTPHeaders = [
            "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin", "X-Frame-Options": "DENY",
            "Cache-Control": "no-store",
        ]
        for field in fields.fields where response.headers[field.name] == nil {
            response.headers.append(field.name, field.value)
        }
        return response
    }

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
