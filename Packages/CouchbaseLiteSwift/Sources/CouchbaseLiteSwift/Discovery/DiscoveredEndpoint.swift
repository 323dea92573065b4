import DivanDatabase
public import DivanDiscovery
import DivanReplicator
import DivanSession
import DivanTLS
import DivanTransport
public import Foundation
import Synchronization

/// A peer that is found by its name on the network, each time the replicator connects.
///
/// Conform to `PeerDiscovery` of DivanDiscovery, or use its `AvahiDiscovery` or `StaticPeerList`. The peer's listener
/// has a ``ListenerAdvertisement``, or runs as `divan serve --advertise`. Anyone on the network can advertise a name:
/// pin the peer's certificate, or require client certificates. An addition to the official API.
///
/// ```swift
/// let endpoint = DiscoveredEndpoint(name: "kitchen", through: AvahiDiscovery())
/// ```
public struct DiscoveredEndpoint: Endpoint, Sendable {
    /// The name of the peer.
    public let name: String
    /// Finds the peer.
    public let discovery: any PeerDiscovery
    /// Seconds to wait for the peer in each connection attempt; afterwards, the attempt fails with `unknownHost` (5002).
    public var patience: TimeInterval = 15

    /// Creates an endpoint for the peer of a name, which is compared by its bytes.
    public init(name: String, through discovery: any PeerDiscovery) {
        self.name = name
        self.discovery = discovery
    }

    /// The key of checkpoints and remote ancestors: addresses and ports change.
    var remoteIdentity: String { "x-divan-peer:" + name }
}

/// Reaches a peer that is found by its name.
final class DiscoveredConnector: Connector {
    let isInProcess = false
    let compresses = true
    let usesDeltas = true
    let retries = true

    private let endpoint: DiscoveredEndpoint
    private let configuration: ReplicatorConfiguration
    private let store: Store
    private let prepared: ClientCredentials
    /// The connector of the latest URL; it is kept, because it resumes TLS sessions.
    private let latest = Mutex<(url: String, connector: URLConnector)?>(nil)

    init(
        _ endpoint: DiscoveredEndpoint,
        configuration: ReplicatorConfiguration,
        store: Store
    ) throws {
        self.endpoint = endpoint
        self.configuration = configuration
        self.store = store
        prepared = try ClientCredentials(configuration)
    }

    var credentials: CredentialSource? { prepared.source }

    var serverCertificate: DivanTLS.TLSCertificate? {
        latest.withLock { $0 }?.connector.serverCertificate
    }

    func makeTransport(
        on loop: EpollLoop,
        offering subprotocols: [String]
    ) throws -> any MessageTransport {
        DiscoveringTransport(endpoint, loop: loop) { [self] peer in
            let url = try peer.url.orUnknown(endpoint.name)
            return try connector(for: url).makeTransport(on: loop, offering: subprotocols)
        }
    }

    private func connector(for url: String) throws -> URLConnector {
        if let latest = latest.withLock({ $0 }), latest.url == url { return latest.connector }
        let connector = try URLConnector(
            URLEndpoint(validating: url),
            configuration: configuration,
            store: store,
            credentials: prepared
        )
        latest.withLock { $0 = (url, connector) }
        return connector
    }
}

extension String? {
    fileprivate func orUnknown(_ name: String) throws -> String {
        guard let self else { throw TransportError(.unknownHost(name), place: "peer \(name)") }
        return self
    }
}
