/// An HTTP proxy through which a replicator connects; an addition to the official Swift API.
///
/// With `wss`, the proxy only sees the destination, because the traffic is encrypted with TLS. If the proxy requires
/// other credentials, the replicator stops with `CBLError.httpProxyAuthRequired`.
public struct ProxySettings: Sendable {
    /// A host name or address; IPv6 addresses without brackets.
    public var hostname: String
    /// The TCP port.
    public var port: UInt16
    /// The user name for the proxy, without a colon; `nil` sends no credentials.
    public var username: String?
    /// The user's password.
    public var password: String?

    /// Creates the settings of a proxy.
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
