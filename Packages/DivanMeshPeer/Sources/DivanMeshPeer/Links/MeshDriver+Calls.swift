import DivanMesh
import DivanReplicator
import DivanSession
import DivanStore
import DivanTLS
import DivanTransport
import DivanWebSocket

/// Calls of this peer, from the connection to the start of the replication.
extension MeshDriver {
    func call(
        _ connection: MeshConnectionID,
        at address: MeshAddress,
        expecting peer: MeshPeerID?
    ) {
        guard let call = makeCall(at: address, expecting: peer) else {
            // Later, because the core is still handing out effects.
            return loop.execute { self.handle(.failed(connection, .unreachable)) }
        }
        let link = LinkTransport(
            call,
            LinkTransport.Observer(
                onOpen: { info in self.onLoop { self.opened(connection, info) } },
                onGossip: { bytes in self.onLoop { self.received(bytes, on: connection) } },
                onClose: { close in self.onLoop { self.callEnded(connection, close) } }
            )
        )
        connections[connection] = Connection(link: link, call: call, expected: peer)
        link.open()
    }

    private func makeCall(
        at address: MeshAddress,
        expecting peer: MeshPeerID?
    ) -> WebSocketClientTransport? {
        guard let call = try? configuration.callSettings(at: address, expecting: peer) else {
            return nil
        }
        var settings = call
        let offered = configuration.activePeer(
            for: peer ?? id,
            configuration.collections,
            LinkInterest(),
            store,
            inFlight
        )
        settings.subprotocols = offered.subprotocols
        return WebSocketClientTransport(settings, log: log)
    }

    private func opened(_ connection: MeshConnectionID, _ info: TransportPeer) {
        guard let peer = info.certificates.first.map({ MeshPeerID($0) }),
            connections[connection] != nil
        else { return }
        let common = LinkHeaders.common(configuration.collections, info.headers)
        guard !common.isEmpty else { return reject(connection, of: peer) }
        let interest: LinkInterest
        do throws(MeshPeerError) {
            interest = try configuration.interest(in: LinkHeaders.conditions(info.headers))
        } catch {
            showError(.http(.badRequest, "\(error)"), of: peer)
            return reject(connection, of: peer)
        }
        connections[connection]?.peer = peer
        note(peer) { record in
            record.certificate = info.certificates.first
            (record.collections, record.subscriptions) = (common, interest.conditions)
        }
        handle(.opened(connection, peer))
        guard let link = connections[connection]?.link else { return }
        startActive(connection, peer, common, interest, on: link)
    }

    /// Ends a call to a peer with which this one cannot sync.
    private func reject(_ connection: MeshConnectionID, of peer: MeshPeerID) {
        connections.removeValue(forKey: connection)?.link?.abort(.incompatible)
        let failure = CallFailure.refused(
            .incompatible,
            by: peer,
            retryAfter: nil,
            introduction: []
        )
        handle(.failed(connection, failure))
    }

    private func startActive(
        _ connection: MeshConnectionID,
        _ peer: MeshPeerID,
        _ collections: [CollectionPath],
        _ interest: LinkInterest,
        on link: LinkTransport
    ) {
        var session = ActiveSession.Configuration(
            peer: configuration.activePeer(for: peer, collections, interest, store, inFlight),
            makeTransport: { _ in link }
        )
        session.resolvers = configuration.resolvers(peer)
        session.onStatus = { status in
            self.onLoop { self.replicated(connection, peer, status) }
        }
        session.onDocuments = { events in
            self.onLoop { self.report(.documents(peer, events)) }
        }
        let active = ActiveSession(store: store, configuration: session, loop: link.loop, log: log)
        sessions[connection] = .active(active, link)
        active.start()
    }

    /// A call has failed, or a link of this peer has ended.
    private func callEnded(_ connection: MeshConnectionID, _ close: TransportClose) {
        guard let ended = connections.removeValue(forKey: connection) else { return }
        guard ended.peer == nil else { return handle(.closed(connection, close.linkEnd)) }
        let presented = ended.call?.peerCertificates.first.map { MeshPeerID($0) }
        let failure = close.callFailure(expecting: ended.expected, presented: presented)
        if case .failed(let error) = close, let peer = presented ?? ended.expected {
            explain(failure, of: peer, error)
        }
        handle(.failed(connection, failure))
    }

    /// Shows why a peer cannot be linked, unless it is only full, or not there.
    private func explain(_ failure: CallFailure, of peer: MeshPeerID, _ error: TransportError) {
        switch failure {
        case .untrusted, .refused(.incompatible, _, _, _): showError(SyncError(error), of: peer)
        case .unreachable, .wrongPeer, .refused: break
        }
    }

    private func showError(_ error: SyncError, of peer: MeshPeerID) {
        var status = SyncStatus(.stopped)
        status.error = error
        note(peer) { [status] in $0.replication = status }
        report(.replication(peer, isOutgoing: true, status))
    }
}

extension MeshPeerConfiguration {
    /// The connection of a call, without subprotocols yet; `nil` for an address that cannot be called.
    func callSettings(
        at address: MeshAddress,
        expecting peer: MeshPeerID?
    ) throws(TLSError) -> WebSocketClientTransport.Configuration? {
        guard let endpoint = address.endpoint(of: group) else { return nil }
        let tls = ClientTLSConfiguration(
            serverTrust: trust.serverTrust(expecting: peer),
            credential: credential
        )
        let headers = LinkHeaders.offer(collections, subscriptions)
        var settings = WebSocketClientTransport.Configuration(
            endpoint: endpoint,
            subprotocols: [],
            headers: { _ in headers },
            tls: try TLSContext.client(tls),
            resumptions: nil,
            networkInterface: nil
        )
        limit(&settings.webSocket)
        LinkHeaders.permitIntroductions(in: &settings.webSocket.limits)
        // A peer answers itself; it does not send its callers elsewhere.
        settings.limits.redirectCount = 0
        return settings
    }
}

extension TransportClose {
    /// The reason that the other peer gave for a close; `nil` if the connection failed, or ended otherwise.
    var linkEnd: LinkEnd? {
        guard case .clean(let code, _, isByPeer: true) = self else { return nil }
        return LinkEnd(rawValue: code)
    }

    /// Why a call failed, as the mesh distinguishes it.
    ///
    /// Anybody can announce a foreign ID; what presents another certificate than the announced one says nothing about
    /// the peer that has this ID.
    fileprivate func callFailure(
        expecting expected: MeshPeerID?,
        presented: MeshPeerID?
    ) -> CallFailure {
        if let expected, let presented, presented != expected { return .wrongPeer }
        guard case .failed(let error) = self else { return .unreachable }
        switch error.reason {
        case .tls(let error): return error.isDistrust ? .untrusted : .unreachable
        case .refused(404, _, _): return .wrongPeer
        case .refused(400, _, _), .refused(409, _, _):
            guard let presented else { return .wrongPeer }
            return .refused(.incompatible, by: presented, retryAfter: nil, introduction: [])
        case .refused(_, _, let headers):
            guard let presented else { return .unreachable }
            return LinkHeaders.refusal(headers, by: presented) ?? .unreachable
        default: return .unreachable
        }
    }
}

extension TLSError {
    /// Whether one of the peers rejected the other's certificate.
    fileprivate var isDistrust: Bool {
        switch reason {
        case .certificate, .certificateRefused, .clientCertificateRequired: true
        default: false
        }
    }
}
