import DivanHTTP
import DivanTransport
import Synchronization
import Testing

/// An HTTP server with clients that take little, or say little.
@Suite(.timeLimit(.minutes(5))) struct HTTPServerTests {
    private static let large = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    /// More than the system keeps for both ends of a connection.
    private static let huge = [UInt8](repeating: UInt8(ascii: "x"), count: 24 << 20)

    /// A server on one loop, which counts how often it was asked for something large.
    private final class Served: Sendable {
        let port: UInt16
        let loops: EventLoopGroup
        let server: HTTPServer
        private let count: Count

        final class Count: Sendable {
            let value = Atomic(0)
            /// Questions that are never answered.
            let held = Mutex<[HTTPExchange]>([])
        }

        init(
            limits: HTTPLimits = HTTPLimits(),
            transport: TransportLimits = TransportLimits()
        ) throws {
            let (count, loops) = (Count(), EventLoopGroup(count: 1))
            (self.count, self.loops) = (count, loops)
            let configuration = HTTPServer.Configuration(
                networkInterface: "127.0.0.1",
                limits: limits,
                transport: transport
            )
            server = HTTPServer(configuration, loops: loops, log: quiet) { exchange in
                let body: [UInt8]
                switch exchange.request.target.path {
                case "/large":
                    count.value.add(1, ordering: .relaxed)
                    body = HTTPServerTests.large
                case "/huge": body = HTTPServerTests.huge
                case "/held": return count.held.withLock { $0.append(exchange) }
                default: body = []
                }
                exchange.answer(HTTPResponse(contentType: "text/plain", body))
            }
            port = try server.start()
        }

        deinit {
            server.stop()
            loops.stop()
        }

        var largeCount: Int { count.value.load(ordering: .relaxed) }

        func isAnswered(from source: UInt8) throws -> Bool {
            try ask(from: source).hasPrefix("HTTP/1.1 200 ")
        }

        var heldCount: Int { count.held.withLock { $0.count } }

        /// Asks what is never answered.
        func hold(from source: UInt8) throws -> RawSocket {
            let raw = try #require(RawSocket(port: port, source: source))
            raw.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n")
            return raw
        }

        /// Asks for something small on a connection of its own; the loop turns a few times for it.
        func ask(from source: UInt8 = 1) throws -> String {
            let raw = try #require(RawSocket(port: port, source: source))
            raw.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            return String(decoding: raw.receiveAll(), as: UTF8.self)
        }
    }

    @Test func `requests sent ahead do not pile answers up that nobody takes`() throws {
        let served = try Served()
        let raw = try #require(RawSocket(port: served.port))
        let request = "GET /large HTTP/1.1\r\nHost: h\r\n\r\n"
        let last = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        raw.send(String(repeating: request, count: 60) + last)
        var count = raw.receive().count
        for _ in 0..<200 { #expect(try served.ask().hasPrefix("HTTP/1.1 200 ")) }
        #expect(served.largeCount < 40)
        while case let piece = raw.receive(), !piece.isEmpty { count += piece.count }
        #expect(served.largeCount == 60)
        #expect(count > 60 * Self.large.count)
    }

    @Test func `the last answer of a connection reaches a slow reader whole`() throws {
        let served = try Served(transport: TransportLimits(closeTimeout: .milliseconds(1)))
        let raw = try #require(RawSocket(port: served.port))
        raw.send("GET /huge HTTP/1.0\r\n\r\n")
        var count = raw.receive().count
        for _ in 0..<50 { #expect(try served.ask().hasPrefix("HTTP/1.1 200 ")) }
        while case let piece = raw.receive(), !piece.isEmpty { count += piece.count }
        #expect(count > Self.huge.count)
    }

    @Test func `those who have said half a request make room for those who say all of it`() throws {
        let served = try Served(limits: HTTPLimits(connectionCount: 8))
        let halves = try (0..<40).map { _ in
            let raw = try #require(RawSocket(port: served.port))
            raw.send("GET / HTTP/1.1\r\n")
            return raw
        }
        for _ in 0..<20 { #expect(try served.ask().hasPrefix("HTTP/1.1 200 ")) }
        withExtendedLifetime(halves) {}
    }

    @Test(arguments: [false, true])
    func `whoever holds the most connections makes room, but for a proxy on this machine`(
        sparesLoopback: Bool
    ) async throws {
        let served = try Served(
            limits: HTTPLimits(connectionCount: 8),
            transport: TransportLimits(sparesLoopback: sparesLoopback)
        )
        let greedy = try (0..<6).map { _ in try served.hold(from: 1) }
        let modest = try (0..<2).map { _ in try served.hold(from: 2) }
        while served.heldCount < 8 { await Task.yield() }
        #expect(try served.isAnswered(from: 3) == !sparesLoopback)
        #expect(try served.isAnswered(from: 2) == !sparesLoopback)
        // There is room for one more now, unless nobody was cut off.
        let last = try sparesLoopback ? nil : served.hold(from: 2)
        while served.heldCount < (sparesLoopback ? 8 : 9) { await Task.yield() }
        #expect(try !served.isAnswered(from: 1), "it has the most itself")
        #expect(served.server.connectionCount == 8)
        withExtendedLifetime((greedy, modest, last)) {}
    }
}
