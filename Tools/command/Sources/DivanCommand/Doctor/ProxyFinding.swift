import DivanCommandLine
import DivanTransport
import DivanWebSocket

/// Explains why a proxy did not open a tunnel to the server.
struct ProxyFinding {
    private let reason: TransportError.Reason
    private let endpoint: WebSocketEndpoint
    private let patience: Int

    /// Reads an error; `nil` if the tunnel was already open, so that the error is not the proxy's.
    init?(_ error: TransportError, to endpoint: WebSocketEndpoint, _ patience: Int) {
        // Until the tunnel is open, the place of each error begins with the proxy.
        guard error.place.hasPrefix("proxy ") else { return nil }
        reason = error.reason
        self.endpoint = endpoint
        self.patience = patience
    }

    var finding: Finding {
        let place = "\(endpoint.host):\(endpoint.port)"
        return switch reason {
        case .refused(407, let explanation, _):
            .failed(
                "proxy",
                "the proxy requires authentication: \(Finding.answer(407, explanation))",
                "use '--proxy USER@HOST:PORT', and set DIVAN_PROXY_PASSWORD",
                .refused
            )
        case .refused(let status, let explanation, _) where 500...599 ~= status:
            .failed(
                "proxy",
                "the proxy cannot reach \(place): \(Finding.answer(status, explanation))",
                "check the host and port in the URL; the proxy must be able to reach them",
                .unreachable
            )
        case .refused(let status, let explanation, _):
            .failed(
                "proxy",
                "the proxy refused to connect to \(place): \(Finding.answer(status, explanation))",
                "allow CONNECT to this port on the proxy, or remove '--proxy'",
                .refused
            )
        case .handshake(let problem):
            .failed(
                "proxy",
                "not an HTTP proxy: \(problem)",
                "check the host and port in --proxy",
                .unreachable
            )
        case .timeout:
            .failed(
                "proxy",
                "the proxy did not connect to \(place) within \(patience) s",
                "check the host and port in --proxy and in the URL",
                .unreachable
            )
        default:
            .failed(
                "proxy",
                "the proxy closed the connection before it connected to \(place)",
                "check the host and port in --proxy, and the proxy's log",
                .unreachable
            )
        }
    }
}
