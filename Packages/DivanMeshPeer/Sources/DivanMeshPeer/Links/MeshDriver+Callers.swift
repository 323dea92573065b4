import DivanMesh
import DivanReplicator
import DivanSession
import DivanStore
import DivanTLS
import DivanTransport
import DivanWebSocket

/// Callers of this peer, from their request to the start of the replication.
extension MeshDriver {
    func makeServer() throws -> WebSocketServer {
        let tls = ServerTLSConfiguration(
            credential: configuration.credential,
            clientCertificates: configuration.trust.clientPolicy
        )
        var settings = WebSocketServer.Configuration(
            networkInterface: configuration.networkInterface,
            port: configuration.port,
            tls: try TLSContext.server(tls)
        )
        settings.limits.halfOpenCount = MeshPeerLimits.handshakeCount
        settings.limits.addressHalfOpenCount = MeshPeerLimits.addressHandshakeCount
        settings.limits.handshakeTimeout = MeshPeerLimits.handshakeTimeout
        settings.limits.connectionCount = MeshPeerLimits.connectionCount
        configuration.limit(&settings.webSocket)
        return WebSocketServer(settings, log: log) { [weak self] request in
            guard let self else { return }
            onLoop { self.asked(request) }
        }
    }

    /// TLS has verified the caller's certificate; the path, the certificate and the collections decide whether it is
    /// a peer of this mesh, and the core whether there is room for it.
    private func asked(_ request: UpgradeRequest) {
        let isOwnGroup = request.handshake.path == configuration.group.path
        guard isOwnGroup, let certificate = request.certificates.first else {
            return request.refuse(
                HandshakeRefusal(status: 404, explanation: "this peer is not in that group")
            )
        }
        let peer = MeshPeerID(certificate)
        let common = LinkHeaders.common(configuration.collections, request.handshake.headers)
        guard !common.isEmpty else {
            return request.refuse(
                HandshakeRefusal(status: 409, explanation: LinkEnd.incompatible.explanation)
            )
        }
        let interest: LinkInterest
        do throws(MeshPeerError) {
            let conditions = try LinkHeaders.conditions(request.handshake.headers)
            interest = try configuration.interest(in: conditions)
        } catch {
            return request.refuse(HandshakeRefusal(status: 400, explanation: "\(error)"))
        }
        let engine = passivePeer(for: peer, common, interest)
        let offered = request.handshake.subprotocols
        guard engine.choose(from: offered) != nil else {
            let explanation = engine.refusal(of: offered)
            return request.refuse(HandshakeRefusal(status: 400, explanation: explanation))
        }
        note(peer) { $0.certificate = certificate }
        incomingCount += 1
        let connection = MeshConnectionID(incoming: incomingCount)
        connections[connection] = Connection(
            peer: peer,
            request: request,
            collections: common,
            interest: interest
        )
        handle(.called(connection, from: peer))
    }

    private func passivePeer(
        for peer: MeshPeerID,
        _ collections: [CollectionPath],
        _ interest: LinkInterest
    ) -> PeerConfiguration {
        configuration.passivePeer(for: peer, collections, interest, store, inFlight, shared, budget)
    }

    func accept(_ connection: MeshConnectionID) {
        guard let called = connections[connection], let request = called.request,
            let peer = called.peer
        else { return }
        connections[connection]?.request = nil
        let engine = passivePeer(for: peer, called.collections, called.interest)
        guard let subprotocol = engine.choose(from: request.handshake.subprotocols) else { return }
        note(peer) { record in
            record.collections = called.collections
            record.subscriptions = called.interest.conditions
        }
        request.accept(
            subprotocol: subprotocol.rawValue,
            headers: LinkHeaders.offer(configuration.collections, configuration.subscriptions)
        ) { [weak self] transport in
            self?.startPassive(connection, peer, engine, on: transport)
        }
    }

    /// On the transport's loop.
    private func startPassive(
        _ connection: MeshConnectionID,
        _ peer: MeshPeerID,
        _ engine: PeerConfiguration,
        on transport: WebSocketServerTransport
    ) {
        let link = LinkTransport(
            transport,
            LinkTransport.Observer(
                onGossip: { bytes in self.onLoop { self.received(bytes, on: connection) } },
                onClose: { close in self.onLoop { self.callerEnded(connection, close) } }
            )
        )
        let session = PassiveSession(
            store: store,
            peer: engine,
            transport: link,
            observers: PassiveSession.Observers(
                onStatus: { status in
                    // `onEnd` reports the end, with the error.
                    guard status.activity != .stopped else { return }
                    self.onLoop { self.replicated(connection, peer, status) }
                },
                onDocuments: { events in self.onLoop { self.report(.documents(peer, events)) } },
                onEnd: { error in
                    var status = SyncStatus(.stopped)
                    status.error = error
                    self.onLoop { [status] in self.replicated(connection, peer, status) }
                }
            ),
            log: log
        )
        // Both only enqueue: the link starts before the mesh sends on it, and the mesh knows the
        // session before its first event.
        session.start()
        onLoop { self.began(connection, .passive(session, link), link) }
    }

    private func began(
        _ connection: MeshConnectionID,
        _ session: LinkSession,
        _ link: LinkTransport
    ) {
        sessions[connection] = session
        // The mesh may have closed it before it was open.
        guard let called = connections[connection] else { return session.end(.duplicate) }
        connections[connection]?.link = link
        connections[connection]?.waitingGossip = []
        for bytes in called.waitingGossip { link.sendGossip(bytes) }
    }

    func refuse(
        _ connection: MeshConnectionID,
        _ end: LinkEnd,
        _ pause: Duration,
        _ introduction: [UInt8]
    ) {
        let called = connections.removeValue(forKey: connection)
        called?.request?.refuse(
            LinkHeaders.refusal(end, retryAfter: pause, introduction: introduction)
        )
    }

    private func callerEnded(_ connection: MeshConnectionID, _ close: TransportClose) {
        guard connections.removeValue(forKey: connection) != nil else { return }
        handle(.closed(connection, close.linkEnd))
    }
}
