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

        /// Asks for something small on a connection of its own; the loop turns a few times for it.
        func ask() throws -> String {
            let raw = try #require(RawSocket(port: port))
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
}
