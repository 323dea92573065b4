import DivanCommandLine
import DivanTransport
import DivanWebSocket

/// Explains why a proxy opened no tunnel to the server.
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
                "the proxy wants credentials: \(Finding.answer(407, explanation))",
                "--proxy USER@HOST:PORT with DIVAN_PROXY_PASSWORD",
                .refused
            )
        case .refused(let status, let explanation, _) where 500...599 ~= status:
            .failed(
                "proxy",
                "the proxy cannot reach \(place): \(Finding.answer(status, explanation))",
                "check host and port of the URL, as the proxy sees them",
                .unreachable
            )
        case .refused(let status, let explanation, _):
            .failed(
                "proxy",
                "the proxy opens no way to \(place): \(Finding.answer(status, explanation))",
                "have the port allowed there (CONNECT), or leave out --proxy",
                .refused
            )
        case .handshake(let problem):
            .failed(
                "proxy",
                "what answers is no HTTP proxy: \(problem)",
                "check host and port of --proxy",
                .unreachable
            )
        case .timeout:
            .failed(
                "proxy",
                "the proxy said nothing for \(patience) s after our request for a way to \(place)",
                "check host and port of --proxy; it may wait for the server itself",
                .unreachable
            )
        default:
            .failed(
                "proxy",
                "the proxy hung up before it had opened a way to \(place)",
                "check host and port of --proxy, and its log",
                .unreachable
            )
        }
    }
}
