/// An advertisement of a peer.
///
/// Anyone on the network can read it, so it must not contain secrets.
///
/// Source: RFC 6763 §4.1.1 (names), §6 (attributes).
public struct PeerAdvertisement: Sendable, Hashable {
    /// The kind of service.
    public let service: ServiceType
    /// The instance name, shown to users.
    public let name: String
    /// The listener's port.
    public let port: UInt16
    /// The TXT record.
    public let record: TextRecord

    /// The attributes of the TXT record as text, such as the database's name.
    public var attributes: [String: String] { record.attributes }

    /// Creates an advertisement of a listener.
    ///
    /// Values of attributes are text without zeros.
    ///
    /// - Throws: `DiscoveryError` if the data are invalid for a service record.
    public init(
        name: String,
        port: UInt16,
        attributes: [String: String] = [:]
    ) throws(DiscoveryError) {
        for (key, value) in attributes where key.utf8.contains(0x3D) || value.utf8.contains(0) {
            throw .invalidAttribute(key)
        }
        try self.init(
            name: name,
            port: port,
            record: TextRecord(strings: TextRecord.strings(of: attributes))
        )
    }

    /// Creates an advertisement of any service, whose attributes can be bytes.
    ///
    /// - Throws: `DiscoveryError` if the name or the port is invalid.
    public init(
        name: String,
        port: UInt16,
        service: ServiceType = .listener,
        record: TextRecord
    ) throws(DiscoveryError) {
        let isPrintable = !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        guard (1...DiscoveryLimits.nameByteCount).contains(name.utf8.count), isPrintable else {
            throw .invalidName(name)
        }
        guard port > 0 else { throw .invalidPort }
        self.service = service
        self.name = name
        self.port = port
        self.record = record
    }
}
