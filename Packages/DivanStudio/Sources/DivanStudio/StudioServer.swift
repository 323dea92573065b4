import DivanCrypto
import DivanHTTP
import DivanTransport

/// Serves a web page that shows a database, for a user of this machine.
///
/// It listens on 127.0.0.1 only, and requires the token in its URL. It is read-only unless configured otherwise. Can be
/// used from any thread.
public final class StudioServer: Sendable {
    private let token: StudioToken
    private let service: StudioService
    private let server: HTTPServer

    /// Creates a studio; call `start` to listen.
    public init(_ configuration: StudioConfiguration) {
        let token = StudioToken(random: SystemRandomSource())
        self.token = token
        let service = StudioService(configuration, token: token)
        self.service = service
        server = HTTPServer(
            HTTPServer.Configuration(
                networkInterface: "127.0.0.1",
                port: configuration.port,
                limits: configuration.limits.http
            )
        ) { exchange in service.serve(exchange) }
    }

    /// Starts listening.
    ///
    /// - Returns: The URL to open, with the token.
    /// - Throws: `TransportError` if the port is in use.
    @discardableResult
    public func start() throws -> String {
        let port = try server.start()
        service.port = port
        return "http://127.0.0.1:\(port)/?token=\(token.text)"
    }

    /// Stops listening and closes every connection.
    public func stop() { server.stop() }
}
