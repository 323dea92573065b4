/// A peer on the network.
///
/// All its data come from strangers: check by TLS who answers.
public struct DiscoveredPeer: Sendable, Hashable {
    /// The instance name, unique among those that are present.
    public var name: String
    /// The host's name, such as `jukebox.local`.
    public var host: String
    /// The host's addresses as text, sorted; a link-local one carries its zone (`fe80::1%eth0`).
    public var addresses: [String]
    /// The listener's port.
    public var port: UInt16
    /// What the peer announces about itself (TXT record), such as its database; keys are in lower case.
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
