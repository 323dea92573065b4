import DivanMesh
import Testing

/// Which peer calls which other one, when, and at which address.
@Suite struct CallTests {
    private static let own = MeshPeerID(1)

    @Test func `a discovered peer is called at its address`() throws {
        var bench = CoreBench(Self.own)
        let peer = try #require(MeshPeerID.first { Self.own.isCaller(of: $0) })
        bench.handle(.listening([]))
        bench.find(peer)
        let calls = CoreBench.calls(bench.pass(.seconds(1)))
        #expect(calls.map(\.peer) == [peer])
        #expect(calls.map(\.address) == [CoreBench.address(peer)])

        bench.handle(.opened(calls[0].connection, peer))
        #expect(bench.openPeers == [peer])
        #expect(bench.effects.contains(.report(peer, isOnline: true)) == false)
    }

    @Test
    func `an advertised peer is reported as online once, and as offline when it is withdrawn`() {
        var bench = CoreBench(Self.own)
        let peer = MeshPeerID(2)
        bench.find(peer)
        #expect(bench.effects.contains(.report(peer, isOnline: true)))
        bench.find(peer, counter: 2)
        #expect(!bench.effects.contains(.report(peer, isOnline: true)))
        bench.handle(.lost(name: Array(peer.instanceName.utf8)))
        #expect(bench.effects.contains(.report(peer, isOnline: false)))
        #expect(CoreBench.calls(bench.pass(.seconds(20))).isEmpty)
    }

    @Test
    func `if both peers plan the link, the peer that is not the caller waits three seconds`()
        throws
    {
        let peer = try #require(MeshPeerID.first { $0.isCaller(of: Self.own) })
        var bench = CoreBench(Self.own)
        bench.handle(.listening([]))
        bench.find(peer)
        #expect(CoreBench.calls(bench.pass(.milliseconds(2_900))).isEmpty)
        #expect(CoreBench.calls(bench.pass(.seconds(1))).map(\.peer) == [peer])
    }

    @Test func `a call is cancelled when the peer's own call takes precedence`() throws {
        let peer = try #require(MeshPeerID.first { $0.isCaller(of: Self.own) })
        var bench = CoreBench(Self.own)
        bench.find(peer)
        let call = try #require(CoreBench.calls(bench.pass(.seconds(5))).first)
        let incoming = bench.call(from: peer)
        #expect(bench.effects.contains(.accept(incoming)))
        #expect(bench.effects.contains(.close(call.connection, .duplicate)))
        bench.handle(.opened(call.connection, peer))
        #expect(bench.core.links.map(\.connection) == [incoming])
    }

    @Test func `a call that takes precedence replaces the peer's own`() throws {
        let peer = try #require(MeshPeerID.first { Self.own.isCaller(of: $0) })
        var bench = CoreBench(Self.own)
        bench.find(peer)
        let call = try #require(CoreBench.calls(bench.pass(.seconds(1)) + bench.effects).first)
        let incoming = bench.call(from: peer)
        #expect(bench.effects.contains(.accept(incoming)))
        bench.handle(.opened(call.connection, peer))
        #expect(bench.effects.contains(.close(incoming, .duplicate)))
        #expect(bench.core.links.map(\.connection) == [call.connection])
    }

    @Test func `a peer that calls again has lost the old connection`() {
        var bench = CoreBench(Self.own)
        let first = bench.link(MeshPeerID(2))
        let second = bench.call(from: MeshPeerID(2))
        #expect(bench.effects.contains(.close(first, .duplicate)))
        #expect(bench.effects.contains(.accept(second)))
        #expect(bench.core.links.map(\.connection) == [second])
    }

    /// Anybody can advertise a foreign ID; its real place is tried too, without waiting.
    @Test func `a failed call counts against the address, not against the peer`() throws {
        let peer = try #require(MeshPeerID.first { Self.own.isCaller(of: $0) })
        var bench = CoreBench(Self.own)
        let fake = try MeshAddress("10.6.6.6:666")
        bench.handle(.listening([]))
        bench.handle(
            .found(
                MeshAdvertisement(
                    name: [0],
                    announcement: CoreBench.announcement(peer),
                    addresses: [fake]
                )
            )
        )
        bench.find(peer)
        let first = try #require(CoreBench.calls(bench.pass(.seconds(1)) + bench.effects).first)
        #expect(first.address == fake)
        bench.handle(.failed(first.connection, .wrongPeer))
        let second = CoreBench.calls(bench.effects + bench.pass(.seconds(1)))
        #expect(second.first?.address == CoreBench.address(peer))
    }

    @Test func `a peer at a new address is called there`() throws {
        let peer = try #require(MeshPeerID.first { Self.own.isCaller(of: $0) })
        var bench = CoreBench(Self.own)
        let (old, new) = (try MeshAddress("10.0.0.1:1"), try MeshAddress("10.0.0.2:2"))
        for (counter, address) in [(UInt32(1), old), (2, new)] {
            bench.handle(
                .found(
                    MeshAdvertisement(
                        name: [0],
                        announcement: CoreBench.announcement(peer, counter),
                        addresses: [address]
                    )
                )
            )
            if address == old { bench.handle(.lost(name: [9])) }
        }
        let calls = CoreBench.calls(bench.pass(.seconds(60)) + bench.effects)
        #expect(calls.last?.address == new)
        #expect(calls.count { $0.address == old } <= 1)
    }

    /// Each call fails at once; the waits are random, but limited, and grow.
    @Test(arguments: UInt64(0)..<5)
    func `an address that fails repeatedly is called at growing intervals`(seed: UInt64) {
        var bench = CoreBench(Self.own, seed: seed)
        bench.handle(.listening([]))
        bench.find(MeshPeerID(2))
        var calls: [Duration] = []
        let end = Duration.seconds(1_800)
        while bench.now < end {
            for call in CoreBench.calls(bench.pass(.milliseconds(100))) {
                calls.append(bench.now)
                bench.handle(.failed(call.connection, .unreachable))
            }
        }
        let waits = zip(calls, calls.dropFirst()).map { $1 - $0 }
        #expect(waits.allSatisfy { $0 <= .seconds(62) }, "seed \(seed)")
        #expect(calls.count { $0 < .seconds(60) } >= 4, "seed \(seed)")
        #expect((25...120).contains(calls.count), "seed \(seed): \(calls.count)")
    }

    @Test func `a call that is not answered ends after ten seconds`() throws {
        var bench = CoreBench(Self.own)
        bench.find(MeshPeerID(2))
        let calls = CoreBench.calls(bench.effects + bench.pass(.seconds(4)))
        let first = try #require(calls.first)
        #expect(bench.pass(.seconds(10)).contains(.close(first.connection, .silent)))
    }

    @Test func `a peer with another revision scheme is neither called nor accepted`() {
        var bench = CoreBench(Self.own, scheme: 4)
        bench.find(MeshPeerID(2), scheme: 3)
        #expect(CoreBench.calls(bench.pass(.seconds(60))).isEmpty)
        #expect(bench.core.peer(MeshPeerID(2))?.isCompatible == false)
        let connection = bench.call(from: MeshPeerID(2))
        #expect(bench.isRefused(connection, .incompatible))
    }

    @Test func `a peer that reaches itself does not call that address again`() throws {
        let seed = try MeshAddress("seed.example:4984")
        var bench = CoreBench(Self.own, seeds: [seed])
        bench.handle(.listening([seed]))
        let call = try #require(CoreBench.calls(bench.pass(.seconds(1))).first)
        let incoming = bench.call(from: Self.own)
        #expect(bench.isRefused(incoming, .itself))
        bench.handle(
            .failed(
                call.connection,
                .refused(.itself, by: Self.own, retryAfter: nil, introduction: [])
            )
        )
        #expect(CoreBench.calls(bench.pass(.seconds(600))).isEmpty)
    }

    @Test func `a seed is called until its peer is a member, and again after the peer left`() throws
    {
        let seed = try MeshAddress("seed.example:4984")
        var bench = CoreBench(Self.own, seeds: [seed])
        bench.handle(.listening([]))
        let first = try #require(CoreBench.calls(bench.pass(.seconds(1))).first)
        #expect(first.peer == nil)
        bench.handle(.failed(first.connection, .unreachable))
        let second = try #require(CoreBench.calls(bench.pass(.seconds(5))).first)
        #expect(second.address == seed)
        bench.handle(.opened(second.connection, MeshPeerID(2)))
        #expect(CoreBench.calls(bench.pass(.seconds(8))).isEmpty)
        bench.handle(.closed(second.connection, nil))
        #expect(CoreBench.calls(bench.pass(.seconds(10))).first?.address == seed)
    }
}

extension CoreBench {
    /// Whether the last event led to a refusal with this reason.
    func isRefused(_ connection: MeshConnectionID, _ end: LinkEnd) -> Bool {
        effects.contains { effect in
            guard case .refuse(connection, end, _, _) = effect else { return false }
            return true
        }
    }
}
