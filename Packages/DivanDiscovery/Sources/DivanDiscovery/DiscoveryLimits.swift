/// Every limit of this package, with its reason; all are maxima.
public enum DiscoveryLimits {
    /// UTF-8 bytes of an instance name: 63, one DNS label (RFC 6763 §4.1.1).
    public static let nameByteCount = 63
    /// Bytes of one attribute, `key=value`: 255, one TXT string (RFC 6763 §6.1).
    public static let attributeByteCount = 255
    /// Bytes of all attributes, sent or received: 1,300, which fit in one Ethernet packet
    /// (RFC 6763 §6.2).
    public static let attributesByteCount = 1_300
    /// Peers that browsing keeps: 1,000, so that unknown devices cannot exhaust memory.
    public static let peerCount = 1_000
    /// Instances and addresses of peers that wait until others are removed: 1,000; further ones are dropped.
    public static let waitingCount = 1_000
    /// Places (interface and protocol) kept for one peer: 32, two for each of 16 interfaces.
    public static let placeCount = 32
}
