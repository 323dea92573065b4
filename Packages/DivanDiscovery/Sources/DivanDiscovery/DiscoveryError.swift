import CDivanDiscovery

/// An error of peer discovery.
public enum DiscoveryError: Error, Equatable, Sendable {
    /// Avahi's daemon does not answer on the system's D-Bus; Avahi's error code.
    case noDaemon(code: Int32)
    /// Avahi rejected a step; its error code.
    case avahi(Step, code: Int32)
    /// A name is empty, longer than `DiscoveryLimits.nameByteCount`, or contains control characters.
    case invalidName(String)
    /// A subtype must be `_` and letters, digits, `-` or `_`, 3 to `DiscoveryLimits.nameByteCount` bytes.
    case invalidSubtype(String)
    /// A port must be 1 or more.
    case invalidPort
    /// The attribute with this key has an invalid key, or is too long.
    case invalidAttribute(String)
    /// All attributes together are too long.
    case attributesTooLarge(byteCount: Int, limit: Int)

    /// What was requested from Avahi.
    public enum Step: String, Sendable {
        /// Connecting to the daemon.
        case connecting
        /// Advertising a peer.
        case advertising
        /// Browsing for peers.
        case browsing
    }

    /// Distinguishes a missing daemon from its refusals.
    init(_ step: Step, code: Int32) {
        switch code {
        case Int32(AVAHI_ERR_NO_DAEMON), Int32(AVAHI_ERR_DBUS_ERROR),
            Int32(AVAHI_ERR_DISCONNECTED):
            self = .noDaemon(code: code)
        default: self = .avahi(step, code: code)
        }
    }
}

extension DiscoveryError: CustomStringConvertible {
    /// One line: location, problem, remedy.
    public var description: String {
        switch self {
        case .noDaemon:
            "peer discovery: Avahi daemon not running; install and start avahi-daemon, or use a "
                + "static list of peers"
        case .avahi(let step, let code):
            "peer discovery: \(step.rawValue) failed (\(Self.text(code))); "
                + "see the log of avahi-daemon"
        case .invalidName(let name):
            "peer discovery: invalid peer name \(name.debugDescription); "
                + "use 1 to \(DiscoveryLimits.nameByteCount) bytes without control characters"
        case .invalidSubtype(let subtype):
            "peer discovery: invalid subtype \(subtype.debugDescription); use _ and letters, digits "
                + "or hyphens, 3 to \(DiscoveryLimits.nameByteCount) bytes"
        case .invalidPort:
            "peer discovery: port 0 is invalid; start the listener first and use its port"
        case .invalidAttribute(let key):
            "peer discovery: invalid attribute \(key.debugDescription); use an ASCII key without "
                + "= or NUL, and at most \(DiscoveryLimits.attributeByteCount) bytes in total"
        case .attributesTooLarge(let byteCount, let limit):
            "peer discovery: attributes of \(byteCount) bytes exceed the limit of \(limit); "
                + "use fewer or shorter attributes"
        }
    }

    private static func text(_ code: Int32) -> String {
        avahi_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    }
}
