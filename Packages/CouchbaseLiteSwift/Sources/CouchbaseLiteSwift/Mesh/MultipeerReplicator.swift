public import Dispatch
import DivanLog
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanTLS
import Foundation
import Synchronization

/// Syncs collections with all peers of a group, with the names of the official API.
///
/// It runs once: a stopped replicator cannot be started again; ``Mesh`` can. It stops when its database is closed. All
/// members can be used from any thread. The peers are those of Divan on any platform, not phones with Couchbase Lite,
/// whose protocol is not public.
public final class MultipeerReplicator: Sendable {
    private enum Phase {
        case new
        case running(MeshService)
        case stopping(MeshService)
        case stopped
    }

    private struct State {
        var phase = Phase.new
        /// The reason why it is not running, or why peers are not found.
        var error: (any Error)?
        var isActive = false
    }

    /// A copy of the configuration that the replicator was created with.
    public let config: MultipeerReplicatorConfiguration
    /// The ID of this peer, the digest of its certificate.
    public let peerID: PeerID

    private let settings: MeshSettings
    private let state = Mutex(State())
    private let statuses = ListenerList<MultipeerReplicatorStatus>()
    private let discoveries = ListenerList<PeerDiscoveryStatus>()
    private let replications = ListenerList<PeerReplicatorStatus>()
    private let documents = ListenerList<PeerDocumentReplication>()

    /// Creates a replicator; it does nothing until it is started.
    ///
    /// - Throws: `invalidParameter` (9) for an invalid group, too many collections, or an identity that is not for both
    ///   servers and clients, `notOpen` (6) for a closed database, a deleted collection or collections of several
    ///   databases, `unsupported` (19) for an authenticator of another type.
    public init(config: MultipeerReplicatorConfiguration) throws {
        self.config = config
        peerID = PeerID(MeshPeerID(config.identity.credential.leaf))
        settings = try config.settings
        // Fails now rather than at the start.
        _ = try translatingErrors { [settings] in try MeshService(settings) { _ in } }
    }

    deinit {
        for end in [statuses.end, discoveries.end, replications.end, documents.end] { end() }
    }

    /// Starts asynchronously; a second call only logs a warning.
    public func start() {
        let service = state.withLock { state -> MeshService? in
            guard case .new = state.phase else { return nil }
            do {
                let service = try MeshService(settings) { event in self.note(event) }
                state.phase = .running(service)
                return service
            } catch {
                state.phase = .stopped
                state.error = NSError(from: error)
                return nil
            }
        }
        if let service {
            do {
                try service.start()
            } catch {
                fail(error)
            }
        } else if let error = state.withLock({ $0.error }) {
            post(isActive: false, error)
        } else {
            Journal.sync.warning(
                "MultipeerReplicator: start() is ignored, because it was already started once; "
                    + "create a new one"
            )
        }
    }

    /// Stops asynchronously; ignored unless it runs.
    public func stop() {
        let service = state.withLock { state -> MeshService? in
            guard case .running(let service) = state.phase else { return nil }
            state.phase = .stopping(service)
            return service
        }
        service?.stop()
    }

    // MARK: Peers

    /// The peers that are online, without this one; empty unless running.
    ///
    /// Never blocks.
    public var neighborPeers: [PeerID] {
        running?.peers.filter(\.isOnline).map { PeerID($0.id) } ?? []
    }

    /// Returns what is known about a peer; `nil` for an unknown peer.
    ///
    /// For this peer, always its certificate and connected peers.
    public func peerInfo(for peerID: PeerID) -> PeerInfo? {
        let running = running
        guard peerID != self.peerID else {
            let linked = running?.peers.filter { $0.link != nil } ?? []
            return PeerInfo(
                peerID: peerID,
                certificate: config.identity.certs.first,
                online: running != nil,
                replicatorStatus: .initial,
                neighborPeers: linked.map { PeerID($0.id) },
                transports: [],
                replicatorTransport: nil
            )
        }
        guard let engineID = peerID.engineID else { return nil }
        return running?.peer(engineID).map { PeerInfo($0) }
    }

    /// The status of a transport; `nil` for one that is not configured.
    public func status(for transport: MultipeerTransport) -> MultipeerReplicatorStatus? {
        guard config.transports.contains(transport) else { return nil }
        if transport == .bluetooth { return Self.withoutBluetooth }
        return state.withLock { state in
            MultipeerReplicatorStatus(
                active: state.isActive,
                error: state.error,
                transport: state.isActive ? transport : nil
            )
        }
    }

    private static var withoutBluetooth: MultipeerReplicatorStatus {
        let error = NSError(
            CBLError.unsupported,
            "MultipeerReplicator: Bluetooth is not available; use the transport wifi"
        )
        return MultipeerReplicatorStatus(active: false, error: error)
    }

    private var running: MeshPeer? {
        state.withLock { state in
            guard case .running(let service) = state.phase else { return nil }
            return service.peer
        }
    }

    // MARK: Events

    private func note(_ event: MeshPeerEvent) {
        switch event {
        case .started:
            state.withLock { $0.isActive = true }
            post(isActive: true, nil)
        case .presence(let peer, let isOnline):
            discoveries.post(
                PeerDiscoveryStatus(peerID: PeerID(peer), online: isOnline, transport: .wifi)
            )
        case .replication(let peer, let isOutgoing, let status):
            replications.post(
                PeerReplicatorStatus(
                    peerID: PeerID(peer),
                    outgoing: isOutgoing,
                    status: Replicator.Status(status),
                    transport: .wifi
                )
            )
        case .documents(let peer, let events):
            guard !documents.isEmpty else { return }
            for (isPush, group) in ReplicatedDocument.grouped(events) {
                documents.post(
                    PeerDocumentReplication(
                        peerID: PeerID(peer),
                        isPush: isPush,
                        documents: group,
                        transport: .wifi
                    )
                )
            }
        case .discoveryFailed(let error):
            let error = NSError(from: error)
            state.withLock { $0.error = error }
            post(isActive: true, error)
        case .stopped:
            state.withLock { state in
                state.phase = .stopped
                state.isActive = false
                state.error = nil
            }
            post(isActive: false, nil)
        }
    }

    private func fail(_ error: any Error) {
        let error = NSError(from: error)
        state.withLock { state in
            state.phase = .stopped
            state.error = error
        }
        post(isActive: false, error)
    }

    /// Each change is reported for the transport, and for the replicator as a whole.
    private func post(isActive: Bool, _ error: (any Error)?) {
        if config.transports.contains(.wifi) {
            statuses.post(
                MultipeerReplicatorStatus(active: isActive, error: error, transport: .wifi)
            )
        }
        statuses.post(MultipeerReplicatorStatus(active: isActive, error: error))
    }
}

// MARK: - Listeners

extension MultipeerReplicator {
    /// Adds a listener for the status, called on `queue` or the main queue.
    @preconcurrency
    @discardableResult
    public func addStatusListener(
        on queue: DispatchQueue? = nil,
        _ listener: @escaping @Sendable (MultipeerReplicatorStatus) -> Void
    ) -> ListenerToken {
        statuses.add(queue: queue, listener)
    }

    /// Adds a listener for peers that go online or offline, called on `queue` or the main queue.
    @preconcurrency
    @discardableResult
    public func addPeerDiscoveryStatusListener(
        on queue: DispatchQueue? = nil,
        _ listener: @escaping @Sendable (PeerDiscoveryStatus) -> Void
    ) -> ListenerToken {
        discoveries.add(queue: queue, listener)
    }

    /// Adds a listener for the replications with peers, called on `queue` or the main queue.
    @preconcurrency
    @discardableResult
    public func addPeerReplicatorStatusListener(
        on queue: DispatchQueue? = nil,
        _ listener: @escaping @Sendable (PeerReplicatorStatus) -> Void
    ) -> ListenerToken {
        replications.add(queue: queue, listener)
    }

    /// Adds a listener for documents exchanged with peers, called on `queue` or the main queue.
    @preconcurrency
    @discardableResult
    public func addPeerDocumentReplicationListener(
        on queue: DispatchQueue? = nil,
        _ listener: @escaping @Sendable (PeerDocumentReplication) -> Void
    ) -> ListenerToken {
        documents.add(queue: queue, listener)
    }
}

extension PeerInfo {
    init(_ info: MeshPeerInfo) {
        peerID = PeerID(info.id)
        certificate = info.certificate.map { TLSCertificate($0) }
        online = info.isOnline
        replicatorStatus = Replicator.Status(info.replication)
        neighborPeers = info.neighbours.map { PeerID($0) }
        transports = info.isOnline ? [.wifi] : []
        replicatorTransport = info.link == nil ? nil : .wifi
    }
}

extension MultipeerReplicatorConfiguration {
    /// - Throws: `unsupported` for an authenticator of an unknown type, `invalidParameter` for an identity that is not
    ///   for both servers and clients.
    fileprivate var settings: MeshSettings {
        get throws {
            guard let certificates = authenticator as? MultipeerCertificateAuthenticator else {
                throw ReplicationFailure.unknownAuthenticator("\(type(of: authenticator))").error
            }
            guard identity.credential.leaf.usages.isSuperset(of: [.serverAuth, .clientAuth]) else {
                throw NSError(
                    CBLError.invalidParameter,
                    "MultipeerReplicatorConfiguration: the identity is not for both servers and "
                        + "clients; create it for [.serverAuth, .clientAuth]"
                )
            }
            return MeshSettings(
                group: peerGroupID,
                identity: identity,
                trust: certificates.trust.engineTrust,
                collections: collections,
                discovery: discovery,
                seeds: seeds
            )
        }
    }
}
