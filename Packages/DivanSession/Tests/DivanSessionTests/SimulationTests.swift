import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanStore
import DivanTestKit
import DivanTransport
import Testing

/// Whole sessions over a simulated network: hours of retries, and peers that always converge.
@Suite(.timeLimit(.minutes(5))) struct SimulationTests {
    @Test
    func `a hub that is down for hours is retried at least every five minutes`() throws {
        let simulation = Simulation(seed: 1, peerCount: 1)
        let peer = simulation.peers[0]
        try peer.store.put("a", 1)
        simulation.loop.run(for: .seconds(5))
        #expect(peer.status?.activity == .idle)

        simulation.network.stopListening(at: "hub")
        simulation.network.lose(.reset)
        let attemptsBefore = simulation.events.count { $0.kind == .refused }
        simulation.loop.run(for: .seconds(3 * 3600))
        #expect(peer.status?.activity == .offline)
        #expect(peer.status?.error?.code == 111)
        let attempts = simulation.events.filter { $0.kind == .refused }.dropFirst(attemptsBefore)
        // 2, 4, 8 … 256 s, and then every 300 s: 8 attempts in the first 510 s, 34 in the rest.
        #expect((41...43).contains(attempts.count), "\(attempts.count)")
        let waits = zip(attempts.dropFirst(), attempts).map { $0.time - $1.time }
        #expect(waits.allSatisfy { $0 < .seconds(301) })
        #expect(waits.first.map { $0 < .seconds(5) } == true)
    }

    @Test
    func `a session resumes when the hub is back`() throws {
        let simulation = Simulation(seed: 2, peerCount: 2)
        simulation.loop.run(for: .seconds(5))
        simulation.network.setIsolated(true, host: "hub")
        for number in 0..<20 {
            try simulation.peers[0].store.put(DocumentID(unchecked: "\(number)"), number)
        }
        simulation.loop.run(for: .seconds(2 * 3600))
        #expect(try simulation.hub.text("0") == nil)
        simulation.network.setIsolated(false, host: "hub")
        simulation.loop.run(for: .seconds(400))
        #expect(try simulation.peers[1].store.text("19") == "{\"value\":19}")
        #expect(try simulation.isLevel)
        simulation.stop()
        #expect(simulation.peers.map(\.status?.activity) == [.stopped, .stopped])
        #expect(simulation.network.connectionCount == 0)
    }

    /// Edits at random places and times over a network that loses every connection; then it is reliable.
    private func converge(seed: UInt64, peerCount: Int, editCount: Int) throws -> Simulation {
        let simulation = Simulation(seed: seed, peerCount: peerCount, conditions: .rough)
        let stores = simulation.peers.map(\.store) + [simulation.hub]
        for number in 0..<editCount {
            simulation.loop.run(
                for: .milliseconds(Int.random(in: 0...4_000, using: &simulation.generator))
            )
            let place = Int.random(in: 0..<stores.count, using: &simulation.generator)
            let id = DocumentID(
                unchecked: "\(Int.random(in: 0..<(editCount / 3), using: &simulation.generator))"
            )
            if Int.random(in: 0..<8, using: &simulation.generator) == 0,
                try stores[place].text(id) != nil
            {
                try stores[place].delete(id)
            } else {
                try stores[place].put(id, number)
            }
        }
        simulation.network.conditions = SimulatedConditions()
        for _ in 0..<60 where try !simulation.isLevel { simulation.loop.run(for: .seconds(60)) }
        return simulation
    }

    @Test(arguments: UInt64(1)...TestLength.of(10, long: 50))
    func `a few peers converge whatever messages are lost`(seed: UInt64) throws {
        let simulation = try converge(seed: seed, peerCount: 3, editCount: 24)
        #expect(try simulation.isLevel, "seed \(seed)")
        for peer in simulation.peers {
            #expect(try peer.store.read { try $0.conflicts(in: .default) } == [], "seed \(seed)")
        }
    }

    @Test(arguments: [UInt64(77)])
    func `twenty peers converge around one hub`(seed: UInt64) throws {
        let simulation = try converge(seed: seed, peerCount: 20, editCount: 150)
        #expect(try simulation.isLevel, "seed \(seed)")
        let losses = simulation.events.count { if case .lost = $0.kind { true } else { false } }
        #expect(losses > 100, "seed \(seed)")
    }

    @Test
    func `the same seed produces the same run`() throws {
        let first = try converge(seed: 5, peerCount: 3, editCount: 24)
        let second = try converge(seed: 5, peerCount: 3, editCount: 24)
        #expect(first.events == second.events)
        #expect(try Simulation.contents(first.hub) == Simulation.contents(second.hub))
        #expect(first.peers.map(\.activities) == second.peers.map(\.activities))
        let other = try converge(seed: 6, peerCount: 3, editCount: 24)
        #expect(first.events != other.events)
    }
}
