public import DivanHTTP
public import DivanTLS

/// The settings of an HTTP server.
public struct HTTPServerConfiguration: Sendable {
    /// Name or address of the only network interface to listen on; `nil` means all.
    public var networkInterface: String?
    /// The TCP port; 0 selects a free port.
    public var port: UInt16
    /// The TLS settings; `nil` means no TLS.
    public var tls: TLSContext?
    /// Limits of requests and connections.
    public var limits: HTTPLimits
    /// Limits of time and memory below HTTP; the number of connections is limited by `limits`.
    public var transport: TransportLimits

    /// The proxies whose `X-Forwarded-For` header contains the client's address; none by default.
    public var trustedProxies: TrustedProxies

    /// Creates a configuration; the default listens on all interfaces, on a free port, without TLS.
    public init(
        networkInterface: String? = nil,
        port: UInt16 = 0,
        tls: TLSContext? = nil,
        limits: HTTPLimits = HTTPLimits(),
        transport: TransportLimits = TransportLimits(),
        trustedProxies: TrustedProxies = TrustedProxies()
    ) {
        self.networkInterface = networkInterface
        self.port = port
        self.tls = tls
        self.limits = limits
        self.transport = transport
        self.trustedProxies = trustedProxies
    }
}
