/// An HTTP proxy through which a replicator connects; an addition to the official Swift API.
///
/// The proxy only sees where the connection goes: with `wss` TLS lies inside its tunnel. A proxy
/// that wants a user, or another one, ends a replicator with `CBLError.httpProxyAuthRequired`.
public struct ProxySettings: Sendable {
    /// A host name or address; an IPv6 address stands without brackets.
    public var hostname: String
    /// The TCP port.
    public var port: UInt16
    /// The user to name to the proxy, without a colon; `nil` sends no credentials.
    public var username: String?
    /// The user's password.
    public var password: String?

    /// Describes a proxy.
    public init(
        hostname: String,
        port: UInt16,
        username: String? = nil,
        password: String? = nil
    ) {
        self.hostname = hostname
        self.port = port
        self.username = username
        self.password = password
    }
}
