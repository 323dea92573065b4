import DivanSimulation
import DivanTestKit
import DivanTransport
import Synchronization
import Testing

/// A network without sockets: what it delays, loses and throttles, and that a seed reproduces it.
@Suite(.timeLimit(.minutes(5))) struct SimulatedNetworkTests {
    private let loop = VirtualLoop()

    private func network(
        seed: UInt64 = 1,
        _ change: (inout SimulatedConditions) -> Void = { _ in }
    ) -> SimulatedNetwork {
        var conditions = SimulatedConditions()
        change(&conditions)
        return SimulatedNetwork(
            loop: loop,
            random: SeededGenerator(seed: seed),
            conditions: conditions
        )
    }

    /// What arrived at the server.
    private final class Accepted: Sendable {
        let transport = Mutex<(any MessageTransport)?>(nil)
        let recorder = Recorder()
    }

    private func connect(
        _ network: SimulatedNetwork
    ) -> (client: any MessageTransport, near: Recorder, far: Accepted) {
        let accepted = Accepted()
        network.listen(at: "hub") { transport in
            accepted.transport.withLock { $0 = transport }
            transport.start(accepted.recorder)
        }
        let client = network.makeTransport(from: "a", to: "hub", subprotocols: ["x", "y"])
        let near = Recorder()
        client.start(near)
        _ = loop.run(within: .seconds(10)) {
            near.events.peer != nil && accepted.recorder.events.peer != nil
        }
        return (client, near, accepted)
    }

    @Test
    func `messages arrive complete, in order and delayed`() throws {
        let network = network { $0.pieceByteCount = 1...7 }
        let (client, near, far) = connect(network)
        #expect(near.events.peer?.subprotocol == "x")
        #expect(far.recorder.events.peer?.subprotocol == "x")
        let opened = loop.now
        let messages = (0..<40).map { pattern($0 * 3, seed: $0) }
        for message in messages { client.send(message) }
        #expect(loop.run(within: .seconds(10)) { far.recorder.events.messageCount == 40 })
        #expect(far.recorder.events.messages == messages)
        #expect(far.recorder.events.batchCount > 1)
        #expect(loop.now - opened >= .milliseconds(5))
        client.close(code: 1000, reason: "done")
        loop.run(for: .seconds(1))
        #expect(far.recorder.events.goodbye == "1000 done true")
        #expect(near.events.goodbye == "1000 done false")
        #expect(network.connectionCount == 0)
    }

    @Test
    func `a slow link applies and releases back pressure`() {
        let network = network {
            $0.bytesPerSecond = 10_000
            $0.limits.highWaterByteCount = 5_000
            $0.limits.lowWaterByteCount = 1_000
        }
        let (client, near, far) = connect(network)
        while client.isWritable { client.send(pattern(1_000)) }
        #expect(near.events.writableCount == 0)
        let start = loop.now
        #expect(loop.run(within: .seconds(10)) { near.events.writableCount == 1 })
        #expect(client.isWritable)
        #expect(loop.run(within: .seconds(10)) { far.recorder.events.messageCount == 5 })
        #expect(loop.now - start >= .milliseconds(500), "5,000 bytes at 10,000 a second")
    }

    @Test(arguments: [
        (SimulatedLoss.end, "1006"), (.reset, "104"), (.silence, "3"),
    ])
    func `each end reports a lost connection`(loss: SimulatedLoss, code: String) {
        let network = network { $0.heartbeat = .seconds(60) }
        let (_, near, far) = connect(network)
        let start = loop.now
        network.lose(loss, at: "hub")
        #expect(loop.run(within: .seconds(600)) { network.connectionCount == 0 })
        for events in [near.events, far.recorder.events] {
            #expect(events.error.map { "\($0.code)".contains(code) } == true, "\(events)")
        }
        #expect((loop.now - start >= .seconds(80)) == (loss == .silence))
    }

    @Test
    func `a peer with unsent data notices a silent connection sooner`() {
        let network = network()
        let (client, near, far) = connect(network)
        network.lose(.silence)
        client.send([1])
        loop.run(for: .seconds(31))
        #expect(near.events.error?.code == .network(3))
        #expect(far.recorder.events.close == nil)
        loop.run(for: .seconds(320))
        #expect(far.recorder.events.error?.code == .network(3))
        #expect(far.recorder.events.messageCount == 0)
    }

    @Test
    func `data in transit arrives before the end of the stream, not before a reset`() {
        for (loss, count) in [(SimulatedLoss.end, 1), (.reset, 0)] {
            let network = network { $0.latency = .seconds(1) ... .seconds(1) }
            let (client, _, far) = connect(network)
            client.send([1])
            loop.run(for: .milliseconds(500))
            client.send([2])
            network.lose(loss)
            loop.run(for: .seconds(5))
            #expect(far.recorder.events.messageCount == count)
        }
    }

    @Test
    func `a connection fails without a listener, if refused, or without a common subprotocol`() {
        let network = network()
        func attempt(_ host: String) -> Recorder {
            let recorder = Recorder()
            network.makeTransport(from: "a", to: host, subprotocols: ["x"]).start(recorder)
            loop.run(for: .seconds(20))
            return recorder
        }
        #expect(attempt("nobody").events.error?.code == .posix(111))
        network.listen(at: "hub", choosing: { _ in nil }, accept: { _ in })
        #expect(attempt("hub").events.error?.code == .webSocket(400))
        network.listen(at: "hub") { $0.start(Recorder()) }
        #expect(attempt("hub").events.peer != nil)
        network.setIsolated(true, host: "hub")
        #expect(attempt("hub").events.error?.code == .network(3))
        network.setIsolated(false, host: "hub")
        #expect(attempt("hub").events.peer != nil)
        network.conditions.refusedPercentage = 100
        #expect(attempt("hub").events.error?.code == .posix(111))
    }

    @Test
    func `connections can be accepted in a different order than they were opened`() {
        let network = network { $0.latency = .milliseconds(1) ... .milliseconds(500) }
        var order: [Int] = []
        network.onEvent = { if $0.kind == .opened { order.append($0.connection) } }
        network.listen(at: "hub") { $0.start(Recorder()) }
        for _ in 0..<20 {
            network.makeTransport(from: "a", to: "hub", subprotocols: ["x"]).start(Recorder())
        }
        loop.run(for: .seconds(5))
        #expect(order.count == 20)
        #expect(order != order.sorted())
    }

    @Test
    func `simultaneous closes end both sides, and an unanswered close times out`() {
        let network = network()
        let (client, near, far) = connect(network)
        client.close(code: 1000, reason: "")
        far.transport.withLock { $0 }?.close(code: 1001, reason: "")
        loop.run(for: .seconds(1))
        #expect(near.events.close != nil)
        #expect(far.recorder.events.close != nil)

        let (late, lateNear, _) = connect(network)
        network.lose(.silence)
        late.close(code: 1000, reason: "")
        loop.run(for: .seconds(6))
        #expect(lateNear.events.error?.code == .network(3))

        let early = network.makeTransport(from: "a", to: "hub", subprotocols: ["x"])
        let recorder = Recorder()
        early.start(recorder)
        early.close(code: 1000, reason: "")
        loop.run(for: .seconds(400))
        #expect(recorder.events.goodbye == "1000  false")
        #expect(network.connectionCount == 0)
    }

    /// A hundred clients that talk over a network that loses everything, for a virtual hour.
    private func trace(seed: UInt64) -> [SimulatedEvent] {
        let loop = VirtualLoop()
        let network = SimulatedNetwork(
            loop: loop,
            random: SeededGenerator(seed: seed),
            conditions: .rough
        )
        var events: [SimulatedEvent] = []
        network.onEvent = { events.append($0) }
        network.listen(at: "hub") { transport in
            transport.start(Recorder(onMessage: { transport.send($0.span) }))
        }
        for number in 0..<100 {
            let client = network.makeTransport(from: "\(number)", to: "hub", subprotocols: ["x"])
            client.start(
                Recorder(
                    onOpen: { client.send(pattern(number * 10)) },
                    onMessage: { if $0.count < 4_000 { client.send($0.span) } }
                )
            )
        }
        loop.run(until: .seconds(3600))
        #expect(network.connectionCount == 0)
        return events
    }

    @Test
    func `the same seed gives the same trace, and another seed a different one`() {
        let first = trace(seed: 7)
        #expect(first.count > 1_000)
        #expect(first == trace(seed: 7))
        #expect(first != trace(seed: 8))
    }

    @Test
    func `a thousand peers run in one thread`() {
        let network = network()
        network.listen(at: "hub") { transport in
            transport.start(Recorder(onMessage: { transport.send($0.span) }))
        }
        let peers = (0..<1_000).map { number in
            let client = network.makeTransport(from: "\(number)", to: "hub", subprotocols: ["x"])
            let recorder = Recorder(onOpen: { client.send(pattern(100, seed: number)) })
            client.start(recorder)
            return recorder
        }
        loop.run(for: .seconds(2))
        #expect(network.connectionCount == 1_000)
        for (number, peer) in peers.enumerated() {
            #expect(peer.events.messages == [pattern(100, seed: number)])
        }
        network.lose(.reset)
        loop.run(for: .seconds(1))
        #expect(network.connectionCount == 0)
    }
}
