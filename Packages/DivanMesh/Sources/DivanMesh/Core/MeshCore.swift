/// One peer of a mesh: which peers it calls and accepts, which links it keeps, and what it announces.
///
/// **Theory.** A group of peers syncs if the links connect all of them; it syncs well if there are few links and short
/// paths. No peer directs this. Each finds others by advertisements, gossip and seeds (`Membership`), and computes
/// which links it should have (`LinkPlanner`). It opens those, and closes links that neither end needs (`plan(at:)`).
/// It publishes its neighbours, from which every peer sees whether the mesh has split, and which peer must connect the
/// parts again (`repair(at:)`). Over each link it sends a heartbeat with news (`GossipSchedule`).
///
/// **Events in, effects out.** The core has no socket, thread, clock or random source. Its owner reports events with
/// the time, in order, and carries out the effects, in order. Times are distances from an origin that the owner
/// chooses, and never go back. So the same code runs on sockets and in a simulation of a hundred peers, and a seed
/// repeats a run.
///
/// **A turn.** Every event is applied to the state and followed by one turn, which does everything that is due and
/// sets the timer for the next task. Events only mark what is necessary: a hundred at once cost one plan.
///
/// **Trust.** Only the ID of a linked peer is proved. Everything else is unverified: within `MeshLimits`, it can cause
/// calls that fail. It never causes a link to an unverified peer, the loss of a link, or unbounded memory use.
public struct MeshCore: Sendable {
    let configuration: MeshConfiguration
    var membership: Membership
    var table: [Link] = []
    var seeds: [Seed]
    var announcement: LocalAnnouncement
    var schedule = PlanSchedule()
    var alarm = Alarm()
    var effects: [MeshEffect] = []
    var plans: PlanCache
    private var callCount: UInt64 = 0
    private var now: Duration = .zero
    private var timerAt: Duration?
    private var isStopped = false

    /// Creates a peer that is not linked to any other.
    public init(_ configuration: MeshConfiguration) {
        self.configuration = configuration
        membership = Membership(own: configuration.peer, random: configuration.random)
        seeds = configuration.seeds.prefix(MeshLimits.seedCount).map(Seed.init)
        announcement = LocalAnnouncement(configuration)
        plans = PlanCache(configuration)
    }

    /// Applies an event, and returns what must be done now.
    public mutating func handle(_ event: MeshEvent, at time: Duration) -> [MeshEffect] {
        guard !isStopped else { return [] }
        now = max(now, time)
        if case .stop = event {
            leave()
        } else {
            apply(event)
            turn()
        }
        defer { effects = [] }
        return effects
    }

    private mutating func apply(_ event: MeshEvent) {
        switch event {
        case .listening(let addresses):
            announcement.addresses = addresses
            schedule.start(at: now)
        case .found(let advertisement): found(advertisement)
        case .lost(let name): schedule.isNeeded = membership.lost(name) || schedule.isNeeded
        case .called(let connection, let peer): answer(connection, from: peer, at: now)
        case .opened(let connection, let peer): opened(connection, peer)
        case .failed(let connection, let failure): failed(connection, failure)
        case .idle(let connection): advance(connection, .idle, at: now)
        case .received(let connection, let bytes): receive(bytes, on: connection, at: now)
        case .closed(let connection, let end): closed(connection, end)
        case .timer, .stop: break
        }
    }

    private mutating func turn() {
        alarm = Alarm()
        endSilentLinks()
        planIfDue()
        announceIfDue()
        sendGossip(at: now)
        for report in membership.takeReports() {
            effects.append(.report(report.0, isOnline: report.isOnline))
        }
        setTimer()
    }

    private mutating func setTimer() {
        for index in table.indices { alarm.ring(at: table[index].deadline) }
        // Never now: a condition that is due and not met would be checked forever.
        let time = alarm.time.map { max($0, now + .milliseconds(1)) }
        guard let time, time != timerAt || now >= time else { return }
        timerAt = time
        effects.append(.setTimer(at: time))
    }
}

// MARK: - Events

extension MeshCore {
    private mutating func found(_ advertisement: MeshAdvertisement) {
        if advertisement.announcement.peer == configuration.peer {
            let isOwn = advertisement.announcement == announcement.published
            if !isOwn { announcement.refute(advertisement.announcement.counter) }
        } else if membership.found(advertisement, at: now) {
            schedule.isNeeded = true
        }
    }

    private mutating func opened(_ connection: MeshConnectionID, _ peer: MeshPeerID) {
        guard let index = place(of: connection), table[index].state == .calling else { return }
        table[index].peer = peer
        noteSeed(table[index])
        if peer == configuration.peer {
            end(connection, .itself, at: now)
        } else if keepsAnswered(table[index], at: now) {
            advance(connection, .opened, at: now)
        }
    }

    private mutating func failed(_ connection: MeshConnectionID, _ failure: CallFailure) {
        switch failure {
        case .unreachable, .wrongPeer: advance(connection, .failed, at: now)
        case .untrusted: advance(connection, .refused, pause: MeshTiming.offence, at: now)
        case .refused(let end, let peer, let retryAfter, let introduction):
            if let index = place(of: connection) {
                table[index].peer = peer
                noteSeed(table[index])
                readIntroduction(introduction, from: peer, at: now)
            }
            closed(connection, end, retryAfter: retryAfter)
        }
    }

    private mutating func closed(
        _ connection: MeshConnectionID,
        _ end: LinkEnd?,
        retryAfter: Duration? = nil
    ) {
        switch end {
        case .full, .offence, .incompatible, .itself:
            let usual = end == .full ? MeshTiming.refusal : MeshTiming.offence
            let pause = min(max(retryAfter ?? usual, .seconds(1)), MeshTiming.offence)
            advance(connection, .refused, pause: pause, at: now)
        case .unneeded, .duplicate, .goodbye: advance(connection, .parted, at: now)
        case .silent, nil: advance(connection, .failed, at: now)
        }
    }

    private mutating func leave() {
        isStopped = true
        var farewell = announcement.record
        farewell.condition = .left
        for link in table {
            if link.state.isOpen {
                let message = GossipMessage(from: farewell, number: link.gossip.number)
                effects.append(.send(link.connection, message.bytes))
            }
            effects.append(.close(link.connection, .goodbye))
        }
        table = []
    }
}

// MARK: - Links

extension MeshCore {
    /// Where a connection is in the table.
    func place(of connection: MeshConnectionID) -> Int? {
        for index in table.indices where table[index].connection == connection { return index }
        return nil
    }

    /// Where the oldest link to a peer, or call to it, is in the table.
    func place(ofLinkTo peer: MeshPeerID) -> Int? {
        for index in table.indices where table[index].peer == peer { return index }
        return nil
    }

    /// How many links are open, not counting those of a relay to partial peers.
    var openCount: Int {
        var count = 0
        for index in table.indices where table[index].state.isOpen {
            if !isLeaf(table[index]) { count += 1 }
        }
        return count
    }

    /// Calls a place.
    mutating func call(
        _ peer: MeshPeerID?,
        at address: MeshAddress,
        for purpose: Link.Purpose,
        _ now: Duration
    ) {
        callCount += 1
        let connection = MeshConnectionID(outgoing: callCount)
        table.append(Link(connection, calling: peer, at: address, for: purpose, now))
        effects.append(.connect(connection, to: address, expecting: peer))
    }

    /// Closes a connection, or cancels a call.
    mutating func end(
        _ connection: MeshConnectionID,
        _ end: LinkEnd,
        event: LinkState.Event = .dismissed,
        at now: Duration
    ) {
        advance(connection, event, closing: end, at: now)
    }

    /// Passes an event to a link, and does what follows from it.
    mutating func advance(
        _ connection: MeshConnectionID,
        _ event: LinkState.Event,
        pause: Duration = MeshTiming.refusal,
        closing end: LinkEnd = .silent,
        at now: Duration
    ) {
        guard let index = place(of: connection) else { return }
        let isCall = table[index].state == .calling
        let effects = table[index].handle(event, at: now)
        let link = table[index]
        if isCall, link.purpose == .plan {
            if link.state.isOpen { schedule.callAnswered() } else { schedule.callFailed() }
        }
        if link.state == .ended { table.remove(at: index) }
        schedule.isNeeded = true
        for effect in effects {
            switch effect {
            case .disconnect: self.effects.append(.close(connection, end))
            case .backOff: backOff(link, at: now)
            case .pause: self.pause(link, until: now + pause)
            case .forgive: forgive(link)
            case .announce: neighboursChanged(link, at: now)
            }
        }
    }

    private mutating func backOff(_ link: Link, at now: Duration) {
        updateSeed(link) { $0.fail(at: now, random: $1) }
        if let peer = link.peer { membership.failed(peer, at: link.address, now) }
    }

    private mutating func pause(_ link: Link, until time: Duration) {
        updateSeed(link) { backOff, _ in backOff.wait(until: time) }
        if let peer = link.peer { membership.update(peer) { $0.pausedUntil = time } }
    }

    private mutating func forgive(_ link: Link) {
        updateSeed(link) { backOff, _ in backOff.succeed() }
        if let peer = link.peer { membership.update(peer) { $0.forgive() } }
    }

    mutating func neighboursChanged(_ link: Link, at now: Duration) {
        guard let peer = link.peer else { return }
        if link.state.isOpen {
            membership.linked(peer, at: now)
        } else if !table.contains(where: { $0.peer == peer && $0.state.isOpen }) {
            membership.unlinked(peer)
        }
        let neighbours = table.compactMap { $0.state.isOpen ? $0.peer?.prefix : nil }
        announcement.update(neighbours: neighbours.sorted { $0.bits < $1.bits })
    }

    private mutating func endSilentLinks() {
        // Nothing is silent in nearly all turns, which therefore copy no links.
        guard table.indices.contains(where: { now >= table[$0].deadline }) else { return }
        for link in table where now >= link.deadline {
            let isOpen = link.state.isOpen
            end(link.connection, .silent, event: isOpen ? .silent : .overdue, at: now)
        }
    }
}

// MARK: - Turns

extension MeshCore {
    private mutating func planIfDue() {
        guard let due = schedule.dueAt else { return }
        if now >= due {
            schedule.begin(at: now)
            plan(at: now)
        }
        if let due = schedule.dueAt { alarm.ring(at: due) }
    }

    private mutating func announceIfDue() {
        guard let due = announcement.dueAt else { return }
        guard now >= due else { return alarm.ring(at: due) }
        effects.append(.publish(announcement.publish(at: now)))
    }
}
