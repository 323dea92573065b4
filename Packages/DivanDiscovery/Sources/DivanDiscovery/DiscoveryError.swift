import CDivanDiscovery

/// Why peers cannot be found or cannot find us.
public enum DiscoveryError: Error, Equatable, Sendable {
    /// Avahi's daemon does not answer on the system's D-Bus; Avahi's error code.
    case noDaemon(code: Int32)
    /// Avahi refuses a step; its error code.
    case avahi(Step, code: Int32)
    /// A name is empty, longer than `DiscoveryLimits.nameByteCount`, or contains control characters.
    case invalidName(String)
    /// A port must be 1 or more.
    case invalidPort
    /// The attribute with this key has an invalid key, or is too long.
    case invalidAttribute(String)
    /// All attributes together are too long.
    case attributesTooLarge(byteCount: Int, limit: Int)

    /// What was requested from Avahi.
    public enum Step: String, Sendable {
        /// Talking to the daemon.
        case connecting
        /// Announcing a peer.
        case advertising
        /// Looking for peers.
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
            "peer discovery: no Avahi daemon: install and start avahi-daemon or use a static list"
        case .avahi(let step, let code):
            "peer discovery: \(step.rawValue) failed (\(Self.text(code))); "
                + "see the log of avahi-daemon"
        case .invalidName(let name):
            "peer discovery: \(name.debugDescription) is no name; "
                + "use 1 to \(DiscoveryLimits.nameByteCount) bytes without control characters"
        case .invalidPort: "peer discovery: port 0; start the listener first and take its port"
        case .invalidAttribute(let key):
            "peer discovery: attribute \(key.debugDescription) cannot be sent; use ASCII without "
                + "= in the key, no NUL, and \(DiscoveryLimits.attributeByteCount) bytes in all"
        case .attributesTooLarge(let byteCount, let limit):
            "peer discovery: attributes of \(byteCount) bytes exceed \(limit); send fewer"
        }
    }

    private static func text(_ code: Int32) -> String {
        avahi_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    }
}
