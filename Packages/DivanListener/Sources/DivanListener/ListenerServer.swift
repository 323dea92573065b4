import DivanAuth
public import DivanLog
import DivanPlatform
public import DivanReplicator
import DivanSession
import DivanStore
public import DivanTLS
import DivanTransport
import DivanWebSocket
import Synchronization

/// Accepts connections from replicating clients: authenticates them and routes `/<database>/_blipsync`.
///
/// All members can be used from any thread. A server listens once; create another to listen again. Connections run on
/// the loops of `EventLoopGroup.shared`.
///
/// Source: `behaviour.md` §13; `websocket-and-urls.md` §1, §2; `tls-and-auth.md` §4.
public final class ListenerServer: Sendable {
    /// What clients do when the listener stops.
    public enum StopKind: Sendable {
        /// They stop too (close code 1001).
        case goingAway
        /// They reconnect, as after a lost connection (close code 4001).
        case restarting

        var closeCode: UInt16 {
            switch self {
            case .goingAway: 1001
            case .restarting: 4001
            }
        }

        var reason: String {
            switch self {
            case .goingAway: CloseCode.stoppedReason
            case .restarting: ""
            }
        }
    }

    private let configuration: ListenerConfiguration
    private let log: Log
    private let table = ConnectionTable()
    private let logins: LoginTable
    private let gate: AuthenticationQueue
    private let budget: ConnectionBudget
    private let crowding = ConnectionEvictions()
    private let server = Mutex<WebSocketServer?>(nil)

    /// Creates a server that does not listen yet.
    public init(_ configuration: ListenerConfiguration, log: Log = Log(.listener)) {
        self.configuration = configuration
        self.log = log
        logins = LoginTable(limits: configuration.limits.logins)
        budget = ConnectionBudget(configuration.limits)
        gate = AuthenticationQueue(
            configuration.authenticator,
            limit: configuration.limits.checkingCount
        )
    }

    /// Starts listening.
    ///
    /// - Returns: The port.
    /// - Throws: `TransportError` if the port is in use or the interface unknown, `TLSError` if OpenSSL rejects the
    ///   credential.
    @discardableResult
    public func start() throws -> UInt16 {
        var settings = WebSocketServer.Configuration(
            networkInterface: configuration.interface,
            port: configuration.port,
            tls: try configuration.credential.map { credential in
                try TLSContext.server(
                    ServerTLSConfiguration(
                        credential: credential,
                        clientCertificates: configuration.clientCertificates,
                        resumesSessions: true
                    )
                )
            }
        )
        settings.webSocket.heartbeatInterval = configuration.heartbeat
        // The table makes room; a connection that it closes ends a moment later.
        settings.limits.connectionCount = configuration.limits.connectionCount + 64
        settings.trustedProxies = configuration.trustedProxies
        settings.limits.handshakeTimeout = configuration.limits.handshakeTimeout
        settings.limits.decisionTimeout = configuration.limits.decisionTimeout
        settings.limits.stallTimeout = configuration.limits.stallTimeout
        settings.limits.halfOpenCount = configuration.limits.handshakeCount
        settings.limits.addressHalfOpenCount = configuration.limits.addressHandshakeCount
        settings.limits.sparesLoopback = configuration.limits.logins.sparesLoopback
        settings.webSocket.limits.payloadByteCount = configuration.limits.frameByteCount
        settings.webSocket.limits.messageByteCount = configuration.limits.frameByteCount
        settings.webSocket.limits.headByteCount = configuration.limits.requestHeadByteCount
        let server = WebSocketServer(settings, log: log) { [weak self] request in
            self?.decide(about: request)
        }
        let port = try server.start()
        self.server.withLock { $0 = server }
        log.info("Listening on port \(port)")
        return port
    }

    /// Stops listening and closes every connection; ignored unless listening.
    ///
    /// `completion` is called, on any thread, when the last connection has ended and the databases are no longer used.
    public func stop(
        _ kind: StopKind = .goingAway,
        then completion: @escaping @Sendable () -> Void = {}
    ) {
        let running = server.withLock { server in
            defer { server = nil }
            return server
        }
        guard let running else { return completion() }
        log.info("Stopped listening")
        running.stop(code: kind.closeCode, reason: kind.reason) { [table] in
            table.whenEmpty(completion)
        }
    }

    /// The number of connected clients.
    public var status: ListenerStatus { table.status }

    /// The traffic of all connections so far.
    public var statistics: ListenerStatistics {
        var statistics = table.statistics
        statistics.displacedConnectionCount = crowding.count
        statistics.failedHandshakeCount = server.withLock { $0?.failedHandshakeCount ?? 0 }
        return statistics
    }

    /// The open connections, the oldest first.
    public var connections: [ListenerConnection] { table.connections }

    /// Changes the identity and the rules for client certificates for new connections.
    ///
    /// Open connections continue; unfinished handshakes are dropped. Ignored unless it listens with TLS.
    public func replaceTLS(with context: TLSContext) {
        server.withLock { $0 }?.replaceTLS(with: context)
    }

    /// Closes the connections whose access rights are outdated (`ListenerAccess.granted`), within a second.
    ///
    /// Their clients reconnect and are authenticated again.
    public func dropOutdated() {
        for transport in table.outdated { end(transport, because: Self.hasNewRights) }
    }

    /// Nobody needs to read its answer, and it may never come.
    private func end(_ transport: WebSocketServerTransport, because reason: String) {
        transport.drop(code: StopKind.restarting.closeCode, reason: reason, within: .seconds(1))
    }

    private static let hasNewRights = "your access rights have changed; reconnect"

    /// Closes a connection; ignored if it has ended.
    public func disconnect(_ id: UInt64, _ kind: StopKind = .goingAway) {
        table.transport(of: id)?.close(code: kind.closeCode, reason: kind.reason)
    }
}

// MARK: - One request

extension ListenerServer {
    /// Delays password guessing: each attempt waits longer before it is checked.
    ///
    /// Web pages may open a WebSocket wherever the browser's user can.
    private func decide(about request: UpgradeRequest) {
        guard mayAsk(request) else {
            return refuse(
                request,
                403,
                "web pages from other origins cannot connect to this listener"
            )
        }
        let shown = gate.credentials(shownBy: request)
        let (decision, slot) = logins.enter(
            request.address.host,
            isLoopback: request.address.isLoopback,
            name: shown?.name,
            token: shown?.token,
            at: request.loop.now
        )
        guard let slot else { return refuseForNow(request) }
        follow(decision, request, slot) {
            // Those ahead of it in line may have failed meanwhile.
            self.gate.enter(request) { [weak self] in
                guard let self else { return }
                follow(slot.admit(at: request.loop.now), request, slot) {
                    self.authenticate(request, slot)
                }
            }
        }
    }

    /// Whether the request is not from another site's page; peers send no `Origin` (`websocket-and-urls.md` §1, §2).
    ///
    /// Without authentication, a page whose name was made to resolve to this machine is refused.
    private func mayAsk(_ request: UpgradeRequest) -> Bool {
        let headers = request.handshake.headers
        guard let origin = headers["Origin"] else { return true }
        let host = HostField(headers["Host"] ?? "")
        let asksNobody = configuration.authenticator is OpenListenerAuthenticator
        return host.isOrigin(origin, isSecure: request.isSecure)
            && (!asksNobody || host.isOwn())
    }

    private func follow(
        _ decision: LoginDecision,
        _ request: UpgradeRequest,
        _ slot: LoginSlot,
        now: () -> Void
    ) {
        switch decision {
        case .now: now()
        case .after(let wait):
            request.loop.schedule(at: request.loop.now + wait) { [weak self] in
                guard let self else { return }
                gate.enter(request) { self.authenticate(request, slot) }
            }
        case .refused: refuseForNow(request)
        }
    }

    private func refuseForNow(_ request: UpgradeRequest) {
        refuse(
            request,
            429,
            "too many connections or failed logins from your address; try again later"
        )
    }

    private func refuse(
        _ request: UpgradeRequest,
        _ status: Int,
        _ explanation: String,
        challenge: String? = nil
    ) {
        table.noteRefusal(status)
        let authorization = request.handshake.headers["Authorization"]
        let refusal = ListenerRefusal(
            status: status,
            address: request.address,
            explanation: explanation,
            claimedUser: authorization.flatMap { BasicCredentials(header: $0)?.username },
            showedCredentials: authorization != nil || !request.certificates.isEmpty
                || gate.hasCredentials(request)
        )
        log(refusal, explanation)
        configuration.onRefusal?(refusal)
        request.refuse(
            HandshakeRefusal(
                status: status,
                headers: challenge.map { ["WWW-Authenticate": $0] } ?? [:],
                explanation: explanation
            )
        )
    }

    /// The address comes first and alone, so that nobody can forge another one in the line.
    private func log(_ refusal: ListenerRefusal, _ explanation: String) {
        let user: LogMessage =
            refusal.claimedUser.map { ", user “\(user: escapedForLog($0))”" } ?? ""
        let line: LogMessage =
            "Refused \(address: refusal.address.host) with \(refusal.status)\(user): \(explanation)"
        // A client without credentials gets the list of accepted schemes: clients begin that way.
        let isBeginning = refusal.status == 401 && !refusal.showedCredentials
        if isBeginning { log.info(line) } else { log.warning(line) }
    }

    /// Checks credentials first, so that nobody learns the databases' names without them; on a thread of the gate.
    private func authenticate(_ request: UpgradeRequest, _ slot: LoginSlot) {
        switch gate.decide(about: request) {
        case .accepted(let user):
            if slot.showsCredentials { slot.succeeded(as: user) }
            route(request, user: user, slot)
        case .refused(let challenge):
            if slot.showsCredentials { slot.failed(at: request.loop.now) }
            refuse(request, 401, explanation(of: request, slot), challenge: challenge)
        }
    }

    private func explanation(of request: UpgradeRequest, _ slot: LoginSlot) -> String {
        guard slot.showsCredentials else { return "user name and password required" }
        let authorization = request.handshake.headers["Authorization"]
        let isByName = authorization.flatMap { BasicCredentials(header: $0) } != nil
        return isByName ? "wrong user name or password" : "invalid credentials"
    }

    private func route(_ request: UpgradeRequest, user: String?, _ slot: LoginSlot) {
        guard case .replication(let name) = ListenerRoute(path: request.handshake.path),
            let database = configuration.databases[name]
        else { return refuse(request, 404, "database not found; check the URL") }
        let client = ListenerClient(
            database: name,
            user: user,
            certificates: request.certificates,
            address: request.address,
            isSecure: request.isSecure,
            token: gate.bearerToken(of: request)
        )
        var peer = database.peer
        var isCurrent: (@Sendable () -> Bool)?
        switch database.access?(client) {
        case nil: break
        case .granted(let options, let check)?: (peer.role, isCurrent) = (.passive(options), check)
        case .refused(let explanation)?:
            return refuse(request, 403, explanation)
        }
        let offered = request.handshake.subprotocols
        guard let subprotocol = peer.choose(from: offered) else {
            return refuse(request, 400, peer.refusal(of: offered))
        }
        let party = ConnectionOwner(client, configuration.limits)
        guard table.hasRoom(for: party, within: configuration.limits.connectionCount) else {
            return refuse(request, 503, "too many connections; try again later")
        }
        let isSpared = database.sparesLoopback && request.address.isLoopback
        if isSpared, subprotocol.codecName == nil { peer.compresses = false }
        peer.role.count(for: user, at: request.address, budget, configuration.limits)
        let (granted, check) = (peer, isCurrent)
        let correlationID = CorrelationID.make()
        log.info(
            "\(address: request.address): connected to \(name), correlation ID \(correlationID)"
        )
        request.accept(
            subprotocol: subprotocol.rawValue,
            headers: [CorrelationID.field: correlationID]
        ) { [weak self] transport in
            guard let self else { return }
            let id = table.add(
                transport,
                of: client,
                party,
                isCurrent: check,
                codecName: granted.usedCodecName(for: subprotocol),
                correlationID: correlationID
            )
            configuration.onConnectionChange?()
            configuration.onEvent?(
                ListenerEvent(connectionID: id, client: client, kind: .connected)
            )
            serve(id, client, database.store, granted, on: transport, slot)
            admitted(id, transport, check)
        }
    }

    /// Makes room for what the newest connection has taken, and ends it if its rights have changed since it asked.
    private func admitted(
        _ id: UInt64,
        _ transport: WebSocketServerTransport,
        _ isCurrent: (@Sendable () -> Bool)?
    ) {
        if isCurrent?() == false { end(transport, because: Self.hasNewRights) }
        let limit = configuration.limits.connectionCount
        guard let other = table.displaced(by: id, above: limit) else { return }
        let who = other.client.user.map { "user “\(escapedForLog($0))” at " } ?? ""
        crowding.note(
            at: transport.loop.now,
            log,
            "\(who)\(other.client.address.host) has \(other.count) of \(limit)"
        )
        end(other.transport, because: "too many connections; yours was idle the longest")
    }

    /// On the transport's loop.
    private func serve(
        _ id: UInt64,
        _ client: ListenerClient,
        _ store: Store,
        _ peer: PeerConfiguration,
        on transport: WebSocketServerTransport,
        _ slot: LoginSlot
    ) {
        let note = configuration.onEvent.map { onEvent in
            { @Sendable (kind: ListenerEvent.Kind) in
                onEvent(ListenerEvent(connectionID: id, client: client, kind: kind))
            }
        }
        let session = PassiveSession(
            store: store,
            peer: peer,
            transport: transport,
            observers: PassiveSession.Observers(
                onStatus: { [table] status in table.note(id, status) },
                onDocuments: { [table] events in
                    table.note(id, events)
                    note?(.documents(events))
                },
                onEnd: { [table, log, configuration] error in
                    // Before the table is empty, which may complete a stop.
                    note?(.disconnected(table.statistics(of: id), error))
                    withExtendedLifetime(slot) { table.remove(id) }
                    configuration.onConnectionChange?()
                    if let error { log.info("Client connection ended: \(error)") }
                }
            ),
            log: log
        )
        session.start()
    }
}

extension ConnectionBudget {
    /// Creates the memory budget of all connections of a listener.
    public convenience init(_ limits: ListenerLimits) {
        self.init(
            byteCount: limits.heldByteCount,
            partyByteCount: limits.partyHeldByteCount,
            onEase: FreeMemory.releaseSoon
        )
    }
}
