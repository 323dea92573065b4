import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// The two seams of this package, with each implementation, and what their contracts detect.
@Suite(.timeLimit(.minutes(5))) struct ContractTests {
    @Test
    func `the system event loop fulfills the contract`() async {
        let loop = EpollLoop()
        #expect(await EventLoopContract.violations(of: loop) == [])
        loop.stop()
    }

    @Test
    func `an in-process pair fulfills the contract`() async throws {
        let violations = try await MessageTransportContract.violations { first, second in
            let pair = InProcessPair(subprotocol: nil)
            pair.first.start(first)
            pair.second.start(second)
            return (pair.first, pair.second)
        }
        #expect(violations == [])
    }

    @Test(arguments: [false, true])
    func `a WebSocket fulfills the contract, whichever end closes`(isReversed: Bool) async throws {
        let servers = Mutex<[WebSocketServer]>([])
        let violations = try await MessageTransportContract.violations { first, second in
            let (near, far) = isReversed ? (second, first) : (first, second)
            let accepted = AsyncStream<WebSocketServerTransport>.makeStream()
            let server = WebSocketServer(.init(networkInterface: "127.0.0.1")) { request in
                request.accept(subprotocol: "x") { transport in
                    transport.start(far)
                    accepted.continuation.yield(transport)
                }
            }
            let port = try server.start()
            servers.withLock { $0.append(server) }
            let endpoint = try WebSocketEndpoint("ws://127.0.0.1:\(port)/")
            let client = WebSocketClientTransport(.init(endpoint: endpoint, subprotocols: ["x"]))
            client.start(near)
            let other = try #require(await accepted.stream.first { _ in true })
            return isReversed ? (other, client) : (client, other)
        }
        #expect(violations == [])
        for server in servers.withLock({ $0 }) { server.stop() }
    }

    /// Says that every caller is on it, runs work late and timers early, and ignores cancellation.
    private final class Sloppy: EventLoop {
        private let loop = EpollLoop()

        var now: Duration { loop.now }
        var isCurrent: Bool { true }

        func execute(_ work: @escaping @Sendable () -> Void) {
            loop.schedule(at: loop.now + .milliseconds(3)) { work() }
        }

        func schedule(
            at deadline: Duration,
            _ work: @escaping @Sendable () -> Void
        ) -> TimerToken {
            loop.schedule(at: deadline - .milliseconds(20)) { work() }
        }

        func cancel(_ timer: TimerToken) {}
    }

    @Test
    func `the contract reports every violation of a faulty loop`() async {
        let violations = await EventLoopContract.violations(of: Sloppy())
        #expect(violations.contains("isCurrent must be false outside the loop."))
        #expect(violations.contains("A timer must not run before it is due."))
        #expect(violations.contains("A cancelled timer must not run."))
    }

    /// Drops every third message, and forgets who closed.
    private final class Lossy: MessageTransport {
        private let inner: any MessageTransport
        private let count = Atomic<Int>(0)

        init(_ inner: any MessageTransport) { self.inner = inner }

        var loop: any EventLoop { inner.loop }
        var isWritable: Bool { true }

        func start(_ receiver: any MessageReceiver) { inner.start(receiver) }

        func send(_ message: Span<UInt8>) {
            let isKept = !count.add(1, ordering: .relaxed).newValue.isMultiple(of: 3)
            if isKept { inner.send(message) }
        }

        func close(code: UInt16, reason: String) { inner.close(code: 1000, reason: "") }
    }

    @Test
    func `the contract reports every violation of a faulty transport`() async throws {
        let violations = try await MessageTransportContract.violations(
            patience: .seconds(3)
        ) { first, second in
            let pair = InProcessPair(subprotocol: nil)
            let (near, far) = (Lossy(pair.first), Lossy(pair.second))
            near.start(first)
            far.start(second)
            return (near, far)
        }
        #expect(violations.contains("Every message must arrive."))
        #expect(violations.contains("isWritable must be false after queuing 64 MiB."))
        #expect(
            violations.contains("Both ends must learn the close code, the reason and who closed.")
        )
    }
}
