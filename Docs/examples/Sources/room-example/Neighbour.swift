import CouchbaseLiteSwift
import DivanDiscovery
import Foundation
import Synchronization

/// A peer of the room at one address: its certificate is read and pinned, then the two sync until it leaves.
///
/// `@unchecked Sendable`: state that changes is locked; the rest is set once and thread-safe.
final class Neighbour: @unchecked Sendable {
    /// The values that all neighbours share.
    struct Context: @unchecked Sendable {
        let notes: Collection
        let token: String
        let pins: Pins
        let queue = DispatchQueue(label: "room")
        let report: @Sendable (String) -> Void
    }

    private let peer: DiscoveredPeer
    private let address: String
    private let endpoint: URLEndpoint
    private var name: String { peer.name }
    private var fingerprint: String { peer.attributes["fingerprint"] ?? "" }
    private let context: Context
    private let replicator = Mutex<(current: Replicator?, isGone: Bool)>((nil, false))

    /// `nil` if the peer does not offer a database of the room, or has no reachable address.
    init?(_ peer: DiscoveredPeer, _ context: Context) {
        guard peer.attributes["database"] == "room",
            let address = Self.address(of: peer)
        else { return nil }
        let host = address.contains(":") ? "[\(address)]" : address
        guard let endpoint = try? URLEndpoint(validating: "wss://\(host):\(peer.port)/room") else {
            return nil
        }
        self.peer = peer
        self.address = address
        self.endpoint = endpoint
        self.context = context
    }

    /// An IPv4 address if the peer has one; a link-local address has a zone, which a URL cannot contain.
    private static func address(of peer: DiscoveredPeer) -> String? {
        let addresses = peer.addresses.filter { !$0.contains("%") }
        return addresses.first { !$0.contains(":") } ?? addresses.first
    }

    /// Whether the peer has the same identity and the same address.
    func isStill(_ other: DiscoveredPeer) -> Bool {
        other.addresses.contains(address) && other.port == peer.port
            && other.attributes == peer.attributes
    }

    /// Starts to sync, unless another peer was pinned under this name.
    func meet() {
        context.report("found \(name) at \(endpoint.url)")
        guard let known = context.pins.certificate(of: name) else { return look() }
        guard known.sha256Fingerprint == fingerprint else { return refuse() }
        sync(trusting: known)
    }

    /// Stops syncing with the peer.
    func leave() {
        let last = replicator.withLock { replicator in
            defer { replicator = (nil, true) }
            return replicator.current
        }
        last?.stop()
    }

    /// Connects without trusting the listener, to get its certificate; does not send the token.
    private func look() {
        var configuration = configuration()
        configuration.maxAttempts = 1
        start(configuration) { [self] replicator, status in
            guard status.activity == .stopped, let shown = replicator.serverCertificate else {
                return
            }
            guard shown.sha256Fingerprint == fingerprint else { return refuse() }
            try? context.pins.pin(shown, of: name)
            context.report("pinned \(name)")
            sync(trusting: shown)
        }
    }

    private func sync(trusting certificate: TLSCertificate) {
        var configuration = configuration()
        configuration.continuous = true
        configuration.maxAttemptWaitTime = 5  // reconnects quickly on a local network
        configuration.pinnedServerCertificate = certificate
        configuration.authenticator = TokenAuthenticator(token: context.token)
        start(configuration) { [self] _, status in
            if status.activity == .idle { context.report("is in sync with \(name)") }
            guard status.activity == .stopped, let error = status.error as NSError? else { return }
            // The advertisement is untrusted; TLS verifies the peer.
            if error.code == CBLError.tlsCertUnknownRoot { return refuse() }
            context.report("stopped syncing with \(name): \(error.code)")
        }
    }

    private func refuse() {
        context.report(
            "refuses \(name): its certificate is not the one that was pinned; "
                + "if \(name) was reinstalled, delete \(context.pins.path(name))"
        )
    }

    private func start(
        _ configuration: ReplicatorConfiguration,
        _ hear: @escaping @Sendable (Replicator, Replicator.Status) -> Void
    ) {
        let next = Replicator(config: configuration)
        next.addChangeListener(withQueue: context.queue) { hear($0.replicator, $0.status) }
        // Under the lock, so that a concurrent `leave` also stops this replicator.
        replicator.withLock { replicator in
            guard !replicator.isGone else { return }
            replicator.current = next
            next.start()
        }
    }

    private func configuration() -> ReplicatorConfiguration {
        ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: context.notes)],
            target: endpoint
        )
    }
}
