import DivanTestKit
import Testing

// The table is internal; from outside, only a daemon and several machines could test all of it.
@testable import DivanDiscovery

/// Instances at several places make up one peer, in any order.
@Suite struct PeerTableTests {
    let ethernet4 = PeerTable.Place(interface: 2, version: 0)
    let ethernet6 = PeerTable.Place(interface: 2, version: 1)
    let wireless4 = PeerTable.Place(interface: 3, version: 0)

    func instance(_ name: String) -> ServiceInstance {
        ServiceInstance(
            name: Array(name.utf8CString),
            type: Array("_divan._tcp".utf8CString),
            domain: Array("local".utf8CString),
            place: ethernet4
        )
    }

    func resolved(_ address: String, port: UInt16 = 4_984) -> PeerTable.ResolvedInstance {
        PeerTable.ResolvedInstance(
            host: "jukebox.local",
            address: address,
            port: port,
            record: TextRecord(received: [Array("db=songs".utf8)])
        )
    }

    func peer(_ addresses: String..., port: UInt16 = 4_984) -> DiscoveredPeer {
        DiscoveredPeer(
            name: "jukebox",
            host: "jukebox.local",
            addresses: addresses,
            port: port,
            attributes: ["db": "songs"]
        )
    }

    @Test func `a peer is found at its first interface and lost at its last`() {
        var table = PeerTable()
        let first = table.insert(resolved("10.0.0.7"), of: "jukebox", at: ethernet4)
        #expect(first == .found(peer("10.0.0.7")))
        let second = table.insert(resolved("fe80::7%eth0"), of: "jukebox", at: ethernet6)
        #expect(second == .found(peer("10.0.0.7", "fe80::7%eth0")))
        let third = table.insert(resolved("10.0.0.7"), of: "jukebox", at: wireless4)
        #expect(third == nil, "nothing new in it")

        #expect(table.remove("jukebox", at: ethernet4) == nil)
        #expect(table.remove("jukebox", at: ethernet6) == .found(peer("10.0.0.7")))
        #expect(table.remove("jukebox", at: wireless4) == .lost(name: "jukebox"))
    }

    @Test func `a changed peer is reported again, an unchanged peer is not`() {
        var table = PeerTable()
        _ = table.insert(resolved("10.0.0.7"), of: "jukebox", at: ethernet4)
        #expect(table.insert(resolved("10.0.0.7"), of: "jukebox", at: ethernet4) == nil)
        let changed = table.insert(resolved("10.0.0.8", port: 9), of: "jukebox", at: ethernet4)
        #expect(changed == .found(peer("10.0.0.8", port: 9)))
    }

    @Test func `removing an unknown peer has no effect`() {
        var table = PeerTable()
        #expect(table.remove("jukebox", at: ethernet4) == nil)
        _ = table.insert(resolved("10.0.0.7"), of: "jukebox", at: ethernet4)
        #expect(table.remove("jukebox", at: ethernet6) == nil)
    }

    @Test func `a peer that waits for a full table is found when another is lost`() {
        var table = PeerTable()
        for number in 0..<DiscoveryLimits.peerCount {
            _ = table.insert(resolved("10.0.0.7"), of: "peer \(number)", at: ethernet4)
        }
        for name in ["gone", "jukebox", "later"] {
            #expect(table.insert(resolved("10.0.0.8"), of: name, at: ethernet4) == nil)
        }
        #expect(table.insert(resolved("10.0.0.9"), of: "gone", at: ethernet6) == nil)
        #expect(table.remove("gone", at: ethernet4) == nil)
        #expect(table.remove("gone", at: ethernet6) == nil)
        #expect(table.admit() == nil, "there is no room")
        #expect(table.remove("peer 7", at: ethernet4) == .lost(name: "peer 7"))
        #expect(table.admit() == .found(peer("10.0.0.8")))
        #expect(table.admit() == nil)
        for interface in 0..<Int32(DiscoveryLimits.placeCount) {
            let place = PeerTable.Place(interface: interface + 100, version: 0)
            _ = table.insert(resolved("10.0.1.\(interface)"), of: "jukebox", at: place)
        }
        let places = Int32(DiscoveryLimits.placeCount)
        let last = PeerTable.Place(interface: 99 + places, version: 0)
        #expect(table.remove("jukebox", at: ethernet4) != nil)
        guard case .found(let found) = table.admit() else {
            Issue.record("the last place waits on")
            return
        }
        #expect(found.addresses.contains("10.0.1.\(places - 1)"))
        #expect(table.remove("jukebox", at: last) != nil)
    }

    @Test func `the number of waiting peers is limited`() {
        var table = PeerTable()
        let count = DiscoveryLimits.peerCount
        for number in 0..<count + DiscoveryLimits.waitingCount + 9 {
            _ = table.insert(resolved("10.0.0.7"), of: "peer \(number)", at: ethernet4)
        }
        for number in 0..<count { _ = table.remove("peer \(number)", at: ethernet4) }
        var found = 0
        while table.admit() != nil { found += 1 }
        #expect(found == DiscoveryLimits.waitingCount)
    }

    @Test func `instances are distinguished by their bytes, and queued in order`() {
        var line = ResolverQueue()
        #expect(line.add(instance("\u{E9}")) == true)
        #expect(line.add(instance("e\u{301}")) == true, "another one of the same letters")
        #expect(line.add(instance("e\u{301}")) == false, "asked after already")
        for number in 2..<DiscoveryLimits.peerCount * 2 {
            #expect(line.add(instance("\(number)")) == true)
        }
        for number in 0..<DiscoveryLimits.waitingCount + 9 {
            #expect(line.add(instance("late \(number)")) == false)
        }
        #expect(line.remove(instance("late 0")) == nil, "it waited, and has gone")
        #expect(line.remove(instance("\u{E9}")) == instance("late 1"))
        #expect(line.remove(instance("\u{E9}")) == nil)
        #expect(line.remove(instance("e\u{301}")) == instance("late 2"))
        var (next, count) = (instance("2"), 0)
        while let other = line.remove(next) { (next, count) = (other, count + 1) }
        #expect(count == DiscoveryLimits.waitingCount - 3)
    }

    @Test func `new peers and interfaces cannot exceed the limits`() {
        var table = PeerTable()
        for number in 0..<DiscoveryLimits.peerCount {
            _ = table.insert(resolved("10.0.0.7"), of: "peer \(number)", at: ethernet4)
        }
        #expect(table.insert(resolved("10.0.0.7"), of: "one more", at: ethernet4) == nil)
        #expect(table.remove("one more", at: ethernet4) == nil)

        for interface in 0..<Int32(DiscoveryLimits.placeCount) + 9 {
            let place = PeerTable.Place(interface: interface + 100, version: 0)
            _ = table.insert(resolved("10.0.1.\(interface)"), of: "peer 0", at: place)
        }
        guard case .found(let crowded) = table.remove("peer 0", at: ethernet4) else {
            Issue.record("no change")
            return
        }
        #expect(crowded.addresses.count == DiscoveryLimits.placeCount - 1)
    }

    @Test(arguments: UInt64(0)..<100)
    func `the table is consistent after events in any order`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = PeerTable()
        var present: [String: Set<Int32>] = [:]
        var reported: Set<String> = []
        for _ in 0..<200 {
            let name = "peer \(Int.random(in: 0..<4, using: &generator))"
            let interface = Int32.random(in: 0..<3, using: &generator)
            let place = PeerTable.Place(interface: interface, version: 0)
            let event: BrowseEvent?
            if Bool.random(using: &generator) {
                event = table.insert(resolved("10.0.0.\(interface)"), of: name, at: place)
                present[name, default: []].insert(interface)
            } else {
                event = table.remove(name, at: place)
                present[name]?.remove(interface)
            }
            switch event {
            case .found(let peer): reported.insert(peer.name)
            case .lost(let name): reported.remove(name)
            case .failed, nil: break
            }
            let expected = Set(present.filter { !$0.value.isEmpty }.keys)
            #expect(reported == expected, "seed \(seed)")
        }
    }

    @Test func `attributes are parsed according to RFC 6763`() {
        let strings = ["DB=songs", "db=later", "=no key", "flag", "eq=a=b", "", "bin=\u{0}"]
        #expect(
            TextRecord(received: strings.map { Array($0.utf8) }).attributes == [
                "db": "songs", "flag": "", "eq": "a=b", "bin": "\u{0}",
            ]
        )
        let binary = TextRecord(received: [[0x6B, 0x3D, 0xFF]])
        #expect(binary.strings == [[0x6B, 0x3D, 0xFF]])
        #expect(binary.attributes == ["k": "\u{FFFD}"])
    }

    @Test func `an instance that the daemon cannot resolve yet waits for a free slot`() {
        var line = ResolverQueue()
        #expect(line.add(instance("a")) && line.add(instance("b")))
        line.putBack(instance("b"))
        #expect(line.remove(instance("a")) == instance("b"))
    }
}
