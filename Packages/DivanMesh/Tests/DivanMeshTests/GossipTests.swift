import DivanMesh
import DivanTestKit
import Testing

/// What is announced and sent, when, and which reports are accepted.
@Suite struct GossipTests {
    private static let own = MeshPeerID(1)

    private static func published(_ effects: [MeshEffect]) -> [MeshAnnouncement] {
        effects.compactMap { effect in
            guard case .publish(let announcement) = effect else { return nil }
            return announcement
        }
    }

    private func read(_ bytes: [UInt8]?) throws -> GossipMessage {
        try GossipMessage(reading: #require(bytes), from: Self.own)
    }

    // MARK: Announcements

    @Test func `changes within a second become one announcement`() {
        var bench = CoreBench(Self.own)
        bench.handle(.listening([]))
        #expect(Self.published(bench.effects).map(\.counter.rawValue) == [101])
        var all: [MeshAnnouncement] = []
        for peer in MeshPeerID.random(5, seed: 20) {
            bench.link(peer)
            all += Self.published(bench.effects)
            all += Self.published(bench.pass(.milliseconds(100)))
        }
        #expect(all.isEmpty)
        all = Self.published(bench.pass(.seconds(1)))
        #expect(all.map(\.neighbours.count) == [5])
        #expect(all.map(\.counter.rawValue) == [102])
        #expect(Self.published(bench.pass(.seconds(5))).isEmpty)
    }

    @Test func `a foreign announcement with this peer's ID is contradicted`() {
        var bench = CoreBench(Self.own)
        bench.handle(.listening([]))
        bench.pass(.seconds(5))
        // The own advertisement, as the network returns it.
        bench.find(Self.own, counter: 101)
        #expect(Self.published(bench.pass(.seconds(5))).isEmpty)
        bench.find(Self.own, counter: 2_000_000_000)
        let counters = Self.published(bench.effects + bench.pass(.seconds(5))).map(\.counter)
        #expect(counters.map(\.rawValue) == [2_000_000_001])
    }

    @Test func `a claim about a linked peer is passed to the peer, which contradicts it`() throws {
        let (victim, liar) = (MeshPeerID(2), MeshPeerID(3))
        var bench = CoreBench(Self.own)
        let toVictim = bench.link(victim)
        let toLiar = bench.link(liar)
        bench.pass(.seconds(5))
        var lie = GossipMessage.Record(CoreBench.announcement(victim, 777))
        lie.condition = .left
        bench.gossip(toLiar, from: liar, number: 1, about: [lie])
        #expect(bench.core.peer(victim)?.isOnline == true)
        let sent = CoreBench.sent(bench.effects + bench.pass(.seconds(10)), to: toVictim)
        let claims = try sent.flatMap { try read($0).records }.filter {
            $0.announcement.peer == victim
        }
        #expect(claims.map(\.announcement.counter.rawValue) == [777])

        var other = CoreBench(victim)
        other.handle(.listening([]))
        let link = other.link(Self.own)
        other.pass(.seconds(3))
        other.gossip(link, from: Self.own, number: 1, about: claims)
        let counters = Self.published(other.effects + other.pass(.seconds(3))).map(\.counter)
        #expect(counters.last?.isNewer(than: MeshCounter(rawValue: 777)) == true)
    }

    // MARK: Sending

    @Test func `a message is sent when a link opens, followed by heartbeats`() throws {
        var bench = CoreBench(Self.own)
        bench.handle(.listening([try MeshAddress("10.0.0.1:4984")]))
        let connection = bench.call(from: MeshPeerID(2))
        let first = try read(CoreBench.sent(bench.effects, to: connection).first)
        #expect(first.records.first?.addresses.map(\.description) == ["10.0.0.1:4984"])
        bench.pass(.seconds(4))
        bench.gossip(connection, from: MeshPeerID(2), interest: .wanted)
        bench.pass(.seconds(4))
        var times: [Duration] = []
        for number in 0..<400 {
            if number.isMultiple(of: 50) {
                bench.gossip(
                    connection,
                    from: MeshPeerID(2),
                    number: UInt32(number) + 1,
                    interest: .wanted
                )
            }
            if !CoreBench.sent(bench.pass(.milliseconds(100)), to: connection).isEmpty {
                times.append(bench.now)
            }
        }
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(waits.count >= 3)
        #expect(waits.allSatisfy { $0 == .seconds(10) }, "\(waits)")
    }

    @Test func `changes of members are passed on every two seconds, and not to their source`()
        throws
    {
        let peers = MeshPeerID.random(3, seed: 2)
        var bench = CoreBench(Self.own)
        let links = peers.prefix(2).map { bench.link($0) }
        bench.pass(.seconds(3))
        var messages: [[UInt8]] = []
        for number in UInt32(1)...40 {
            bench.gossip(
                links[0],
                from: peers[0],
                number: number,
                counter: 1 + number,
                neighbours: [peers[2]],
                about: [GossipMessage.Record(CoreBench.announcement(peers[2], number))]
            )
            let effects = bench.effects + bench.pass(.seconds(2))
            messages += CoreBench.sent(effects, to: links[1])
            for bytes in CoreBench.sent(effects, to: links[0]) {
                let told = try read(bytes).records.map(\.announcement.peer)
                #expect(!told.contains(peers[2]) || number.isMultiple(of: 5))
            }
            if number.isMultiple(of: 4) {
                bench.gossip(links[1], from: peers[1], number: number)
            }
        }
        #expect((20...42).contains(messages.count), "\(messages.count)")
        let last = try read(messages.last).records.first { $0.announcement.peer == peers[2] }
        #expect(last.map { $0.announcement.counter.rawValue >= 38 } == true)
    }

    @Test func `gossip does not contain strangers`() throws {
        let peers = MeshPeerID.random(20, seed: 3)
        var bench = CoreBench(Self.own)
        let link = bench.link(peers[0])
        let other = bench.link(peers[1])
        bench.pass(.seconds(3))
        let made = peers.dropFirst(2).map { GossipMessage.Record(CoreBench.announcement($0)) }
        bench.gossip(link, from: peers[0], number: 1, about: made)
        #expect(bench.core.peers.count == 20)
        bench.gossip(other, from: peers[1], number: 1)
        for bytes in CoreBench.sent(bench.effects + bench.pass(.seconds(12)), to: other) {
            let told = try read(bytes).records.map(\.announcement.peer)
            #expect(Set(told).isSubset(of: [Self.own, peers[0]]))
        }
    }

    // MARK: Receiving

    @Test func `the link to a silent peer closes after two missed heartbeats`() {
        var bench = CoreBench(Self.own)
        let connection = bench.link(MeshPeerID(2))
        #expect(!bench.pass(.milliseconds(19_900)).contains { $0.isClose })
        #expect(bench.pass(.milliseconds(200)).contains(.close(connection, .silent)))
        #expect(bench.core.peer(MeshPeerID(2))?.isLinked == false)
    }

    @Test func `delayed messages may arrive at once, but a flood closes the link`() {
        var bench = CoreBench(Self.own)
        let peer = MeshPeerID(2)
        let connection = bench.link(peer)
        bench.pass(.seconds(15))
        for number in UInt32(1)..<16 { bench.gossip(connection, from: peer, number: number) }
        #expect(bench.openPeers == [peer])
        for number in UInt32(16)..<20 { bench.gossip(connection, from: peer, number: number) }
        #expect(bench.openPeers.isEmpty)
        let early = bench.call(from: peer)
        #expect(bench.isRefused(early, .offence))
        bench.pass(.seconds(61))
        let again = bench.call(from: peer)
        #expect(bench.effects.contains(.accept(again)))
    }

    @Test(arguments: [
        [], [9], [UInt8](repeating: 1, count: 9_000), [UInt8](repeating: 0, count: 50),
    ])
    func `an invalid message closes the link`(bytes: [UInt8]) {
        var bench = CoreBench(Self.own)
        let connection = bench.link(MeshPeerID(2))
        bench.handle(.received(connection, bytes))
        #expect(bench.effects.contains(.close(connection, .offence)))
        let again = bench.call(from: MeshPeerID(2))
        #expect(bench.isRefused(again, .offence))
    }

    @Test func `a message that arrives after a newer one changes nothing`() {
        var bench = CoreBench(Self.own)
        let connection = bench.link(MeshPeerID(2))
        bench.gossip(
            connection,
            from: MeshPeerID(2),
            number: 5,
            counter: 9,
            neighbours: [MeshPeerID(7)]
        )
        bench.gossip(connection, from: MeshPeerID(2), number: 4, counter: 8, condition: .left)
        #expect(bench.openPeers == [MeshPeerID(2)])
    }
}

/// Which peers are members, online or forgotten.
@Suite struct MembershipTests {
    private static let own = MeshPeerID(1)

    @Test func `a peer is a member if another member lists it`() {
        let peers = MeshPeerID.random(6, seed: 4)
        var bench = CoreBench(Self.own)
        // 0 is linked, lists 1, which lists 2; 3 lists 0 itself; 4 and 5 list each other.
        bench.link(peers[0], neighbours: [peers[1]])
        bench.find(peers[1], neighbours: [peers[2]])
        bench.find(peers[2])
        bench.find(peers[3], neighbours: [peers[0]])
        bench.find(peers[4], neighbours: [peers[5]])
        bench.find(peers[5], neighbours: [peers[4]])
        bench.pass(.seconds(1))
        let members = peers.filter { bench.core.peer($0)?.isMember == true }
        #expect(members == [peers[0], peers[1], peers[2]])
    }

    @Test func `a peer that no member lists and that does not answer is offline`() throws {
        let peers = MeshPeerID.random(2, seed: 5)
        var bench = CoreBench(Self.own)
        let link = bench.link(peers[0], neighbours: [peers[1]])
        bench.find(peers[1])
        bench.pass(.seconds(2))
        bench.gossip(link, from: peers[0], number: 1, counter: 2)
        var dropped = bench.now
        for number in UInt32(2)..<20 where bench.core.peer(peers[1])?.isOnline == true {
            bench.gossip(link, from: peers[0], number: number, counter: 2)
            for call in CoreBench.calls(bench.effects + bench.pass(.seconds(1))) {
                #expect(call.peer == peers[1])
                bench.handle(.failed(call.connection, .unreachable))
            }
        }
        dropped = bench.now - dropped
        #expect((.seconds(5) ... .seconds(7)).contains(dropped), "\(dropped)")
        #expect(bench.core.peer(peers[0])?.isOnline == true)
        #expect(bench.core.peer(peers[1])?.isOnline == false)
    }

    @Test func `a report that a stranger left is accepted, and one about a member is not`() {
        let peers = MeshPeerID.random(4, seed: 6)
        var bench = CoreBench(Self.own)
        let link = bench.link(peers[0], neighbours: [peers[1]])
        let other = bench.link(peers[3])
        bench.find(peers[1])
        bench.find(peers[2])
        bench.pass(.seconds(2))
        let gone = peers[1...2].map {
            GossipMessage.Record(CoreBench.announcement($0), condition: .unanswered)
        }
        bench.gossip(other, from: peers[3], number: 1, about: gone)
        bench.gossip(link, from: peers[0], number: 1, neighbours: [peers[1]])
        bench.pass(.seconds(2))
        #expect(bench.core.peer(peers[1])?.isOnline == true)
        #expect(bench.core.peer(peers[2])?.isOnline == false)
        bench.find(peers[2], counter: 2)
        #expect(bench.core.peer(peers[2])?.isOnline == true)
    }

    @Test func `false reports of one peer cannot fill the memory`() {
        let liar = MeshPeerID(2)
        var bench = CoreBench(Self.own)
        let link = bench.link(liar)
        let real = MeshPeerID.random(50, seed: 9)
        for peer in real { bench.find(peer) }
        for number in UInt32(1)..<40 {
            let made = MeshPeerID.random(63, seed: UInt64(number)).map {
                GossipMessage.Record(CoreBench.announcement($0))
            }
            bench.gossip(link, from: liar, number: number, about: made)
            bench.pass(.seconds(2))
        }
        #expect(bench.openPeers == [liar])
        #expect(bench.core.peers.count <= 51 + MeshLimits.reportedPeerCount)
        #expect(real.allSatisfy { bench.core.peer($0) != nil })
    }

    @Test func `advertisements of strangers do not remove members`() {
        let friends = MeshPeerID.random(20, seed: 10)
        var bench = CoreBench(Self.own)
        bench.link(friends[0], neighbours: Array(friends.dropFirst().prefix(10)))
        for friend in friends { bench.find(friend) }
        bench.pass(.seconds(1))
        for stranger in MeshPeerID.random(2_500, seed: 11) { bench.find(stranger) }
        #expect(bench.core.peers.count == MeshLimits.peerCount)
        #expect(friends.prefix(11).allSatisfy { bench.core.peer($0)?.isMember == true })
        // A newcomer is still seen.
        bench.find(MeshPeerID(77))
        #expect(bench.core.peers.count == MeshLimits.peerCount)
    }

    @Test func `a peer that is no longer reported is forgotten`() {
        let peers = MeshPeerID.random(2, seed: 12)
        var bench = CoreBench(Self.own)
        let link = bench.link(peers[0])
        bench.gossip(
            link,
            from: peers[0],
            number: 1,
            about: [GossipMessage.Record(CoreBench.announcement(peers[1]))]
        )
        for number in UInt32(2)..<60 {
            bench.pass(.seconds(10))
            bench.gossip(link, from: peers[0], number: number)
        }
        #expect(bench.core.peer(peers[1]) != nil)
        for number in UInt32(60)..<64 {
            bench.pass(.seconds(10))
            bench.gossip(link, from: peers[0], number: number, counter: number)
        }
        bench.pass(.seconds(1))
        #expect(bench.core.peer(peers[1]) == nil)
        #expect(bench.core.peer(peers[0])?.isLinked == true)
    }

    @Test func `the neighbours of a peer are the known peers that it lists`() {
        let peers = MeshPeerID.random(3, seed: 13)
        var bench = CoreBench(Self.own)
        bench.find(peers[0], neighbours: [peers[1], peers[2], Self.own])
        bench.find(peers[1])
        #expect(bench.core.peer(peers[0]).map { Set($0.neighbours) } == [peers[1], Self.own])
    }
}
