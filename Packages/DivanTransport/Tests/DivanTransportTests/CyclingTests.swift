import DivanTestKit
import DivanTransport
import Testing

/// Open, close and stop at the same moment: the receiver is always told of the end.
///
/// Every way to end a connection, each many times and several at once on the shared loops. A wait in vain runs into the
/// time limit.
@Suite(.timeLimit(.minutes(5))) struct CyclingTests {
    enum Way: CaseIterable, Sendable {
        case clientCloses
        case clientClosesAtOnce
        case serverStops
        case serverStopsAtOnce
        case bothAtOnce
        case nobodyDecides
        case transportNeverStarts
    }

    @Test(arguments: 0..<8)
    func `repeated opening and closing always completes`(lane: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(lane))
        for _ in 0..<4 {
            for way in Way.allCases.shuffled(using: &generator) { try await cycle(way) }
        }
    }

    private func cycle(_ way: Way) async throws {
        let isDecided = way != .nobodyDecides
        let starts = way != .transportNeverStarts
        let server = try TestServer(starts: starts) { _ in isDecided }
        let transport = client(port: server.port)
        let recorder = Recorder()
        transport.start(recorder)
        switch way {
        case .clientCloses:
            await recorder.wait { $0.peer != nil }
            transport.close(code: 1000, reason: "")
        case .clientClosesAtOnce: transport.close(code: 1000, reason: "")
        case .serverStops, .transportNeverStarts:
            await recorder.wait { $0.peer != nil }
            await server.stop()
        case .serverStopsAtOnce: await server.stop()
        case .nobodyDecides:
            await server.asked()
            await server.stop()
        case .bothAtOnce:
            transport.close(code: 1000, reason: "")
            await server.stop()
        }
        await recorder.end()
        await server.stop()
        #expect(server.server.connectionCount == 0)
        #expect(server.server.port == nil)
    }
}
