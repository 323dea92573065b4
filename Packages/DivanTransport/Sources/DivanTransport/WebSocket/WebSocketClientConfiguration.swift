public import DivanTLS
public import DivanWebSocket

/// Where to connect, and as whom.
public struct WebSocketClientConfiguration: Sendable {
    /// Host, port and request target.
    public var endpoint: WebSocketEndpoint
    /// Subprotocols by preference.
    public var subprotocols: [String]
    /// Value of User-Agent.
    public var userAgent: String
    /// Gives Authorization, Cookie and further fields, for each request anew.
    ///
    /// Asked again after a redirect; to another host, or out of TLS, only cookies go then. Which of them may,
    /// only the closure can tell (`WebSocketEndpoint.maySee`).
    public var headers: @Sendable (WebSocketEndpoint) -> HTTPHeaders
    /// Hears the header fields of every answer, refusals and redirects too: `Set-Cookie`.
    public var onResponse: (@Sendable (WebSocketEndpoint, HTTPHeaders) -> Void)?
    /// How TLS is spoken with `wss`; `nil` trusts the system's roots.
    public var tls: TLSContext?
    /// Where TLS sessions are kept, so that the next connection goes on with them; `nil` shakes
    /// hands in full each time, as does a context that does not say `resumesSessions`.
    public var resumptions: TLSResumptionCache?
    /// The HTTP proxy that leads to every endpoint; `nil` connects directly.
    public var proxy: HTTPProxy?
    /// Name or address of the network interface to connect from.
    public var networkInterface: String?
    /// How the open connection behaves.
    public var webSocket: WebSocketConnection.Configuration
    /// Bounds of time and memory.
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
