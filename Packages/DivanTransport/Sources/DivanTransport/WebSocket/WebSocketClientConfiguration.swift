public import DivanTLS
public import DivanWebSocket

/// Where to connect, and as whom.
public struct WebSocketClientConfiguration: Sendable {
    /// The server's host, port and request target.
    public var endpoint: WebSocketEndpoint
    /// Subprotocols, in order of preference.
    public var subprotocols: [String]
    /// The value of User-Agent.
    public var userAgent: String
    /// Returns Authorization, Cookie and further fields; called again for each request.
    ///
    /// Called again after a redirect; to another host, or from TLS to clear text, only its cookies are sent. Only the
    /// closure can tell which of them may be sent (`WebSocketEndpoint.maySee`).
    public var headers: @Sendable (WebSocketEndpoint) -> HTTPHeaders
    /// Called with the header fields of every answer, including refusals and redirects: `Set-Cookie`.
    public var onResponse: (@Sendable (WebSocketEndpoint, HTTPHeaders) -> Void)?
    /// The TLS settings for `wss`; `nil` trusts the system's roots.
    public var tls: TLSContext?
    /// Where TLS sessions are kept, so that the next connection resumes them; `nil` means a full handshake each time,
    /// as does a context without `resumesSessions`.
    public var resumptions: TLSResumptionCache?
    /// The HTTP proxy for every endpoint; `nil` connects directly.
    public var proxy: HTTPProxy?
    /// The name or address of the network interface to connect from.
    public var networkInterface: String?
    /// How the open connection behaves.
    public var webSocket: WebSocketConnection.Configuration
    /// Limits of time and memory.
    public var limits: TransportLimits

    /// Creates a configuration; the defaults suit a server with a public certificate.
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
