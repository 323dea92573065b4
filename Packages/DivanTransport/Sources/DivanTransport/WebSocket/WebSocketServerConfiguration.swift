public import DivanTLS
public import DivanWebSocket

/// Where to listen, and how connections behave.
public struct WebSocketServerConfiguration: Sendable {
    /// Name or address of the only network interface to listen on; `nil` means all.
    public var networkInterface: String?
    /// The TCP port; 0 takes a free one.
    public var port: UInt16
    /// The TLS settings; `nil` means no TLS.
    public var tls: TLSContext?
    /// How open connections behave.
    public var webSocket: WebSocketConnection.Configuration
    /// Limits of time and memory.
    public var limits: TransportLimits

    /// The proxies whose `X-Forwarded-For` tells the client's address; none by default.
    public var trustedProxies = TrustedProxies()

    /// Creates a configuration; the default listens everywhere, on a free port, without TLS.
    public init(
        networkInterface: String? = nil,
        port: UInt16 = 0,
        tls: TLSContext? = nil,
        webSocket: WebSocketConnection.Configuration = .init(),
        limits: TransportLimits = TransportLimits()
    ) {
        self.networkInterface = networkInterface
        self.port = port
        self.tls = tls
        self.webSocket = webSocket
        self.limits = limits
    }
}
