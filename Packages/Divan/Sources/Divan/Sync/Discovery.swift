public import DivanDiscovery
public import Foundation

/// Finds listeners on the network, and advertises this one.
///
/// ```swift
/// for try await peers in Discovery.network.peers { print(peers.map(\.name)) }
/// ```
///
/// Anyone on the network can advertise anything: verify a peer by its certificate.
public struct Discovery: Sendable {
    let source: (any PeerDiscovery)?

    /// Multicast DNS on the local network, with the system's Avahi daemon.
    public static let network = Discovery(source: AvahiDiscovery())
    /// Only peers of this process, for tests and demonstrations.
    public static let process = Discovery(source: DiscoveryHub())
    /// Nothing is advertised or found; for a mesh that has seeds.
    public static let none = Discovery(source: nil)

    private init(source: (any PeerDiscovery)?) {
        self.source = source
    }

    /// A way of the application to find peers; `PeerDiscoveryContract` of DivanDiscovery tests one.
    public init(_ discovery: any PeerDiscovery) {
        source = discovery
    }

    /// A listener that was found; all of this is unverified.
    public struct Peer: Sendable, Hashable, Identifiable {
        /// Its name, unique among the current peers.
        public let name: String
        /// The URL to sync with, if it has a usable address.
        public let url: URL?
        /// The name of its database.
        public let database: String?
        /// The fingerprint of its certificate; compare it with ``Certificate/fingerprint``.
        public let fingerprint: String?
        /// Its host, such as `jukebox.local`.
        public let host: String
        /// The addresses of the host; a link-local one contains its zone.
        public let addresses: [String]
        /// The port.
        public let port: UInt16
        /// All attributes; keys are in lower case.
        public let attributes: [String: String]

        /// The name.
        public var id: String { name }

        init(_ peer: DiscoveredPeer) {
            name = peer.name
            url = peer.url.flatMap { URL(string: $0) }
            attributes = peer.attributes
            database = attributes["database"]
            fingerprint = attributes["fingerprint"]
            host = peer.host
            addresses = peer.addresses
            port = peer.port
        }
    }

    /// The listeners that are available now, sorted by name, and again after each change; at first none.
    ///
    /// The search begins with the loop and ends with it. Advertised listeners of this program are included. Ends with
    /// ``DivanError/Code/unsupported`` if discovery is not available on this machine, for example without a running
    /// Avahi daemon.
    public var peers: Updates<[Peer], DivanError> {
        Updates(bufferLimit: 1) { [source] continuation in
            guard let source else {
                continuation.finish(throwing: Self.missing)
                return {}
            }
            continuation.yield([])
            let search = Task {
                do {
                    for try await peers in source.peers() {
                        continuation.yield(peers.map { Peer($0) })
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: DivanError(error, place: "discovery"))
                }
            }
            return { search.cancel() }
        }
    }

    static let missing = DivanError(
        .invalidArgument,
        place: "discovery",
        problem: "Discovery.none finds nothing",
        remedy: "use Discovery.network"
    )
}
