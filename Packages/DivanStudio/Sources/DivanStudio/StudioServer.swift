import DivanCrypto
import DivanHTTP
import DivanTransport

/// A web page about one database, for the person at this machine.
///
/// It listens on 127.0.0.1 only, and only answers clients that know the token in its address; it is read-only unless
/// the configuration says otherwise. May be used from any thread.
public final class StudioServer: Sendable {
    private let token: StudioToken
    private let service: StudioService
    private let server: HTTPServer

    /// Prepares a studio; it starts to listen in `start`.
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

    /// Starts to listen.
    ///
    /// - Returns: The address to open, with the token.
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
