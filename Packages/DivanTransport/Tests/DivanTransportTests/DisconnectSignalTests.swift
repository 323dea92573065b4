import Dispatch
import DivanHTTP
import DivanPlatform
import Synchronization
import Testing

@testable import DivanTransport

/// Clients that go before they are answered.
@Suite(.timeLimit(.minutes(5))) struct DisconnectSignalTests {
    @Test func `the work of a disconnected client is removed from the queue`() async {
        let queue = WorkQueue(label: "test", limit: 1)
        let (gone, stays) = (DisconnectSignal(), DisconnectSignal())
        let done = Mutex<[Int]>([])
        let begin = DispatchSemaphore(value: 0)
        queue.async { begin.wait() }
        await withCheckedContinuation { continuation in
            for number in 0..<1_000 {
                queue.async(unlessGone: number % 100 == 7 ? stays : gone) {
                    done.withLock { $0.append(number) }
                }
            }
            gone.note()
            queue.async(unlessGone: gone) { done.withLock { $0.append(-1) } }
            queue.async { continuation.resume() }
            begin.signal()
        }
        #expect(done.withLock { $0 } == (0..<10).map { 100 * $0 + 7 })
    }

    /// How a client goes.
    enum Way: CaseIterable {
        case reset
        /// As `close` does: nobody can use a WebSocket then.
        case end

        func go(_ raw: RawSocket) {
            switch self {
            case .reset:
                raw.socket.reset()
            case .end: raw.endSending()
            }
        }
    }

    @Test func `an HTTP server detects a reset before it answers`() async throws {
        let (departures, continuation) = AsyncStream.makeStream(of: DisconnectSignal.self)
        let configuration = HTTPServer.Configuration(networkInterface: "127.0.0.1")
        let server = HTTPServer(configuration, log: quiet) { continuation.yield($0.departure) }
        let raw = try #require(RawSocket(port: try server.start()))
        raw.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try await expectOver(departures, raw, .reset)
        server.stop()
    }

    @Test(arguments: Way.allCases)
    func `a WebSocket server detects a client that disconnects before the decision`(
        way: Way
    ) async throws {
        let (departures, continuation) = AsyncStream.makeStream(of: DisconnectSignal.self)
        let configuration = WebSocketServer.Configuration(networkInterface: "127.0.0.1")
        let server = WebSocketServer(configuration, log: quiet) { request in
            // Kept, as if waiting in line.
            request.departure.whenOver { withExtendedLifetime(request) {} }
            continuation.yield(request.departure)
        }
        let raw = try #require(RawSocket(port: try server.start()))
        raw.send(upgradeText)
        try await expectOver(departures, raw, way)
        server.stop()
    }

    private func expectOver(
        _ departures: AsyncStream<DisconnectSignal>,
        _ raw: RawSocket,
        _ way: Way
    ) async throws {
        let departure = try #require(await departures.first { _ in true })
        #expect(!departure.isOver)
        // A stream ends with the time limit, which a continuation does not notice.
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        departure.whenOver { end.yield() }
        way.go(raw)
        try #require(await ends.first { true } != nil)
    }
}

/// Name look-ups when the system has no thread left.
@Suite(.timeLimit(.minutes(5))) struct NameLookupTests {
    @Test(arguments: [0, 1]) func `each host name gets one answer if no threads are available`(
        threadCount: Int
    ) async {
        let (bodies, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        let left = Mutex(threadCount)
        let lookup = NameLookup { body in
            let hasThread = left.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            if hasThread { continuation.yield(body) }
            return hasThread
        }
        let outcomes = Mutex<[NameLookup.Outcome]>([])
        for _ in 0..<3 {
            lookup.find("localhost", port: 1) { outcome in outcomes.withLock { $0.append(outcome) }
            }
        }
        guard threadCount > 0 else {
            let missing = NameLookup.Outcome.failed(.noMemory)
            #expect(outcomes.withLock { $0 } == [missing, missing, missing])
            return
        }
        #expect(outcomes.withLock { $0 }.isEmpty, "the thread that there is takes all of them")
        for await body in bodies {
            body()
            break
        }
        #expect(outcomes.withLock { $0.count } == 3)
    }

    @Test func `a cancelled lookup is removed from the queue even if the name server is dead`() {
        // Threads that never start.
        let lookup = NameLookup { _ in true }
        for _ in 0..<1_000 {
            let client = DisconnectSignal()
            lookup.find("nobody.example", port: 1, unlessGone: client) { _ in }
            client.note()
        }
        lookup.find("somebody.example", port: 1) { _ in }
        #expect(lookup.waitingCount == 1)
    }
}
