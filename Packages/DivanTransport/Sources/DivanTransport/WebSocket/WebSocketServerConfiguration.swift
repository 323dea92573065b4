public import DivanTLS
public import DivanWebSocket

/// The settings of a WebSocket server.
public struct WebSocketServerConfiguration: Sendable {
    /// Name or address of the only network interface to listen on; `nil` means all.
    public var networkInterface: String?
    /// The TCP port; 0 selects a free port.
    public var port: UInt16
    /// The TLS settings; `nil` means no TLS.
    public var tls: TLSContext?
    /// The settings of open connections.
    public var webSocket: WebSocketConnection.Configuration
    /// Limits of time and memory.
    public var limits: TransportLimits

    /// The proxies whose `X-Forwarded-For` header contains the client's address; none by default.
    public var trustedProxies = TrustedProxies()

    /// Creates a configuration; the default listens on all interfaces, on a free port, without TLS.
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
