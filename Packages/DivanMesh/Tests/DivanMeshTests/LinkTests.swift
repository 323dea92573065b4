import DivanMesh
import DivanTestKit
import Testing

/// Which links are accepted, kept and closed.
@Suite struct LinkTests {
    private static let own = MeshPeerID(1)

    /// Peers of which none is a ring neighbour of `own`, if the two nearest are members as well.
    private static func others(_ count: Int) -> [MeshPeerID] {
        MeshPeerID.random(count, seed: 5)
    }

    @Test func `a peer without links accepts a call`() {
        var bench = CoreBench(Self.own)
        let connection = bench.call(from: MeshPeerID(2))
        #expect(bench.effects.contains(.accept(connection)))
        #expect(bench.effects.contains(.report(MeshPeerID(2), isOnline: true)))
    }

    @Test func `at most nine links are open, and at most eight when idle`() {
        var bench = CoreBench(Self.own)
        let peers = Self.others(60)
        for (index, peer) in peers.enumerated() {
            let connection = bench.call(from: peer)
            if bench.effects.contains(.accept(connection)) {
                bench.handle(.idle(connection))
                let others = (1...10).map { peers[(index + $0) % peers.count] }
                bench.gossip(connection, from: peer, interest: .wanted, neighbours: others)
            }
            #expect(bench.openPeers.count <= MeshLimits.linkCount + MeshLimits.extraLinkCount)
        }
        bench.pass(.milliseconds(1_500))
        #expect(bench.openPeers.count <= MeshLimits.linkCount)
        #expect(bench.openPeers.count >= MeshLimits.linkCount - MeshLimits.reservedLinkCount)
    }

    @Test func `a refused peer is introduced to members`() throws {
        var bench = CoreBench(Self.own)
        var refused: (peer: MeshPeerID, introduction: [UInt8])?
        for peer in Self.others(30) where refused == nil {
            let connection = bench.call(from: peer)
            for case .refuse(connection, .full, let pause, let introduction) in bench.effects {
                #expect(pause > .zero)
                refused = (peer, introduction)
            }
            bench.gossip(connection, from: peer, interest: .wanted)
        }
        let introduction = try #require(refused?.introduction)
        let message = try GossipMessage(reading: introduction, from: Self.own)
        let introduced = message.records.dropFirst().map(\.announcement.peer)
        #expect(Set(introduced) == bench.openPeers)

        // The new peer calls the peers to which it was introduced.
        let seed = try MeshAddress("seed.example:1")
        var newcomer = CoreBench(try #require(refused?.peer), seeds: [seed])
        newcomer.handle(.listening([]))
        let call = try #require(CoreBench.calls(newcomer.pass(.seconds(1))).first)
        newcomer.handle(
            .failed(
                call.connection,
                .refused(.full, by: Self.own, retryAfter: .seconds(30), introduction: introduction)
            )
        )
        #expect(Set(newcomer.core.peers.map(\.peer)) == bench.openPeers.union([Self.own]))
    }

    /// Nobody needs these links; the next on the ring is needed by this peer.
    @Test
    func `an unneeded link closes after ten seconds unless it is the last route to a peer`()
        throws
    {
        let peers = Self.others(9)
        var bench = CoreBench(Self.own)
        for peer in peers.prefix(6) {
            bench.link(peer, neighbours: peers.filter { $0 != peer })
        }
        let early = bench.pass(.seconds(9))
        #expect(!early.contains { $0.isClose })
        bench.pass(.seconds(10))
        let plan = RingPlanner().links(of: Self.own, among: Array(peers.prefix(6)), breadth: 1)
        #expect(bench.openPeers.isSuperset(of: plan.map(\.peer)))
        #expect(bench.openPeers.count < 6)

        // The same, but no peer knows another one.
        var hub = CoreBench(Self.own)
        for peer in peers.prefix(6) { hub.link(peer) }
        hub.pass(.seconds(19))
        #expect(hub.openPeers.count == 6)
    }

    @Test func `a link is not closed while its replacement has not synced`() throws {
        let peers = Self.others(10)
        let plan = RingPlanner().links(of: Self.own, among: peers, breadth: 1).map(\.peer)
        let surplus = peers.filter { !plan.contains($0) }.prefix(3)
        var bench = CoreBench(Self.own)
        bench.handle(.listening([]))
        for peer in plan { bench.find(peer, neighbours: peers) }
        for peer in surplus { bench.link(peer, neighbours: peers) }
        var calls = CoreBench.calls(bench.pass(.seconds(5)))
        calls.removeAll { call in !plan.contains { $0 == call.peer } }
        for call in calls {
            if let peer = call.peer { bench.handle(.opened(call.connection, peer)) }
        }
        for link in bench.core.links where link.isOpen {
            if let peer = link.peer { bench.gossip(link.connection, from: peer, neighbours: peers) }
        }
        #expect(bench.openPeers.isSuperset(of: plan))
        #expect(!bench.pass(.seconds(9)).contains { $0.isClose })
        #expect(bench.openPeers.isSuperset(of: surplus))
        for link in bench.core.links { bench.handle(.idle(link.connection)) }
        for link in bench.core.links where link.isOpen {
            guard let peer = link.peer else { continue }
            bench.gossip(link.connection, from: peer, number: 1, counter: 2, neighbours: peers)
        }
        #expect(bench.pass(.seconds(9)).contains { $0.isClose })
        #expect(bench.openPeers.isSuperset(of: plan))
    }

    @Test func `a peer that refused a call as full is not called before its retry time`() throws {
        let peer = try #require(MeshPeerID.first { Self.own.isCaller(of: $0) })
        var bench = CoreBench(Self.own)
        bench.handle(.listening([]))
        bench.find(peer)
        let call = try #require(CoreBench.calls(bench.pass(.seconds(1))).first)
        bench.handle(
            .failed(
                call.connection,
                .refused(.full, by: peer, retryAfter: .seconds(30), introduction: [])
            )
        )
        #expect(CoreBench.calls(bench.pass(.seconds(29))).isEmpty)
        #expect(CoreBench.calls(bench.pass(.seconds(2))).map(\.peer) == [peer])
    }

    @Test func `a leaving peer sends a goodbye and has no further effects`() throws {
        var bench = CoreBench(Self.own)
        let connection = bench.link(MeshPeerID(2))
        bench.handle(.stop)
        let bytes = try #require(CoreBench.sent(bench.effects, to: connection).first)
        let message = try GossipMessage(reading: bytes, from: Self.own)
        #expect(message.records.map(\.condition) == [.left])
        #expect(bench.effects.contains(.close(connection, .goodbye)))
        bench.find(MeshPeerID(3))
        #expect(bench.effects.isEmpty)
        bench.call(from: MeshPeerID(4))
        #expect(bench.effects.isEmpty)
        #expect(bench.pass(.seconds(60)).isEmpty)
    }

    @Test func `a peer that sent a goodbye is offline and is not called again`() {
        var bench = CoreBench(Self.own)
        let connection = bench.link(MeshPeerID(2))
        bench.pass(.seconds(3))
        bench.gossip(connection, from: MeshPeerID(2), number: 1, counter: 2, condition: .left)
        #expect(bench.effects.contains(.report(MeshPeerID(2), isOnline: false)))
        #expect(bench.openPeers.isEmpty)
        #expect(CoreBench.calls(bench.pass(.seconds(300))).isEmpty)
        bench.find(MeshPeerID(3))
        #expect(bench.core.peer(MeshPeerID(2)) == nil)
    }

    /// Any order of events, also senseless ones, leaves a state within the limits.
    @Test(arguments: UInt64(0)..<30)
    func `any sequence of events leaves a state within the limits`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bench = CoreBench(Self.own, seed: seed)
        var connections = [MeshConnectionID(incoming: 0)]
        for step in 0..<400 {
            let peer = MeshPeerID(UInt64.random(in: 1...15, using: &generator))
            let connection = connections.randomElement(using: &generator) ?? connections[0]
            switch Int.random(in: 0..<11, using: &generator) {
            case 0: bench.find(peer, counter: UInt32.random(in: 0...9, using: &generator))
            case 1: bench.handle(.lost(name: Array(peer.instanceName.utf8)))
            case 2: connections.append(bench.call(from: peer))
            case 3: bench.handle(.opened(connection, peer))
            case 4: bench.handle(.failed(connection, .unreachable))
            case 5: bench.handle(.idle(connection))
            case 6: bench.handle(.closed(connection, step.isMultiple(of: 2) ? .full : nil))
            case 7:
                let bytes = [UInt8].random(count: 60, using: &generator)
                bench.handle(.received(connection, bytes))
            case 8:
                let interest: GossipMessage.Interest = step.isMultiple(of: 3) ? .none : .essential
                bench.gossip(connection, from: peer, number: UInt32(step), interest: interest)
            case 9: bench.handle(.timer)
            default:
                let effects = bench.pass(
                    .milliseconds(Int.random(in: 0...4_000, using: &generator))
                )
                connections += CoreBench.calls(effects).map(\.connection)
            }
            connections += CoreBench.calls(bench.effects).map(\.connection)
            let open = bench.core.links.filter(\.isOpen)
            #expect(open.count <= MeshLimits.linkCount + MeshLimits.extraLinkCount, "seed \(seed)")
            #expect(Set(open.map(\.peer)).count == open.count, "seed \(seed): two links to a peer")
            #expect(bench.core.peer(Self.own) == nil, "seed \(seed)")
        }
    }
}

extension MeshEffect {
    var isClose: Bool {
        if case .close = self { true } else { false }
    }
}
