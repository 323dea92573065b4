import DivanHTTP
import DivanTransport

/// An HTTP server on this machine whose responses come from an `async` function.
///
/// It represents the web framework of your choice: a handler of Vapor or Hummingbird would call the same
/// functions.
final class HTTPEndpoint: Sendable {
    typealias Handler = @Sendable (HTTPRequest, [UInt8]) async throws -> HTTPResponse

    private let server: HTTPServer

    init(answering handler: @escaping Handler) {
        let place = HTTPServer.Configuration(networkInterface: "127.0.0.1")
        server = HTTPServer(place) { exchange in
            exchange.readBody { body in
                // Meanwhile, the loop that called serves other clients.
                Task { exchange.answer(await Self.response(exchange.request, body, handler)) }
            }
        }
    }

    /// Starts listening on a free port, and returns it.
    func start() throws -> UInt16 { try server.start() }

    func stop() { server.stop() }

    private static func response(
        _ request: HTTPRequest,
        _ body: Result<[UInt8], HTTPError>,
        _ handler: Handler
    ) async -> HTTPResponse {
        do {
            return try await handler(request, body.get())
        } catch {
            let known = error as? HTTPError ?? HTTPError(500, "the request failed")
            let text = Array((known.explanation + "\n").utf8)
            return HTTPResponse(status: known.status, contentType: "text/plain", text)
        }
    }
}
