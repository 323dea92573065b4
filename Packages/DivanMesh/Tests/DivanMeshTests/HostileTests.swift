import DivanMesh
import DivanTestKit
import Testing

/// Strangers advertise, and members lie: real peers are delayed a little at most.
@Suite struct HostileTests {
    private static let fakes = MeshPeerID.random(
        SimulatedMesh.size(1_000, short: 60),
        seed: 1_000
    )

    /// How advertised peers that do not exist behave when they are called.
    enum Fakes: CaseIterable {
        /// The host of each refuses.
        case refusing
        /// All have one host, which does not answer.
        case silentHost
    }

    private static func mesh(_ fakes: Fakes?, seed: UInt64) throws -> SimulatedMesh {
        let mesh = SimulatedMesh(seed: seed)
        guard let fakes else { return mesh }
        mesh.conditions.failing = fakes == .refusing ? 4 : 10_000
        for (number, id) in Self.fakes.enumerated() {
            let host = fakes == .refusing ? "10.9.\(number / 250).\(number % 250)" : "10.9.9.9"
            mesh.advertise(
                MeshAnnouncement(peer: id, counter: MeshCounter(rawValue: 5), scheme: 4),
                of: try MeshAddress("\(host):\(5_000 + number)")
            )
        }
        return mesh
    }

    /// 1,000 of them in the long run, as many as a peer remembers.
    @Test(arguments: Fakes.allCases)
    func `fake advertisements delay ten real peers by at most two seconds`(fakes: Fakes) throws {
        let alone = try Self.mesh(nil, seed: 1)
        try alone.join(10)
        let usual = try #require(alone.run(atMost: .seconds(5)) { alone.graph.isConnected })

        let mesh = try Self.mesh(fakes, seed: 1)
        try mesh.join(10)
        let time = try #require(mesh.run(atMost: .seconds(60)) { mesh.graph.isConnected })
        #expect(time <= usual + .seconds(2), "\(usual), \(time)")
        mesh.run(for: .seconds(60))
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount)
        #expect(mesh.peers.allSatisfy { $0.core.peers.count <= MeshLimits.peerCount })

        let newcomer = try mesh.join(1)[0]
        let linked = mesh.run(atMost: .seconds(30)) { newcomer.neighbours.count >= 4 }
        #expect(linked.map { $0 <= .seconds(4) } == true, "\(String(describing: linked))")
        // From then on, inventions cost a call now and then.
        let calls = mesh.callCount
        mesh.run(for: .seconds(20))
        #expect(mesh.callCount - calls <= 11 * 20 * 2)
    }

    @Test func `advertising the ID of another peer does not keep peers apart`() throws {
        let mesh = SimulatedMesh(seed: 2)
        let peers = try (0..<10).map { _ in try mesh.makePeer() }
        for (number, peer) in peers.enumerated() {
            // Newer than what the peer itself announces.
            mesh.advertise(
                MeshAnnouncement(
                    peer: peer.id,
                    counter: MeshCounter(rawValue: 3_000_000_000),
                    scheme: 4
                ),
                of: try MeshAddress("10.6.6.6:\(1_000 + number)")
            )
        }
        for peer in peers { mesh.start(peer) }
        let time = mesh.run(atMost: .seconds(30)) { mesh.graph.isConnected }
        #expect(time.map { $0 <= .seconds(4) } == true, "\(String(describing: time))")
        mesh.run(for: .seconds(30))
        #expect(mesh.peers.allSatisfy { $0.core.peers.allSatisfy(\.isMember) })
    }

    /// False reports of an admitted peer that calls all others.
    private static func attack(
        every interval: Duration,
        _ lie: @escaping (MeshPeerID, Int) -> [[UInt8]]
    ) throws -> (mesh: SimulatedMesh, liar: LyingPeer) {
        let mesh = SimulatedMesh(seed: 4)
        try mesh.join(SimulatedMesh.size(20, short: 12))
        mesh.run(for: .seconds(20))
        let liar = LyingPeer(
            MeshPeerID(666),
            at: try MeshAddress("10.6.6.6:666"),
            every: interval,
            sending: lie
        )
        liar.victims = mesh.peers.map(\.address)
        mesh.start(liar)
        return (mesh, liar)
    }

    private static func message(
        number: Int,
        neighbours: [MeshPeerID] = [],
        about records: [GossipMessage.Record] = []
    ) -> [UInt8] {
        let own = CoreBench.announcement(MeshPeerID(666), UInt32(number), 4, neighbours)
        var message = GossipMessage(
            from: GossipMessage.Record(own),
            interest: .essential,
            number: MeshCounter(rawValue: UInt32(number))
        )
        for record in records { _ = message.append(record) }
        return message.bytes
    }

    @Test func `a peer that floods is disconnected and not accepted again`() throws {
        let (mesh, liar) = try Self.attack(every: .milliseconds(50)) { _, number in
            [Self.message(number: number)]
        }
        mesh.run(for: .seconds(30))
        #expect(liar.ends.contains(.offence))
        #expect(liar.refusals.contains(.offence))
        #expect(mesh.graph.isConnected)
        #expect(mesh.peers.allSatisfy { $0.neighbours.contains(liar.id) == false })
        let newcomer = try mesh.join(1)[0]
        let linked = mesh.run(atMost: .seconds(10)) { newcomer.neighbours.count >= 4 }
        #expect(linked.map { $0 <= .seconds(2) } == true, "\(String(describing: linked))")
    }

    @Test(arguments: [8_193, 1 << 20])
    func `a peer that sends enormous messages is disconnected`(byteCount: Int) throws {
        let (mesh, liar) = try Self.attack(every: .seconds(2)) { _, _ in
            [[UInt8](repeating: 1, count: byteCount)]
        }
        mesh.run(for: .seconds(10))
        #expect(!liar.ends.isEmpty && liar.ends.allSatisfy { $0 == .offence })
        #expect(mesh.graph.isConnected)
    }

    /// The liar lists invented peers as its neighbours, and these each other; they count as members, but not forever.
    @Test func `a mesh keeps its links while a member reports fake members`() throws {
        let made = Self.fakes
        let (mesh, liar) = try Self.attack(every: .seconds(2)) { _, number in
            let chosen = (0..<60).map { made[(number * 60 + $0) % made.count] }
            let records = chosen.enumerated().map { place, id in
                let next = chosen[(place + 1) % chosen.count]
                return GossipMessage.Record(
                    CoreBench.announcement(id, UInt32(number), 4, [next, MeshPeerID(666)]),
                    addresses: (try? [MeshAddress("10.7.\(place).1:1")]) ?? []
                )
            }
            return [Self.message(number: number, neighbours: chosen, about: records)]
        }
        let before = mesh.graph
        for _ in 0..<SimulatedMesh.size(30, short: 5) {
            mesh.run(for: .seconds(2))
            #expect(mesh.graph.isConnected)
        }
        #expect(!liar.ends.contains(.offence))
        #expect(mesh.peers.allSatisfy { $0.core.peers.count <= 20 + MeshLimits.peerCount })
        #expect(mesh.peers.allSatisfy { $0.openLinks.count <= MeshLimits.linkCount + 1 })
        #expect(before.links.keys.allSatisfy { mesh.graph.links[$0] != nil })
        let newcomer = try mesh.join(1)[0]
        let linked = mesh.run(atMost: .seconds(30)) { newcomer.neighbours.count >= 2 }
        #expect(linked.map { $0 <= .seconds(10) } == true)
        mesh.kill(liar)
        mesh.run(for: .seconds(SimulatedMesh.size(120, short: 60)))
        #expect(mesh.graph.isConnected)
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount)
    }

    /// The peer reports all others as offline, with newer numbers than theirs.
    @Test func `a member cannot report other members as offline`() throws {
        var victims: [MeshPeerID] = []
        let (mesh, _) = try Self.attack(every: .seconds(2)) { _, number in
            let records = victims.map {
                GossipMessage.Record(
                    CoreBench.announcement($0, 1_800_000_000 + UInt32(number) * 1_000),
                    condition: .left
                )
            }
            return [Self.message(number: number, about: records)]
        }
        victims = mesh.peers.map(\.id)
        let before = mesh.graph
        mesh.run(for: .seconds(60))
        #expect(mesh.graph.isConnected)
        #expect(before.changes(to: mesh.graph) <= 30)
        for peer in mesh.peers {
            #expect(
                peer.neighbours.subtracting([MeshPeerID(666)]).allSatisfy {
                    peer.isOnline[$0] == true
                }
            )
        }
    }
}
