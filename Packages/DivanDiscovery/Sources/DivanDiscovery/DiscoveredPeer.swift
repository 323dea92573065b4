/// A peer on the network.
///
/// Its data are untrusted: verify the peer with TLS.
public struct DiscoveredPeer: Sendable, Hashable {
    /// The instance name, unique among the current peers.
    public var name: String
    /// The host's name, such as `jukebox.local`.
    public var host: String
    /// The host's addresses as text, sorted; a link-local address contains its zone (`fe80::1%eth0`).
    public var addresses: [String]
    /// The listener's port.
    public var port: UInt16
    /// The attributes of the TXT record, such as the database; keys are in lower case.
    public var attributes: [String: String]

    /// Describes a peer.
    public init(
        name: String,
        host: String,
        addresses: [String] = [],
        port: UInt16,
        attributes: [String: String] = [:]
    ) {
        self.name = name
        self.host = host
        self.addresses = addresses
        self.port = port
        self.attributes = attributes
    }
}
