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
    /// The TXT record.
    public var record: TextRecord

    /// The attributes of the TXT record as text, such as the database; keys are in lower case.
    public var attributes: [String: String] { record.attributes }

    /// Describes a peer; attributes that do not fit into a TXT record are left out.
    public init(
        name: String,
        host: String,
        addresses: [String] = [],
        port: UInt16,
        attributes: [String: String] = [:]
    ) {
        self.init(
            name: name,
            host: host,
            addresses: addresses,
            port: port,
            record: TextRecord(received: TextRecord.strings(of: attributes))
        )
    }

    /// Describes a peer whose attributes can be bytes.
    public init(
        name: String,
        host: String,
        addresses: [String] = [],
        port: UInt16,
        record: TextRecord
    ) {
        self.name = name
        self.host = host
        self.addresses = addresses
        self.port = port
        self.record = record
    }
}
