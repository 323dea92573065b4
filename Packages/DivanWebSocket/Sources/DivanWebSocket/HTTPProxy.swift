/// An HTTP proxy that opens tunnels to other hosts.
public struct HTTPProxy: Hashable, Sendable {
    /// A host name or address; an IPv6 address has no brackets.
    public let host: String
    /// The TCP port.
    public let port: UInt16
    /// The user name sent to the proxy; `nil` sends no credentials.
    public let username: String?
    /// The user's password.
    public let password: String

    /// Creates a proxy; a user name must not contain a colon.
    public init(host: String, port: UInt16, username: String? = nil, password: String = "") {
        self.host = host
        self.port = port
        self.username = username
        self.password = password
    }
}

extension HTTPProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The proxy's address, never its credentials.
    public var description: String { "proxy \(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Empty, so that dumps do not show the password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
