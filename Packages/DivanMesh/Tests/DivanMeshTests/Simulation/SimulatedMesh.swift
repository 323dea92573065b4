import DivanMesh
import DivanTestKit

/// Peers, the network between them, and its faults, in virtual time; everything follows from the seed.
///
/// The network carries connections and advertisements. A connection delivers in order, unless the conditions say
/// otherwise. A peer that was killed, or that is in another part of a cut network, does not answer: a call to it fails
/// after three seconds, and what is sent to it is lost. Advertisements are seen by the peers that `canSee` allows;
/// those of a killed peer stay for two minutes, as multicast DNS keeps them.
final class SimulatedMesh {
    struct Conditions {
        /// From one peer to another, one way.
        var latency: ClosedRange<Int> = 1...5
        /// From the opening of a link until its replication is idle, in milliseconds.
        var syncing: ClosedRange<Int> = 50...150
        /// Documents in one list of changes.
        var listCount = Int.max
        /// Until a call to a place without a peer fails, in milliseconds.
        var failing = 3_000
        /// Of a hundred advertisements, so many do not arrive.
        var lostAdvertisements = 0
        /// Of a hundred gossip messages, so many do not arrive.
        var lostMessages = 0
        /// A gossip message takes so much longer, in milliseconds, and may be overtaken.
        var disorder = 0
        /// Whether there are advertisements at all.
        var hasDiscovery = true
        /// Whether peers advertise themselves again when the network is whole again.
        var readvertises = false
        /// Whether the first peer sees the advertisements of the second.
        var canSee: (MeshPeerID, MeshPeerID) -> Bool = { _, _ in true }
    }

    private struct End: Hashable {
        let owner: MeshAddress
        let connection: MeshConnectionID
    }

    var conditions: Conditions
    private(set) var now: Duration = .zero
    private(set) var actors: [MeshAddress: any MeshActor] = [:]
    /// Links that were opened, messages and calls that were sent, since the beginning.
    private(set) var openedCount = 0
    private(set) var messageCount = 0
    private(set) var messageByteCount = 0
    private(set) var callCount = 0
    private var queue = EventQueue<() -> Void>()
    private var generator: SeededGenerator
    private var wires: [End: SimulatedWire] = [:]
    /// Documents that were saved, and rounds of replication, since the beginning.
    var savedCount = 0
    var rounds = RoundCounter<ObjectIdentifier>()
    private var advertised: [MeshAddress: MeshAnnouncement] = [:]
    private var timers: [MeshAddress: Duration] = [:]
    private var parts: [MeshAddress: Int] = [:]
    private var incomingCount: UInt64 = 0
    private var startedCount = 0

    init(seed: UInt64, _ conditions: Conditions = Conditions()) {
        generator = SeededGenerator(seed: seed)
        self.conditions = conditions
    }

    var peers: [SimulatedPeer] {
        actors.values.compactMap { $0 as? SimulatedPeer }.sorted { $0.id < $1.id }
    }

    /// The links that are open at both ends.
    var graph: MeshGraph {
        let peers = peers
        var graph = MeshGraph(peers.map(\.id))
        let neighbours = Dictionary(uniqueKeysWithValues: peers.map { ($0.id, $0.neighbours) })
        for (peer, others) in neighbours {
            for other in others where neighbours[other]?.contains(peer) ?? false {
                graph.link(peer, other)
            }
        }
        return graph
    }

    func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    func pick(_ count: Int) -> [SimulatedPeer] {
        Array(peers.shuffled(using: &generator).prefix(count))
    }
}

// MARK: - Peers

extension SimulatedMesh {
    /// A peer that has not started.
    func makePeer(
        scheme: UInt8 = 4,
        seeds: [MeshAddress] = [],
        host: String? = nil,
        subscription: DocumentSet? = nil
    ) throws -> SimulatedPeer {
        startedCount += 1
        let number = startedCount
        let configuration = MeshConfiguration(
            peer: .random(using: &generator),
            scheme: scheme,
            isPartial: subscription != nil,
            firstCounter: UInt32(1_800_000_000 + now.components.seconds),
            seeds: seeds,
            random: SeededSource(seed: UInt64.random(in: 0...(.max), using: &generator))
        )
        let name = host ?? "10.0.\(number / 250).\(number % 250 + 1)"
        let address = try MeshAddress("\(name):\(4_000 + number)")
        return SimulatedPeer(configuration, at: address, subscription: subscription)
    }

    @discardableResult
    func join(_ count: Int, seeds: [MeshAddress] = []) throws -> [SimulatedPeer] {
        let peers = try (0..<count).map { _ in try makePeer(seeds: seeds) }
        for peer in peers { start(peer) }
        return peers
    }

    func start(_ actor: some MeshActor, in part: Int = 0) {
        actors[actor.address] = actor
        parts[actor.address] = part
        for (address, announcement) in advertised.sorted(by: { $0.value.peer < $1.value.peer }) {
            show(announcement, of: address, to: actor.address)
        }
        tell(actor.address, .listening([actor.address]))
    }

    /// Ends a peer, which sends a goodbye.
    func leave(_ actor: some MeshActor) {
        tell(actor.address, .stop)
        kill(actor, keepsAdvertisement: false)
    }

    /// Ends a peer, without a word.
    func kill(_ actor: some MeshActor, keepsAdvertisement: Bool = true) {
        let address = actor.address
        actors[address] = nil
        timers[address] = nil
        after(keepsAdvertisement ? 120_000 : 0) { mesh in
            guard mesh.actors[address] == nil, mesh.advertised.removeValue(forKey: address) != nil
            else {
                return
            }
            for other in mesh.actors.keys.sorted() {
                mesh.deliver(to: other) { $0.tell(other, .lost(name: address.bytes)) }
            }
        }
    }

    /// Cuts the network into parts, or makes it whole again.
    func cut(into count: Int) {
        for (number, address) in parts.keys.sorted().enumerated() {
            parts[address] = number % count
        }
        guard count == 1, conditions.readvertises else { return }
        for (address, announcement) in advertised.sorted(by: { $0.key < $1.key }) {
            advertise(announcement, of: address)
        }
    }

    func isReachable(_ one: MeshAddress, _ other: MeshAddress) -> Bool {
        actors[one] != nil && actors[other] != nil && parts[one] == parts[other]
    }
}

extension MeshAddress: Comparable {
    static func < (left: MeshAddress, right: MeshAddress) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

// MARK: - Time

extension SimulatedMesh {
    func run(for duration: Duration) {
        let end = now + duration
        while let next = queue.next, next <= end, let (time, event) = queue.pop() {
            now = time
            event()
        }
        now = end
    }

    /// Runs until a condition holds; returns how long that took, or `nil` if it did not within the limit.
    func run(atMost limit: Duration, until condition: () -> Bool) -> Duration? {
        let start = now
        while now < start + limit {
            if condition() { return now - start }
            run(for: .milliseconds(100))
        }
        return condition() ? now - start : nil
    }

    func after(_ milliseconds: Int, _ work: @escaping (SimulatedMesh) -> Void) {
        queue.add({ [unowned self] in work(self) }, at: now + .milliseconds(milliseconds))
    }

    private func deliver(
        to address: MeshAddress,
        after delay: Int = 0,
        _ work: @escaping (SimulatedMesh) -> Void
    ) {
        after(random(conditions.latency) + delay) { mesh in
            if mesh.actors[address] != nil { work(mesh) }
        }
    }

    func tell(_ address: MeshAddress, _ event: MeshEvent) {
        guard let actor = actors[address] else { return }
        for effect in actor.handle(event, at: now) {
            carryOut(effect, of: address)
        }
    }
}

// MARK: - Network

extension SimulatedMesh {
    private func carryOut(_ effect: MeshEffect, of owner: MeshAddress) {
        switch effect {
        case .connect(let connection, let address, let peer):
            connect(connection, owner, to: address, expecting: peer)
        case .accept(let connection): accept(End(owner: owner, connection: connection))
        case .refuse(let connection, let end, let pause, let introduction):
            refuse(End(owner: owner, connection: connection), end, pause, introduction)
        case .close(let connection, let end):
            close(End(owner: owner, connection: connection), end)
        case .send(let connection, let bytes):
            send(End(owner: owner, connection: connection), bytes)
        case .publish(let announcement): advertise(announcement, of: owner)
        case .setTimer(let time):
            timers[owner] = time
            queue.add(
                { [unowned self] in if timers[owner] == time { tell(owner, .timer) } },
                at: time
            )
        case .report: break
        }
    }

    /// The open connections of a peer, and which end it has, in the order of their numbers.
    func openWires(of owner: MeshAddress) -> [(wire: SimulatedWire, side: Int)] {
        guard let peer = actors[owner] as? SimulatedPeer else { return [] }
        return peer.openLinks.compactMap { link in
            guard let wire = wires[End(owner: owner, connection: link.connection)] else {
                return nil
            }
            return (wire, wire.side(of: owner, link.connection))
        }
    }

    private func connect(
        _ connection: MeshConnectionID,
        _ caller: MeshAddress,
        to callee: MeshAddress,
        expecting peer: MeshPeerID?
    ) {
        callCount += 1
        let wire = SimulatedWire(caller, callee, connection)
        wires[End(owner: caller, connection: connection)] = wire
        guard isReachable(caller, callee), let actor = actors[callee] else {
            return after(conditions.failing) { $0.fail(wire, .unreachable) }
        }
        guard peer == nil || peer == actor.id else {
            return deliver(to: caller) { $0.fail(wire, .wrongPeer) }
        }
        deliver(to: callee) { mesh in
            guard let id = mesh.actors[caller]?.id, wire.ends[0].connection != nil else { return }
            mesh.incomingCount += 1
            let incoming = MeshConnectionID(incoming: mesh.incomingCount)
            wire.ends[1].connection = incoming
            mesh.wires[End(owner: callee, connection: incoming)] = wire
            mesh.tell(callee, .called(incoming, from: id))
        }
    }

    private func fail(_ wire: SimulatedWire, _ failure: CallFailure) {
        if let connection = detach(wire, 0) {
            tell(wire.ends[0].address, .failed(connection, failure))
        }
    }

    /// Ends a connection at one end; returns its ID if that end had it.
    private func detach(_ wire: SimulatedWire, _ side: Int) -> MeshConnectionID? {
        guard let connection = wire.ends[side].connection else { return nil }
        wire.ends[side].connection = nil
        wires[End(owner: wire.ends[side].address, connection: connection)] = nil
        rounds.isIdleOrClosed(ObjectIdentifier(wire))
        return connection
    }

    private func accept(_ end: End) {
        guard let wire = wires[end], let callee = actors[end.owner]?.id else { return }
        deliver(to: wire.ends[0].address) { mesh in
            // The caller may have given up; then the callee is notified of the close.
            guard let connection = wire.ends[0].connection else { return }
            mesh.openedCount += 1
            mesh.startReplication(on: wire)
            mesh.tell(wire.ends[0].address, .opened(connection, callee))
        }
    }

    private func refuse(_ end: End, _ reason: LinkEnd, _ pause: Duration, _ introduction: [UInt8]) {
        guard let wire = wires[end], let callee = actors[end.owner]?.id else { return }
        _ = detach(wire, 1)
        deliver(to: wire.ends[0].address) {
            $0.fail(
                wire,
                .refused(reason, by: callee, retryAfter: pause, introduction: introduction)
            )
        }
    }

    private func close(_ end: End, _ reason: LinkEnd) {
        guard let wire = wires[end] else { return }
        let side = wire.side(of: end.owner, end.connection)
        _ = detach(wire, side)
        let other = wire.ends[1 - side].address
        guard isReachable(end.owner, other) else { return }
        deliver(to: other, after: 10) { mesh in
            guard let connection = mesh.detach(wire, 1 - side) else { return }
            mesh.tell(other, .closed(connection, reason))
        }
    }

    private func send(_ end: End, _ bytes: [UInt8]) {
        guard let wire = wires[end] else { return }
        messageCount += 1
        messageByteCount += bytes.count
        let side = wire.side(of: end.owner, end.connection)
        let other = wire.ends[1 - side].address
        guard isReachable(end.owner, other), random(1...100) > conditions.lostMessages else {
            return
        }
        deliver(to: other, after: 6 + random(0...conditions.disorder)) { mesh in
            guard let connection = wire.ends[1 - side].connection else { return }
            mesh.tell(other, .received(connection, bytes))
        }
    }

    func advertise(_ announcement: MeshAnnouncement, of owner: MeshAddress) {
        guard conditions.hasDiscovery else { return }
        advertised[owner] = announcement
        for other in actors.keys.sorted() { show(announcement, of: owner, to: other) }
    }

    private func show(
        _ announcement: MeshAnnouncement,
        of owner: MeshAddress,
        to other: MeshAddress
    ) {
        guard owner != other, parts[owner, default: 0] == parts[other],
            let viewer = actors[other]?.id,
            conditions.canSee(viewer, announcement.peer),
            random(1...100) > conditions.lostAdvertisements
        else { return }
        let advertisement = MeshAdvertisement(
            name: owner.bytes,
            announcement: announcement,
            addresses: [owner]
        )
        deliver(to: other) { mesh in
            if mesh.advertised[owner] == announcement { mesh.tell(other, .found(advertisement)) }
        }
    }
}
