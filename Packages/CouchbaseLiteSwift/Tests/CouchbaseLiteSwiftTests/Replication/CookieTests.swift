import CouchbaseLiteSwift
import DivanTestKit
import DivanTransport
import DivanWebSocket
import Foundation
import Testing

/// The cookies of a database, over sockets and after it is closed.
///
/// Source: `websocket-and-urls.md` §8; `behaviour.md` §12.
@Suite(.timeLimit(.minutes(5))) struct CookieTests {
    private let directory: TemporaryDirectory
    private let heard = Heard<String?>()
    private let server: WebSocketServer
    private let port: UInt16

    init() throws {
        TestIdentities.use()
        directory = try TemporaryDirectory()
        server = WebSocketServer(.init(networkInterface: "127.0.0.1")) { [heard] request in
            heard.append(request.handshake.headers["Cookie"])
            var headers = HTTPHeaders()
            headers.append("Set-Cookie", "SyncGatewaySession=renewed; Path=/db; Max-Age=3600")
            headers.append("Set-Cookie", "passing=1; Path=/db")
            headers.append("Set-Cookie", "elsewhere=1; Path=/other; Max-Age=3600")
            headers.append("Set-Cookie", "over=1; Path=/db; Max-Age=0")
            headers.append("Set-Cookie", "safe=1; Path=/db; Max-Age=3600; Secure")
            headers.append("Set-Cookie", "foreign=1; Domain=example.org; Max-Age=3600")
            request.refuse(HandshakeRefusal(status: 403, headers: headers, explanation: ""))
        }
        port = try server.start()
    }

    private func open() throws -> Database {
        var options = DatabaseConfiguration()
        options.directory = directory.path
        return try Database(name: "cookies", config: options)
    }

    private func run(_ database: Database, session: String? = nil) async throws {
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try database.defaultCollection())],
            target: try URLEndpoint(validating: "ws://127.0.0.1:\(port)/db")
        )
        configuration.maxAttempts = 1
        configuration.authenticator = session.map { SessionAuthenticator(sessionID: $0) }
        #expect(await Replicator(config: configuration).finalCode() == CBLError.httpForbidden)
    }

    /// The cookies that the server received last.
    private var latest: Set<String> {
        let field = (heard.elements.last ?? nil) ?? ""
        return Set(field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) })
    }

    @Test
    func
        `a renewed session cookie is kept after the database closes, session-only cookies are not`()
        async throws
    {
        let first = try open()
        try await run(first, session: "first")
        #expect(latest == ["SyncGatewaySession=first"])
        try await run(first)
        #expect(latest == ["SyncGatewaySession=renewed", "passing=1"])
        try first.close()

        let second = try open()
        try await run(second)
        #expect(latest == ["SyncGatewaySession=renewed"])
        try second.close()
        server.stop()
    }

    @Test func `each database has its own cookies`() async throws {
        let first = try open()
        try await run(first)
        var options = DatabaseConfiguration()
        options.directory = directory.path
        let other = try Database(name: "other", config: options)
        try await run(other)
        #expect(latest.isEmpty)
        try first.close()
        try other.close()
        server.stop()
    }
}
