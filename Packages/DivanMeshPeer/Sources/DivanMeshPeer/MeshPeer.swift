public import DivanLog
public import DivanMesh
import DivanPlatform
public import DivanStore
import DivanTransport
import Synchronization

/// A running peer of a mesh: finds the others, links to some of them, and syncs over each link.
///
/// `MeshCore` decides; this class has the clock, the timer, the sockets and the replications. All members can be used
/// from any thread and return quickly. A peer starts once, and stays alive until it has stopped; create another one to
/// join again.
public final class MeshPeer: Sendable {
    private let driver: MeshDriver
    private let hasStarted = Atomic(false)

    /// Creates a peer that is not started.
    ///
    /// - Throws: `MeshPeerError` for a configuration with which nothing can be synced or found.
    public init(
        store: Store,
        configuration: MeshPeerConfiguration,
        log: Log = Log(.multipeer, to: .shared)
    ) throws(MeshPeerError) {
        try configuration.check()
        driver = MeshDriver(store: store, configuration, log: log)
    }

    /// The ID of this peer.
    public var id: MeshPeerID { driver.id }

    /// Accepts connections, looks for peers, and calls them.
    ///
    /// - Throws: `TransportError` if the port is in use or the interface unknown, `TLSError` if OpenSSL rejects the
    ///   credential, `DiscoveryError`, `MeshPeerError.alreadyStarted`.
    public func start() throws {
        guard !hasStarted.exchange(true, ordering: .relaxed) else {
            throw MeshPeerError.alreadyStarted
        }
        try driver.start()
    }

    /// Notifies the other peers and ends all links; `MeshPeerEvent.stopped` follows if the peer had started.
    public func stop() {
        driver.stop()
    }

    /// The port; `nil` unless running.
    public var port: UInt16? { driver.port }

    /// The other peers that are known, in the order of their IDs.
    public var peers: [MeshPeerInfo] { driver.peers }

    /// The status of a peer; `nil` for an unknown one, and for this one.
    public func peer(_ id: MeshPeerID) -> MeshPeerInfo? { driver.peer(id) }

    /// The links and calls, the oldest first.
    public var links: [MeshLinkStatus] { driver.links }
}
