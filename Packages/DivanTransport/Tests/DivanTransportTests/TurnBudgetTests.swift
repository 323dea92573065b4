import Synchronization
import Testing

@testable import DivanTransport

/// A connection with costly messages lets the loop serve others between them.
///
/// `@testable`: the share itself is tested here without a clock.
@Suite(.timeLimit(.minutes(5))) struct TurnBudgetTests {
    @Test func `a share grows while its turns are short`() {
        var share = TurnBudget()
        for _ in 0..<10 { share.took(.milliseconds(1), for: share.messageCount) }
        #expect(share.messageCount == 1_024)
    }

    @Test func `a turn that did not use its share does not change it`() {
        var share = TurnBudget()
        share.took(.milliseconds(1), for: share.messageCount - 1)
        #expect(share.messageCount == 64)
    }

    @Test func `a share shrinks until its processor time is within the target`() {
        var share = TurnBudget()
        for _ in 0..<10 {
            let time = Duration.milliseconds(3) * share.messageCount
            let processorTime = share.wantsProcessorTime ? time : nil
            share.took(time, processorTime: processorTime, for: share.messageCount)
        }
        #expect(Duration.milliseconds(3) * share.messageCount <= TurnBudget.wantedTime)
        for _ in 0..<10 {
            share.took(.seconds(1), processorTime: .seconds(1), for: share.messageCount)
        }
        #expect(share.messageCount == 4)
    }

    @Test func `a share grows if turns only wait for a slow disk`() {
        var share = TurnBudget()
        for _ in 0..<10 {
            let processorTime = share.wantsProcessorTime ? Duration.milliseconds(2) : nil
            share.took(.milliseconds(300), processorTime: processorTime, for: share.messageCount)
        }
        #expect(share.messageCount == 1_024)
    }

    /// All messages arrive in one read.
    ///
    /// Then the server ends the connection without a closing handshake.
    @Test func `expensive messages are delivered over many turns, and all of them before the end`()
        async throws
    {
        let count = 2_000
        let server = try RawServer { socket in
            socket.acceptUpgrade()
            socket.send(Array(repeatElement([0x82, 0x01, 0x07], count: count).joined()))
        }
        let transport = client(port: server.port)
        let received = Atomic<Int>(0)
        let receivedInFirstTurn = Atomic<Int>(0)
        let recorder = Recorder(onMessage: { _ in
            if received.add(1, ordering: .relaxed).newValue == 1 {
                transport.loop.execute {
                    receivedInFirstTurn.store(received.load(ordering: .relaxed), ordering: .relaxed)
                }
            }
            let begin = transport.loop.now
            while transport.loop.now - begin < .microseconds(100) {}
        })
        transport.start(recorder)
        let events = await recorder.end()
        #expect(events.messageCount == count)
        #expect(events.error != nil)
        #expect((1...64).contains(receivedInFirstTurn.load(ordering: .relaxed)))
    }

    /// Answers to the first ones have been sent before the last are looked at.
    @Test func `long messages are delivered four at a time`() async throws {
        let count = 40
        let message = [0x82, 126, 0x40, 0x00] + [UInt8](repeating: 7, count: 16_384)
        let server = try RawServer { socket in
            socket.acceptUpgrade()
            socket.send(Array(repeatElement(message, count: count).joined()))
        }
        let transport = client(port: server.port)
        let recorder = Recorder(keepsMessages: false)
        transport.start(recorder)
        let events = await recorder.end()
        #expect(events.messageCount == count)
        #expect(events.batchCount >= count / 4)
    }

    @Test func `a receiver that pauses still gets the waiting messages, and then no more`()
        async throws
    {
        let server = try TestServer(echoes: false)
        let transport = client(port: server.port)
        let recorder = Recorder()
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        let peer = try #require(server.connections.all.first)
        await onLoop(peer.transport) { peer.transport.setReadingPaused(true) }
        await onLoop(transport) { for _ in 0..<1_000 { transport.send([7]) } }
        await onLoop(peer.transport) {}
        #expect(peer.recorder.events.messageCount == 0)
        await onLoop(peer.transport) { peer.transport.setReadingPaused(false) }
        await peer.recorder.wait { $0.messageCount == 1_000 }
        transport.close(code: 1000, reason: "")
        #expect(await peer.recorder.end().goodbye == "1000  true")
    }
}
