import DivanHTTP
import DivanPlatform
import DivanTransport
import Synchronization
import Testing

/// HTTP clients that have ended their direction: they still read, or break, or fall silent.
@Suite(.timeLimit(.minutes(5))) struct HalfClosedTests {
    /// More than the system buffers for both ends of a connection.
    private static let huge = [UInt8](repeating: UInt8(ascii: "x"), count: 24 << 20)

    /// A server on its own loop.
    private final class Served: Sendable {
        let port: UInt16
        let server: HTTPServer
        private let loops: EventLoopGroup

        init(
            transport: TransportLimits = TransportLimits(),
            _ serve: @escaping @Sendable (HTTPExchange) -> Void
        ) throws {
            loops = EventLoopGroup(count: 1)
            server = HTTPServer(
                HTTPServer.Configuration(networkInterface: "127.0.0.1", transport: transport),
                loops: loops,
                log: quiet,
                onRequest: serve
            )
            port = try server.start()
        }

        deinit {
            server.stop()
            loops.stop()
        }

        /// Lets the loop turn until `isMet`, for at most ten seconds.
        func turn(_ count: Int = 1_000, until isMet: () -> Bool = { false }) async -> Bool {
            let loop = loops.loops[0]
            for _ in 0..<count {
                if isMet() { return true }
                await withCheckedContinuation { continuation in
                    _ = loop.schedule(at: loop.now + .milliseconds(10)) { continuation.resume() }
                }
            }
            return isMet()
        }

        /// Whether it releases every connection.
        func isLeft() async -> Bool { await turn { server.connectionCount == 0 } }

        /// A connection that has sent a request and ended its direction.
        func asked(_ request: String = "GET / HTTP/1.1\r\nHost: h\r\n\r\n") throws -> RawSocket {
            let raw = try #require(RawSocket(port: port))
            raw.send(request)
            raw.endSending()
            return raw
        }
    }

    /// A given number of pieces of 64 KiB, or an endless series.
    private final class Pieces: HTTPBodySource {
        let isEndless: Bool
        private let state: Mutex<(rest: Int, askedCount: Int, isCancelled: Bool)>

        init(_ count: Int = .max) {
            isEndless = count == .max
            state = Mutex((count, 0, false))
        }

        var askedCount: Int { state.withLock { $0.askedCount } }
        var isCancelled: Bool { state.withLock { $0.isCancelled } }

        func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
            let isEnd = state.withLock { state in
                state.askedCount += 1
                defer { state.rest -= 1 }
                return state.rest == 0
            }
            answer(isEnd ? .end : .bytes([UInt8](repeating: 1, count: 64 << 10)))
        }

        func cancel() { state.withLock { $0.isCancelled = true } }
    }

    @Test func `a client that resets while its request waits for a decision is released`()
        async throws
    {
        let held = Mutex<HTTPExchange?>(nil)
        let served = try Served { exchange in held.withLock { $0 = exchange } }
        do {
            let raw = try served.asked()
            #expect(await served.turn { held.withLock { $0 } != nil })
            _ = await served.turn(10)  // in which the end of its direction is read
            raw.reset()
        }
        #expect(await served.isLeft())
        held.withLock { $0 }?.answer(HTTPResponse(contentType: "text/plain", Self.huge))
        _ = await served.turn(10)
        #expect(served.server.connectionCount == 0)
    }

    @Test func `a client that resets while it reads its answer is released`() async throws {
        let served = try Served { $0.answer(HTTPResponse(contentType: "text/plain", Self.huge)) }
        do {
            let raw = try served.asked()
            #expect(!raw.receive().isEmpty)
            _ = await served.turn(10)
            raw.reset()
        }
        #expect(await served.isLeft())
    }

    @Test func `a client that does not read its answer is disconnected`() async throws {
        let limits = TransportLimits(closeTimeout: .seconds(1), stallTimeout: .milliseconds(300))
        let isAsked = Mutex(false)
        let served = try Served(transport: limits) { exchange in
            isAsked.withLock { $0 = true }
            exchange.answer(HTTPResponse(contentType: "text/plain", Self.huge))
        }
        let raw = try served.asked()
        #expect(await served.turn { isAsked.withLock { $0 } })
        #expect(await served.isLeft())
        withExtendedLifetime(raw) {}
    }

    @Test(arguments: [64 << 16, nil])
    func `a half-closed client gets a body of many pieces completely`(byteCount: Int?) async throws
    {
        let served = try Served { exchange in
            exchange.answer(
                HTTPResponse(status: 200, body: .pieces(Pieces(64), byteCount: byteCount))
            )
        }
        let answer = await (try served.asked()).received()
        #expect(answer.count(where: { $0 == 1 }) == 64 << 16)
        #expect(await served.isLeft())
    }

    @Test func `a body without an end stops when the client closes its direction`() async throws {
        let pieces = Pieces()
        let served = try Served {
            $0.answer(HTTPResponse(status: 200, body: .pieces(pieces, byteCount: nil)))
        }
        let raw = try served.asked()
        #expect(await served.turn { pieces.isCancelled })
        #expect(await served.isLeft())
        withExtendedLifetime(raw) {}
    }

    @Test(arguments: [3, .max])
    func `a body that is not sent is not read`(count: Int) async throws {
        let pieces = Pieces(count)
        let served = try Served { exchange in
            let body: HTTPResponse.Body =
                exchange.request.method == "HEAD" ? .pieces(pieces, byteCount: nil) : .bytes([])
            exchange.answer(HTTPResponse(status: 200, body: body))
        }
        let last = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        let raw = try #require(RawSocket(port: served.port))
        raw.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + last)
        let answer = String(decoding: await raw.received(), as: UTF8.self)
        #expect(answer.ranges(of: "HTTP/1.1 200 OK").count == 2)
        #expect(pieces.askedCount == 0)
        #expect(pieces.isCancelled)
    }

    @Test(arguments: [1, 24 << 20])
    func `a client that half-closes after pipelined requests gets all its answers`(
        byteCount: Int
    ) async throws {
        let served = try Served { exchange in
            let path = exchange.request.target.path
            if path == "/body" {
                exchange.readBody { body in
                    let bytes = (try? body.get()) ?? []
                    exchange.answer(HTTPResponse(contentType: "text/plain", bytes))
                }
            } else {
                let body = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
                exchange.answer(HTTPResponse(contentType: "text/plain", body))
            }
        }
        let plain = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        let body = "POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
        // The truncated data after them is not a request.
        let raw = try served.asked(plain + body + plain + "GET / HT")
        let answer = await raw.received()
        #expect(answer.count { $0 == UInt8(ascii: "x") } >= 2 * byteCount)
        let text = String(decoding: answer, as: UTF8.self)
        #expect(text.ranges(of: "HTTP/1.1 200 OK").count == 3)
        #expect(text.contains("hello"))
        #expect(await served.isLeft())
    }

    /// For a client of HTTP/1.0 the proper end of the connection is the body's end.
    @Test(arguments: ["1.0", "1.1"])
    func `an answer that fails partway breaks the connection`(version: String) async throws {
        final class Broken: HTTPBodySource {
            private let hasBegun = Mutex(false)
            func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
                let isSecond = hasBegun.withLock { hasBegun in
                    defer { hasBegun = true }
                    return hasBegun
                }
                answer(isSecond ? .failed : .bytes([1, 2, 3]))
            }
            func cancel() {}
        }
        let served = try Served { exchange in
            exchange.answer(HTTPResponse(status: 200, body: .pieces(Broken(), byteCount: nil)))
        }
        let raw = try #require(RawSocket(port: served.port))
        raw.send("GET / HTTP/\(version)\r\nHost: h\r\n\r\n")
        _ = await raw.received()
        #expect(raw.failure == .connectionReset)
    }

    @Test func `a truncated request body ends the connection`() async throws {
        let served = try Served { exchange in
            guard exchange.request.method == "POST" else {
                return exchange.answer(HTTPResponse(contentType: "text/plain", []))
            }
            exchange.readBody { _ in }
        }
        let post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel"
        let raw = try served.asked("GET / HTTP/1.1\r\nHost: h\r\n\r\n" + post)
        let answer = String(decoding: await raw.received(), as: UTF8.self)
        #expect(answer.ranges(of: "HTTP/1.1 200 OK").count == 1)
        #expect(await served.isLeft())
    }
}
