import DivanCrypto
import DivanHTTP
import DivanTransport

/// A web page about one database, for the person at this machine.
///
/// It listens on 127.0.0.1 only, and answers whoever knows the token in its address; it only reads
/// unless the configuration says otherwise. Any thread may call it.
public final class StudioServer: Sendable {
    private let token: StudioToken
    private let service: StudioService
    private let server: HTTPServer

    /// Prepares a studio; it listens from `start` on.
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

    /// Begins to listen.
    ///
    /// - Returns: The address to open, with the token.
    /// - Throws: `TransportError` when the port is taken.
    @discardableResult
    public func start() throws -> String {
        let port = try server.start()
        service.port = port
        return "http://127.0.0.1:\(port)/?token=\(token.text)"
    }

    /// Ends to listen and closes every connection.
    public func stop() { server.stop() }
}
