public import DivanDiscovery

/// How the peers of a mesh find each other, in addition to seeds.
///
/// An addition to the official API.
public struct MeshDiscovery: Sendable {
    let source: (any PeerDiscovery)?

    private init(source: (any PeerDiscovery)?) {
        self.source = source
    }

    /// Uses an implementation of discovery; `nil` means seeds only.
    @_spi(Modern) public init(_ source: (any PeerDiscovery)?) {
        self.init(source: source)
    }

    /// Multicast DNS on the local network, with the system's Avahi daemon.
    public static let network = MeshDiscovery(source: AvahiDiscovery())
    /// Only peers of this process, for tests and demonstrations.
    public static let process = MeshDiscovery(source: processHub)
    /// Only the configured seeds, and the peers that they know.
    public static let seedsOnly = MeshDiscovery(source: nil)

    private static let processHub = DiscoveryHub()
}
