import DivanAuth
import DivanCommandLine
import DivanHTTP
import DivanTransport

/// Serves metrics and health on 127.0.0.1; accepts only `GET` and `HEAD`.
///
/// A connection gets one response and is limited to five seconds. Sixteen may be open; beyond that, an idle one is
/// closed, so that idle clients do not lock out monitoring.
final class MetricsServer: Sendable {
    private static let limits = HTTPLimits(
        head: HTTPHeadLimits(headByteCount: 8 << 10),
        waitingByteCount: 8 << 10,
        headTimeout: .seconds(5),
        bodyTimeout: .seconds(5),
        idleTimeout: .seconds(5),
        connectionCount: 16
    )

    /// The port, chosen by the system if 0 was requested.
    let port: UInt16

    private let server: HTTPServer

    /// Listens and answers.
    ///
    /// - Parameters:
    ///   - port: The port; 0 chooses any free one.
    ///   - page: The response for a path, `nil` for an unknown path; called on one thread at a time.
    /// - Throws: `Failure` if the port is not available.
    init(
        port: UInt16,
        page: @escaping @Sendable (_ path: String) -> HTTPResponse?
    ) throws(Failure) {
        // Not on the loop: a page queries every listener.
        let queue = WorkQueue(label: "divan.metrics", limit: 1)
        let server = HTTPServer(
            HTTPServer.Configuration(
                networkInterface: "127.0.0.1",
                port: port,
                limits: Self.limits,
                transport: TransportLimits(stallTimeout: .seconds(5))
            )
        ) { exchange in
            queue.async {
                exchange.answer(Self.answer(to: exchange.request, page))
            }
        }
        self.server = server
        do {
            self.port = try server.start()
        } catch {
            throw Failure(
                kind: .failed,
                text: "cannot serve metrics on port \(port): \(error)"
            )
        }
    }

    /// Stops; no client can connect after it returns.
    func stop() { server.stop() }

    private static func answer(
        to request: HTTPRequest,
        _ page: (_ path: String) -> HTTPResponse?
    ) -> HTTPResponse {
        var response: HTTPResponse
        if let host = request.headers["Host"], !HostField(host).isOwn() {
            // A web page could make its own host name resolve to 127.0.0.1.
            response = refusal(421, "unknown host name; use 127.0.0.1 or localhost")
        } else if ["GET", "HEAD"].contains(request.method) {
            response =
                page(request.target.path)
                ?? refusal(404, "not found; use /metrics or /_health")
        } else {
            response = refusal(405, "only GET and HEAD are allowed")
            response.headers.append("Allow", "GET, HEAD")
        }
        response.headers.append("Cache-Control", "no-store")
        response.headers.append("Connection", "close")
        return response
    }

    private static func refusal(_ status: Int, _ explanation: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            contentType: "text/plain; charset=utf-8",
            Array("\(explanation)\n".utf8)
        )
    }
}
