import Divan
import DivanDiscovery
import Foundation
import Synchronization

/// A database that keeps level with those of all peers in the room, found by DNS-SD.
///
/// `@unchecked Sendable`: what changes is locked; the rest is set up once and thread-safe.
final class Room: @unchecked Sendable {
    private let name: String
    private let token: String
    private let notes: Collection
    private let listener: URLEndpointListener
    private let pins: Pins
    private let tell: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "room")
    private let replicators = Mutex<[String: Replicator]>([:])
    private let activities = Mutex<[any DiscoveryActivity]>([])
    private let listening = Mutex<ListenerToken?>(nil)

    init(
        directory: String,
        name: String,
        token: String,
        tell: @escaping @Sendable (String) -> Void
    ) throws {
        self.name = name
        self.token = token
        self.tell = tell
        TLSIdentity.storeDirectory = directory + "/identities"
        var config = DatabaseConfiguration()
        config.directory = directory
        notes = try Database(name: "room", config: config).defaultCollection()
        pins = try Pins(directory: directory)
        var listening = URLEndpointListenerConfiguration(collections: [notes])
        listening.authenticator = TokenListenerAuthenticator(token: token)
        listener = URLEndpointListener(config: listening)
    }

    /// Listens, lets the others know, and looks for them.
    func open(through discovery: some PeerDiscovery) throws {
        let token = notes.addChangeListener(queue: queue) { [notes, tell] change in
            for id in change.documentIDs where (try? notes.document(id: id)) != nil {
                tell("has \(id)")
            }
        }
        listening.withLock { $0 = token }
        let own = MutableDocument(id: name)
        own.setString("hello from \(name)", forKey: "text")
        try notes.save(document: own)
        try listener.start()
        let advertisement = try PeerAdvertisement(
            name: name,
            port: listener.port ?? 0,
            attributes: [
                "database": "room", "scheme": "wss",
                "fingerprint": listener.tlsIdentity?.certs.first?.sha256Fingerprint ?? "",
            ]
        )
        let advertising = try discovery.advertise(advertisement) { [tell] event in
            if case .failed(let error) = event { tell("\(error)") }
        }
        let browsing = try discovery.browse { event in self.heard(event) }
        activities.withLock { $0 = [advertising, browsing] }
        tell("listens")
    }

    func close() throws {
        for activity in activities.withLock({ $0 }) { activity.stop() }
        listening.withLock { $0?.remove() }
        try notes.database.close()
    }

    private func heard(_ event: BrowseEvent) {
        switch event {
        case .found(let peer) where peer.name != name: meet(peer)
        case .failed(let error): tell("\(error)")
        default: break
        }
    }

    /// Begins to sync with a peer, once.
    private func meet(_ peer: DiscoveredPeer) {
        guard peer.attributes["database"] == "room",
            let address = peer.addresses.first(where: { !$0.contains(":") }),
            let url = URL(string: "wss://\(address):\(peer.port)/room"),
            let endpoint = try? URLEndpoint(validating: url.absoluteString)
        else { return }
        let isNew = replicators.withLock { replicators in
            guard replicators[peer.name] == nil else { return false }
            replicators[peer.name] = Replicator(config: configuration(endpoint))
            return true
        }
        guard isNew else { return }
        if let certificate = pins.certificate(of: peer.name) {
            sync(with: peer, at: endpoint, certificate)
        } else {
            look(at: peer, endpoint)
        }
    }

    /// Connects without trusting anyone: the listener is refused and shows its certificate, and our
    /// token is not sent.
    private func look(at peer: DiscoveredPeer, _ endpoint: URLEndpoint) {
        guard let replicator = replicators.withLock({ $0[peer.name] }) else { return }
        let seen = Mutex(false)
        replicator.addChangeListener(withQueue: queue) { [self] change in
            guard change.status.activity == .stopped,
                let certificate = change.replicator.serverCertificate,
                !seen.withLock({ seen in
                    defer { seen = true }
                    return seen
                })
            else { return }
            guard certificate.sha256Fingerprint == peer.attributes["fingerprint"] else {
                return tell("distrusts \(peer.name): its certificate is not the advertised one")
            }
            try? pins.pin(certificate, of: peer.name)
            tell("pinned \(peer.name)")
            sync(with: peer, at: endpoint, certificate)
        }
        replicator.start()
    }

    private func sync(
        with peer: DiscoveredPeer,
        at endpoint: URLEndpoint,
        _ certificate: TLSCertificate
    ) {
        var configuration = configuration(endpoint)
        configuration.continuous = true
        configuration.pinnedServerCertificate = certificate
        configuration.authenticator = TokenAuthenticator(token: token)
        let replicator = Replicator(config: configuration)
        replicator.addChangeListener(withQueue: queue) { [tell] change in
            guard change.status.activity == .stopped, let error = change.status.error else {
                return
            }
            tell("stopped syncing with \(peer.name): \((error as NSError).code)")
        }
        replicators.withLock { $0[peer.name] = replicator }
        replicator.start()
    }

    private func configuration(_ endpoint: URLEndpoint) -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: notes)],
            target: endpoint
        )
        configuration.maxAttempts = 1
        return configuration
    }
}
