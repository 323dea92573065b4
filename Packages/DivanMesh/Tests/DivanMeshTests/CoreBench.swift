import DivanMesh
import Testing

/// One core with a clock, and the effects that it asked for.
struct CoreBench {
    let id: MeshPeerID
    private(set) var core: MeshCore
    private(set) var now: Duration = .zero
    /// Effects of the last event, without those that set the timer.
    private(set) var effects: [MeshEffect] = []
    private var timer: Duration?
    private var incomingCount: UInt64 = 0

    init(
        _ id: MeshPeerID = MeshPeerID(1),
        scheme: UInt8 = 4,
        seeds: [MeshAddress] = [],
        seed: UInt64 = 0
    ) {
        self.id = id
        core = MeshCore(
            MeshConfiguration(
                peer: id,
                scheme: scheme,
                firstCounter: 100,
                seeds: seeds,
                random: SeededSource(seed: seed)
            )
        )
    }

    mutating func handle(_ event: MeshEvent) {
        let all = core.handle(event, at: now)
        effects = all.filter { effect in
            guard case .setTimer(let time) = effect else { return true }
            timer = time
            return false
        }
    }

    /// Lets time pass; returns the effects of the timers on the way.
    @discardableResult
    mutating func pass(_ duration: Duration) -> [MeshEffect] {
        let end = now + duration
        var all: [MeshEffect] = []
        while let next = timer, next <= end {
            timer = nil
            now = max(now, next)
            handle(.timer)
            all += effects
        }
        now = end
        return all
    }

    // MARK: What happens

    static func address(_ peer: MeshPeerID) -> MeshAddress? {
        try? MeshAddress("\(peer.instanceName).local:4984")
    }

    mutating func find(
        _ peer: MeshPeerID,
        counter: UInt32 = 1,
        scheme: UInt8 = 4,
        neighbours: [MeshPeerID] = []
    ) {
        guard let address = Self.address(peer) else { return }
        handle(
            .found(
                MeshAdvertisement(
                    name: Array(peer.instanceName.utf8),
                    announcement: Self.announcement(peer, counter, scheme, neighbours),
                    addresses: [address]
                )
            )
        )
    }

    static func announcement(
        _ peer: MeshPeerID,
        _ counter: UInt32 = 1,
        _ scheme: UInt8 = 4,
        _ neighbours: [MeshPeerID] = []
    ) -> MeshAnnouncement {
        MeshAnnouncement(
            peer: peer,
            counter: MeshCounter(rawValue: counter),
            scheme: scheme,
            neighbours: neighbours.map(\.prefix)
        )
    }

    /// A call from a peer; returns the connection.
    @discardableResult
    mutating func call(from peer: MeshPeerID) -> MeshConnectionID {
        incomingCount += 1
        let connection = MeshConnectionID(incoming: incomingCount)
        handle(.called(connection, from: peer))
        return connection
    }

    /// A peer calls, is accepted, syncs, and reports whether it needs the link.
    @discardableResult
    mutating func link(
        _ peer: MeshPeerID,
        interest: GossipMessage.Interest = .none,
        neighbours: [MeshPeerID] = []
    ) -> MeshConnectionID {
        let connection = call(from: peer)
        handle(.idle(connection))
        gossip(connection, from: peer, interest: interest, neighbours: neighbours)
        return connection
    }

    mutating func gossip(
        _ connection: MeshConnectionID,
        from peer: MeshPeerID,
        number: UInt32 = 0,
        counter: UInt32 = 1,
        interest: GossipMessage.Interest = .none,
        neighbours: [MeshPeerID] = [],
        condition: GossipMessage.Condition = .running,
        about others: [GossipMessage.Record] = []
    ) {
        var message = GossipMessage(
            from: GossipMessage.Record(
                Self.announcement(peer, counter, 4, neighbours),
                condition: condition
            ),
            interest: interest,
            number: MeshCounter(rawValue: number)
        )
        for other in others { _ = message.append(other) }
        handle(.received(connection, message.bytes))
    }

    // MARK: What is asked for

    /// The calls in effects, with their places.
    static func calls(
        _ effects: [MeshEffect]
    ) -> [(connection: MeshConnectionID, peer: MeshPeerID?, address: MeshAddress)] {
        effects.compactMap { effect in
            guard case .connect(let connection, let address, let peer) = effect else { return nil }
            return (connection, peer, address)
        }
    }

    static func sent(_ effects: [MeshEffect], to connection: MeshConnectionID) -> [[UInt8]] {
        effects.compactMap { effect in
            guard case .send(connection, let bytes) = effect else { return nil }
            return bytes
        }
    }

    var openPeers: Set<MeshPeerID> { Set(core.links.filter(\.isOpen).compactMap(\.peer)) }
}

extension MeshPeerID {
    /// The first of many IDs for which the condition holds, the same in each run.
    static func first(where condition: (MeshPeerID) -> Bool) -> MeshPeerID? {
        for number in UInt64(1_000)..<2_000 where condition(MeshPeerID(number)) {
            return MeshPeerID(number)
        }
        return nil
    }
}
