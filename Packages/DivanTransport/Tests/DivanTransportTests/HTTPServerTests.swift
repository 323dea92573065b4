import DivanHTTP
import DivanPlatform
import Synchronization
import Testing

// For the loop's own processor time.
@testable import DivanTransport

/// An HTTP server with clients that read slowly or send little.
@Suite(.timeLimit(.minutes(5))) struct HTTPServerTests {
    private static let large = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    /// More than the system buffers for both ends of a connection.
    private static let huge = [UInt8](repeating: UInt8(ascii: "x"), count: 24 << 20)

    /// Ten times as much.
    private static let giant = [UInt8](repeating: UInt8(ascii: "x"), count: 240 << 20)

    /// A server on one loop, which counts the requests for a large body.
    private final class Served: Sendable {
        let port: UInt16
        let loops: EventLoopGroup
        let server: HTTPServer
        private let count: Count

        final class Count: Sendable {
            let value = Atomic(0)
            /// Requests that are never answered.
            let held = Mutex<[HTTPExchange]>([])
        }

        init(
            limits: HTTPLimits = HTTPLimits(),
            transport: TransportLimits = TransportLimits(),
            trusting proxies: [String] = []
        ) throws {
            let (count, loops) = (Count(), EventLoopGroup(count: 1))
            (self.count, self.loops) = (count, loops)
            let configuration = HTTPServer.Configuration(
                networkInterface: "127.0.0.1",
                limits: limits,
                transport: transport,
                trustedProxies: try #require(TrustedProxies(proxies))
            )
            server = HTTPServer(configuration, loops: loops, log: quiet) { exchange in
                let body: [UInt8]
                switch exchange.request.target.path {
                case "/large":
                    count.value.add(1, ordering: .relaxed)
                    body = HTTPServerTests.large
                case "/huge": body = HTTPServerTests.huge
                case "/giant": body = HTTPServerTests.giant
                case "/body":
                    return exchange.readBody { body in
                        var status = 200
                        if case .failure(let error) = body { status = error.status }
                        exchange.answer(HTTPResponse(status: status))
                    }
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

        var heldClients: [String] { count.held.withLock { $0.map(\.address.host).sorted() } }

        func keepHeld(while isWelcome: @escaping @Sendable () -> Bool) {
            for exchange in count.held.withLock({ $0 }) {
                exchange.keepConnection(while: isWelcome)
            }
        }

        /// Sends a request that is never answered.
        func hold(from source: UInt8) throws -> RawSocket {
            let raw = try #require(RawSocket(port: port, source: source))
            raw.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n")
            return raw
        }

        /// Requests something small on a new connection; the loop turns a few times for it.
        func ask(from source: UInt8 = 1) throws -> String {
            let raw = try #require(RawSocket(port: port, source: source))
            raw.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            return String(decoding: raw.receiveAll(), as: UTF8.self)
        }
    }

    @Test func `pipelined requests do not accumulate unread answers`() throws {
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

    @Test func `the last answer of a connection reaches a slow reader completely`() throws {
        let served = try Served(transport: TransportLimits(closeTimeout: .milliseconds(1)))
        let raw = try #require(RawSocket(port: served.port))
        raw.send("GET /huge HTTP/1.0\r\n\r\n")
        var count = raw.receive().count
        for _ in 0..<50 { #expect(try served.ask().hasPrefix("HTTP/1.1 200 ")) }
        while case let piece = raw.receive(), !piece.isEmpty { count += piece.count }
        #expect(count > Self.huge.count)
    }

    @Test func `the work for an answer grows no faster than its size`() async throws {
        let served = try Served()
        let loop = try #require(served.loops.loops.first)
        func time() async -> Duration {
            await withCheckedContinuation { continuation in
                loop.execute { continuation.resume(returning: loop.processorTime) }
            }
        }
        /// The processor time that the loop spends on one answer.
        func work(_ path: String) async throws -> Duration {
            let begin = await time()
            let raw = try #require(RawSocket(port: served.port))
            raw.send("GET \(path) HTTP/1.0\r\n\r\n")
            while !raw.receive().isEmpty {}
            return await time() - begin
        }
        _ = try await (work("/huge"), work("/giant"))
        var ratios: [Double] = []
        // Work that grows faster does so each time; a busy machine delays some.
        for _ in 0..<6 {
            let (small, great) = try await (work("/huge"), work("/giant"))
            ratios.append(great / small)
            if great < small * 40 { return }
        }
        Issue.record("ten times the size takes \(ratios) times as long")
    }

    @Test func `clients with incomplete requests are closed for clients with complete ones`() throws
    {
        let served = try Served(limits: HTTPLimits(connectionCount: 8))
        let halves = try (0..<40).map { _ in
            let raw = try #require(RawSocket(port: served.port))
            raw.send("GET / HTTP/1.1\r\n")
            return raw
        }
        for _ in 0..<20 { #expect(try served.ask().hasPrefix("HTTP/1.1 200 ")) }
        withExtendedLifetime(halves) {}
    }

    @Test func `an address with too many connections loses its own, not those of others`() throws {
        let served = try Served(
            limits: HTTPLimits(connectionCount: 8),
            transport: TransportLimits(sparesLoopback: false)
        )
        func half() throws -> RawSocket {
            let raw = try #require(RawSocket(port: served.port, source: 1))
            raw.send("G")
            return raw
        }
        var halves = try (0..<20).map { _ in try half() }
        for _ in 0..<20 {
            // Connected, but silent, as during the handshake of TLS.
            let honest = try #require(RawSocket(port: served.port, source: 2))
            halves += try (0..<10).map { _ in try half() }
            honest.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(String(decoding: honest.receiveAll(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        }
        withExtendedLifetime(halves) {}
    }

    @Test func `unread answers have a total limit, and one address gets at most half of it`() throws
    {
        let served = try Served(
            limits: HTTPLimits(bodyByteCount: 1 << 20, heldBodyByteCount: 60 << 20),
            transport: TransportLimits(sparesLoopback: false)
        )
        /// Asks for 24 MiB, and reads only what comes first.
        func ask(from source: UInt8) throws -> (raw: RawSocket, status: String, count: Int) {
            let raw = try #require(RawSocket(port: served.port, source: source))
            raw.send("GET /huge HTTP/1.1\r\nHost: h\r\n\r\n")
            let bytes = raw.receive()
            return (raw, String(decoding: bytes.prefix(12), as: UTF8.self), bytes.count)
        }
        let first = try ask(from: 1)
        #expect(first.status == "HTTP/1.1 200")
        #expect(try ask(from: 1).status == "HTTP/1.1 503", "48 MiB are more than half")
        let second = try ask(from: 2)
        #expect(second.status == "HTTP/1.1 200")
        #expect(try ask(from: 3).status == "HTTP/1.1 503", "72 MiB are too many")
        #expect(try served.isAnswered(from: 3), "a short answer needs no room")
        var count = first.count
        while count < Self.huge.count {
            let bytes = first.raw.receive()
            try #require(!bytes.isEmpty)
            count += bytes.count
        }
        #expect(try served.isAnswered(from: 9))
        #expect(try ask(from: 3).status == "HTTP/1.1 200")
        withExtendedLifetime((first, second)) {}
    }

    @Test func `request bodies have a total limit, and one address gets at most half of it`() throws
    {
        let served = try Served(
            limits: HTTPLimits(bodyByteCount: 50_000, heldBodyByteCount: 100_000),
            transport: TransportLimits(sparesLoopback: false)
        )
        /// Sends a body, without its last byte unless `isWhole`.
        func send(from source: UInt8, isWhole: Bool = false) throws -> RawSocket {
            let raw = try #require(RawSocket(port: served.port, source: source))
            let head = "POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 30000\r\n\r\n"
            raw.send(head + String(repeating: "x", count: isWhole ? 30_000 : 29_999))
            // Once a later request is answered, the server has seen this one.
            _ = try served.ask(from: 9)
            return raw
        }
        func answer(_ raw: RawSocket) -> String { String(decoding: raw.receive(), as: UTF8.self) }
        let first = try send(from: 1)
        #expect(answer(try send(from: 1)).hasPrefix("HTTP/1.1 503 "), "60,000 are more than half")
        let second = try send(from: 2)
        #expect(answer(try send(from: 3, isWhole: true)).hasPrefix("HTTP/1.1 200 "))
        let third = try send(from: 3)
        #expect(answer(try send(from: 4)).hasPrefix("HTTP/1.1 503 "), "120,000 are too many")
        for raw in [first, second, third] {
            raw.send("x")
            #expect(answer(raw).hasPrefix("HTTP/1.1 200 "))
        }
        #expect(answer(try send(from: 1, isWhole: true)).hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: [false, true])
    func `the address with the most connections loses one if there are too many`(
        sparesLoopback: Bool
    ) async throws {
        let served = try Served(
            limits: HTTPLimits(connectionCount: 8),
            transport: TransportLimits(sparesLoopback: sparesLoopback)
        )
        let greedy = try (0..<6).map { _ in try served.hold(from: 1) }
        let modest = try (0..<2).map { _ in try served.hold(from: 2) }
        while served.heldCount < 8 { await Task.yield() }
        for source in [3, 2, 1, 4] as [UInt8] { #expect(try served.isAnswered(from: source)) }
        // Each newcomer took the place that the one before it had left.
        #expect(served.server.displacedConnectionCount == 1)
        #expect(greedy[0].receive().isEmpty, "the longest idle of the heaviest")
        #expect(served.server.connectionCount == 7)
        withExtendedLifetime((greedy, modest)) {}
    }

    /// Bodies that trickle, answers that nobody reads, half requests and silence, all from one address.
    @Test(arguments: [
        "POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx",
        "GET /held HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /huge HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HT", "",
    ])
    func `slow clients do not block other clients, even from the same address`(
        _ request: String
    ) throws {
        let served = try Served(limits: HTTPLimits(connectionCount: 16))
        let slow = try (0..<40).map { _ in
            let raw = try #require(RawSocket(port: served.port))
            raw.send(request)
            return raw
        }
        for _ in 0..<20 { #expect(try served.ask().hasPrefix("HTTP/1.1 200 ")) }
        #expect(served.server.displacedConnectionCount >= 24)
        #expect(served.server.connectionCount <= 16)
        withExtendedLifetime(slow) {}
    }

    @Test
    func
        `clients of a trusted proxy are distinguished, and only the one over its limit is disconnected`()
        async throws
    {
        let served = try Served(limits: HTTPLimits(connectionCount: 8), trusting: ["127.0.0.1"])
        func hold(_ client: String) throws -> RawSocket {
            let raw = try #require(RawSocket(port: served.port))
            raw.send("GET /held HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: \(client)\r\n\r\n")
            return raw
        }
        let modest = try hold("192.0.2.1")
        let greedy = try (0..<7).map { try hold("1.1.1.\($0), 192.0.2.2") }
        while served.heldCount < 8 { await Task.yield() }
        #expect(served.heldClients == ["192.0.2.1"] + Array(repeating: "192.0.2.2", count: 7))
        for _ in 0..<4 { #expect(try served.ask().hasPrefix("HTTP/1.1 200 ")) }
        #expect(greedy[0].receive().isEmpty)
        #expect(served.server.displacedConnectionCount == 1)
        withExtendedLifetime(modest) {}
    }

    @Test
    func `a connection is kept while its client is allowed, and then closed even during an answer`()
        async throws
    {
        let served = try Served()
        let raw = try #require(RawSocket(port: served.port))
        raw.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n")
        while served.heldCount < 1 { await Task.yield() }
        let isWelcome = Atomic(true)
        served.keepHeld { isWelcome.load(ordering: .relaxed) }
        served.server.dismissUnwelcome()
        #expect(try served.isAnswered(from: 1))
        #expect(served.server.connectionCount == 1)
        isWelcome.store(false, ordering: .relaxed)
        served.server.dismissUnwelcome()
        #expect(raw.receive().isEmpty)
    }
}
