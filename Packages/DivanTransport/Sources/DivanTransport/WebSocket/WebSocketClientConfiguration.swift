public import DivanTLS
public import DivanWebSocket

/// The server and the settings of a client's connection.
public struct WebSocketClientConfiguration: Sendable {
    /// The server's host, port and request target.
    public var endpoint: WebSocketEndpoint
    /// Subprotocols, in order of preference.
    public var subprotocols: [String]
    /// The value of the User-Agent header.
    public var userAgent: String
    /// Returns Authorization, Cookie and further header fields; called for each request.
    ///
    /// Also called after a redirect; to another host, or from TLS to plain text, only cookies are sent. The closure
    /// decides which of them (`WebSocketEndpoint.maySee`).
    public var headers: @Sendable (WebSocketEndpoint) -> HTTPHeaders
    /// Called with the header fields of every response, including refusals and redirects, for `Set-Cookie`.
    public var onResponse: (@Sendable (WebSocketEndpoint, HTTPHeaders) -> Void)?
    /// The TLS settings for `wss`; `nil` trusts the system's roots.
    public var tls: TLSContext?
    /// The cache of TLS sessions that later connections resume; without it, or if the context does not have
    /// `resumesSessions` set, every connection does a full handshake.
    public var resumptions: TLSResumptionCache?
    /// The HTTP proxy for all endpoints; `nil` means direct connections.
    public var proxy: HTTPProxy?
    /// The name or address of the network interface to connect from.
    public var networkInterface: String?
    /// The settings of the open connection.
    public var webSocket: WebSocketConnection.Configuration
    /// Limits of time and memory.
    public var limits: TransportLimits

    /// Creates a configuration; the defaults are suitable for a server with a public certificate.
    public init(
        endpoint: WebSocketEndpoint,
        subprotocols: [String],
        userAgent: String = "Divan",
        headers: @escaping @Sendable (WebSocketEndpoint) -> HTTPHeaders = { _ in [:] },
        onResponse: (@Sendable (WebSocketEndpoint, HTTPHeaders) -> Void)? = nil,
        tls: TLSContext? = nil,
        resumptions: TLSResumptionCache? = .shared,
        proxy: HTTPProxy? = nil,
        networkInterface: String? = nil,
        webSocket: WebSocketConnection.Configuration = .init(),
        limits: TransportLimits = TransportLimits()
    ) {
        self.endpoint = endpoint
        self.subprotocols = subprotocols
        self.userAgent = userAgent
        self.headers = headers
        self.onResponse = onResponse
        self.tls = tls
        self.resumptions = resumptions
        self.proxy = proxy
        self.networkInterface = networkInterface
        self.webSocket = webSocket
        self.limits = limits
    }
}
