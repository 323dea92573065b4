import DivanAuth
import DivanDatabase
import DivanReplicator
import DivanSession
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation
import Synchronization

/// Reaches a server or listener by its URL.
///
/// Source: `websocket-and-urls.md` §2, §8; `tls-and-auth.md` §2, §3, §5.
final class URLConnector: Connector {
    let isInProcess = false
    let retries = true
    let usesDeltas = true

    let credentials: CredentialSource?

    private let url: WebSocketURL
    private let transport: WebSocketClientTransport.Configuration
    private let latest = Mutex<WebSocketClientTransport?>(nil)

    /// Checks the settings and prepares everything that attempts have in common.
    init(
        _ endpoint: URLEndpoint,
        configuration: ReplicatorConfiguration,
        store: Store,
        credentials prepared: ClientCredentials? = nil
    ) throws {
        url = try WebSocketURL(endpoint.url.absoluteString)
        let credentials = try prepared ?? ClientCredentials(configuration)
        self.credentials = credentials.source
        let cookies = CookieStore(
            store,
            configuration.requiredDatabase.file.cookies,
            acceptsParentDomains: configuration.acceptParentDomainCookie
        )
        // A URL without TLS may redirect to one with TLS.
        let needsTLS = url.endpoint.isSecure || credentials.setsTLS(configuration)
        var transport = WebSocketClientTransport.Configuration(
            endpoint: url.endpoint,
            subprotocols: Subprotocol.offered,
            userAgent: Self.userAgent,
            headers: { [url] endpoint in
                credentials.headers(for: endpoint, redirectedFrom: url.endpoint, cookies: cookies)
            },
            onResponse: { endpoint, headers in cookies.receive(headers, from: endpoint) },
            tls: needsTLS ? try credentials.tlsContext(configuration) : nil,
            proxy: configuration.proxy.map(HTTPProxy.init),
            networkInterface: configuration.networkInterface
        )
        transport.webSocket.heartbeatInterval = .bounded(
            seconds: configuration.heartbeatInForce
        )
        self.transport = transport
    }

    /// A connection within one machine is faster than any compression.
    var compresses: Bool { !url.endpoint.isLoopback }

    func makeTransport(
        on loop: EpollLoop,
        offering subprotocols: [String]
    ) throws -> any MessageTransport {
        var transport = transport
        transport.subprotocols = subprotocols
        let attempt = WebSocketClientTransport(transport, loop: loop)
        latest.withLock { $0 = attempt }
        return attempt
    }

    /// The certificate that the server showed in the latest attempt, accepted or not.
    var serverCertificate: DivanTLS.TLSCertificate? {
        latest.withLock { $0 }?.peerCertificates.first
    }

    private static let userAgent = "CouchbaseLite/3.2-Divan (Swift; Linux) Divan/0.1"
}

extension HTTPProxy {
    /// The same proxy as the transport's type.
    init(_ settings: ProxySettings) {
        self.init(
            host: settings.hostname,
            port: settings.port,
            username: settings.username,
            password: settings.password ?? ""
        )
    }
}

extension WebSocketEndpoint {
    /// Whether the host is a name or address that always means this machine.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
