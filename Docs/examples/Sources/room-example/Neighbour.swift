import Divan
import DivanDiscovery
import Foundation
import Synchronization

/// A peer of the room at one address: looked at once, pinned, and synced with until it goes.
///
/// `@unchecked Sendable`: what changes is locked; the rest is set up once and thread-safe.
final class Neighbour: @unchecked Sendable {
    /// What all neighbours have in common.
    struct Surroundings: @unchecked Sendable {
        let notes: Collection
        let token: String
        let pins: Pins
        let queue = DispatchQueue(label: "room")
        let tell: @Sendable (String) -> Void
    }

    private let name: String
    private let endpoint: URLEndpoint
    private let fingerprint: String
    private let surroundings: Surroundings
    private let replicator = Mutex<(current: Replicator?, isGone: Bool)>((nil, false))

    /// `nil` when the peer offers no database of the room, or nowhere that can be reached.
    init?(_ peer: DiscoveredPeer, _ surroundings: Surroundings) {
        guard peer.attributes["database"] == "room",
            let address = peer.addresses.first(where: { !$0.contains(":") }),
            let endpoint = try? URLEndpoint(validating: "wss://\(address):\(peer.port)/room")
        else { return nil }
        name = peer.name
        self.endpoint = endpoint
        fingerprint = peer.attributes["fingerprint"] ?? ""
        self.surroundings = surroundings
    }

    /// Whether both are the same peer at the same address.
    func isSame(as other: Neighbour) -> Bool {
        endpoint.url == other.endpoint.url && fingerprint == other.fingerprint
    }

    /// Begins to sync, unless the peer is not whom we met under this name.
    func meet() {
        surroundings.tell("found \(name) at \(endpoint.url)")
        guard let known = surroundings.pins.certificate(of: name) else { return look() }
        guard known.sha256Fingerprint == fingerprint else { return refuse() }
        sync(trusting: known)
    }

    /// Ends what goes on with the peer.
    func leave() {
        let last = replicator.withLock { replicator in
            defer { replicator = (nil, true) }
            return replicator.current
        }
        last?.stop()
    }

    /// Connects without trusting anyone: the listener is refused and shows its certificate, and our
    /// token is not sent.
    private func look() {
        var configuration = configuration()
        configuration.maxAttempts = 1
        start(configuration) { [self] replicator, status in
            guard status.activity == .stopped, let shown = replicator.serverCertificate else {
                return
            }
            guard shown.sha256Fingerprint == fingerprint else { return refuse() }
            try? surroundings.pins.pin(shown, of: name)
            surroundings.tell("pinned \(name)")
            sync(trusting: shown)
        }
    }

    private func sync(trusting certificate: TLSCertificate) {
        var configuration = configuration()
        configuration.continuous = true
        configuration.maxAttemptWaitTime = 5  // the network of a room is near
        configuration.pinnedServerCertificate = certificate
        configuration.authenticator = TokenAuthenticator(token: surroundings.token)
        start(configuration) { [self] _, status in
            if status.activity == .idle { surroundings.tell("is level with \(name)") }
            guard status.activity == .stopped, let error = status.error as NSError? else { return }
            // Whatever it advertised: TLS decides who it is.
            if error.code == CBLError.tlsCertUnknownRoot { return refuse() }
            surroundings.tell("stopped syncing with \(name): \(error.code)")
        }
    }

    private func refuse() {
        surroundings.tell(
            "refuses \(name): its certificate is not the one that was pinned; "
                + "if \(name) was set up anew, delete \(surroundings.pins.path(name))"
        )
    }

    private func start(
        _ configuration: ReplicatorConfiguration,
        _ hear: @escaping @Sendable (Replicator, Replicator.Status) -> Void
    ) {
        let next = Replicator(config: configuration)
        let isGone = replicator.withLock { replicator in
            replicator.current = next
            return replicator.isGone
        }
        guard !isGone else { return }
        next.addChangeListener(withQueue: surroundings.queue) { hear($0.replicator, $0.status) }
        next.start()
    }

    private func configuration() -> ReplicatorConfiguration {
        ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: surroundings.notes)],
            target: endpoint
        )
    }
}
