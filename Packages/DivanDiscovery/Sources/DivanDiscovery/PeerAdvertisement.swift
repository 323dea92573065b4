/// An advertisement of a peer.
///
/// Anyone on the network can read it, so it must not contain secrets.
///
/// Source: RFC 6763 §4.1.1 (names), §6 (attributes).
public struct PeerAdvertisement: Sendable, Hashable {
    /// The DNS-SD type of Divan's listeners; not that of Couchbase's own multi-peer sync.
    public static let serviceType = "_divan._tcp"

    /// The instance name, shown to users.
    public let name: String
    /// The listener's port.
    public let port: UInt16
    /// The attributes of the TXT record, such as the database's name.
    public let attributes: [String: String]

    /// Creates an advertisement.
    ///
    /// - Throws: `DiscoveryError` if the data are invalid for a service record.
    public init(
        name: String,
        port: UInt16,
        attributes: [String: String] = [:]
    ) throws(DiscoveryError) {
        let isPrintable = !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        guard (1...DiscoveryLimits.nameByteCount).contains(name.utf8.count), isPrintable else {
            throw .invalidName(name)
        }
        guard port > 0 else { throw .invalidPort }
        var byteCount = 0
        for (key, value) in attributes {
            let isKey = key.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3D }
            let pairByteCount = key.utf8.count + 1 + value.utf8.count
            guard !key.isEmpty, isKey, !value.utf8.contains(0),
                pairByteCount <= DiscoveryLimits.attributeByteCount
            else { throw .invalidAttribute(key) }
            byteCount += pairByteCount + 1
        }
        guard byteCount <= DiscoveryLimits.attributesByteCount else {
            throw .attributesTooLarge(
                byteCount: byteCount,
                limit: DiscoveryLimits.attributesByteCount
            )
        }
        self.name = name
        self.port = port
        self.attributes = attributes
    }
}
