internal import DivanCrypto

/// The peers that this peer knows, and which of them belong to its part of the mesh.
///
/// **Members and strangers.** Starting from the own links, a peer is a *member* if a member lists it as a neighbour.
/// Only the lists of members count: a dead peer still lists its neighbours, but they do not list it any more, so it
/// drops out as soon as they notice. Everyone else is a *stranger*: a newcomer, a peer of another part, one that has
/// died, or one that never existed. The plan relies on members, repair calls strangers.
///
/// **Room.** Links are proved by TLS, and members are vouched for by a chain of them; neither is ever removed for lack
/// of room. Strangers are cheap to invent. They share what is left: a new one replaces a random other, so that a real
/// peer is remembered for a while even in a flood, and those reported by one peer replace only each other.
///
/// **Order.** Peers are in the order of their IDs, which is that of the ring, and makes each walk over them repeatable.
///
/// **Cost.** Who is a member follows from links and neighbour lists, and is computed again only after one of them has
/// changed. Gossip finds the changes that it reports at the end of a log, and does not look for them among all peers.
struct Membership: Sendable {
    /// The peers in the order of the ring.
    private(set) var peers: [KnownPeer] = []
    /// Their IDs: a search that reads only these touches little memory.
    private(set) var ids: [MeshPeerID] = []
    private var changes = ChangeLog()
    /// How often the members were recomputed.
    private var generation = 0
    /// Whether a link, a list of neighbours or the set of peers has changed since the last `update(at:)`.
    private var isGraphChanged = false
    /// Where the peers that are no members are, unless the graph has changed.
    private var strangers: [Int] = []
    /// How many peers are members.
    private(set) var memberCount = 0
    /// When the last `update(at:)` was.
    private var updatedAt: Duration = .zero
    /// Peers that went online or offline since the last `takeReports()`.
    private var reports: [(MeshPeerID, isOnline: Bool)] = []
    private var advertisements: [[UInt8]: MeshAdvertisement] = [:]
    private let own: MeshPeerID
    private let random: any RandomSource

    init(own: MeshPeerID, random: any RandomSource) {
        self.own = own
        self.random = random
    }

    subscript(id: MeshPeerID) -> KnownPeer? { place(of: id).map { peers[$0] } }

    /// Changes what is known about a peer, if it is known.
    mutating func update(_ id: MeshPeerID, _ change: (inout KnownPeer) -> Void) {
        if let index = place(of: id) { change(&peers[index]) }
    }

    /// Returns and forgets the reports.
    mutating func takeReports() -> [(MeshPeerID, isOnline: Bool)] {
        defer { reports = [] }
        return reports
    }
}

// MARK: - Lookup

extension Membership {
    /// Where a peer is in `peers`.
    func place(of id: MeshPeerID) -> Int? {
        let place = firstPlace(from: id)
        return place < ids.count && ids[place] == id ? place : nil
    }

    /// The place of the first peer that does not come before the ID.
    func firstPlace(from id: MeshPeerID) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether the peer is known, and a member.
    func isMember(_ id: MeshPeerID) -> Bool { place(of: id).map { peers[$0].isMember } ?? false }

    /// The first peer whose ID begins with the prefix: the peers are ordered, so it is found by halving.
    func peer(_ prefix: MeshPeerPrefix) -> MeshPeerID? { place(of: prefix).map { ids[$0] } }

    private func place(of prefix: MeshPeerPrefix) -> Int? {
        let place = firstPlace(from: MeshPeerID(words: prefix.bits << 16, 0, 0, 0))
        return place < ids.count && ids[place].prefix.bits == prefix.bits ? place : nil
    }

    /// Whether each peer is reached over links and neighbour lists, leaving out the link to `skipped`.
    private func reached(without skipped: MeshPeerID? = nil) -> [Bool] {
        var reached = [Bool](repeating: false, count: peers.count)
        var frontier: [Int] = []
        for index in peers.indices where peers[index].isLinked && ids[index] != skipped {
            reached[index] = true
            frontier.append(index)
        }
        while let index = frontier.popLast() {
            guard let neighbours = peers[index].announcement?.neighbours else { continue }
            for prefix in neighbours {
                guard let other = place(of: prefix), !reached[other], !peers[other].hasLeft else {
                    continue
                }
                reached[other] = true
                frontier.append(other)
            }
        }
        return reached
    }

    /// Whether a linked peer is reached in another way too, so that its link can be closed.
    func isReached(withoutLinkTo id: MeshPeerID) -> Bool {
        place(of: id).map { reached(without: id)[$0] } ?? false
    }
}

// MARK: - Relays

extension Membership {
    /// Whether a peer is known to be linked to one that carries everything, this peer aside.
    func isLinkedToRelay(_ id: MeshPeerID) -> Bool {
        let neighbours = self[id]?.announcement?.neighbours ?? []
        return neighbours.contains { place(of: $0).map { !peers[$0].isPartial } ?? false }
    }
}

// MARK: - Advertisements

extension Membership {
    /// Records an advertisement, or a change of one; returns whether that changes anything.
    mutating func found(_ advertisement: MeshAdvertisement, at now: Duration) -> Bool {
        let id = advertisement.announcement.peer
        let former = advertisements[advertisement.name]
        guard former != advertisement, id != own,
            former != nil || advertisements.count < MeshLimits.advertisementCount
        else { return false }
        if let former, former.announcement.peer != id { _ = lost(former.name) }
        advertisements[advertisement.name] = advertisement
        guard let index = place(of: id) ?? insert(id, at: now) else { return false }
        if former?.announcement.peer != id { peers[index].advertisementCount += 1 }
        if let former, former.addresses != advertisement.addresses { forgetPlaces(of: former) }
        for address in advertisement.addresses.prefix(MeshLimits.addressCount) {
            peers[index].note(address, isAdvertised: true)
        }
        peers[index].isWithdrawn = false
        peers[index].reporter = nil
        peers[index].heardAt = now
        if !peers[index].isLinked,
            peers[index].note(advertisement.announcement, isFromPeerItself: false)
        {
            isGraphChanged = true
            touch(index, by: nil)
        }
        handle(.advertised, at: index)
        return true
    }

    /// Records that an advertisement was withdrawn; returns whether that changes anything.
    mutating func lost(_ name: [UInt8]) -> Bool {
        guard let advertisement = advertisements.removeValue(forKey: name),
            let index = place(of: advertisement.announcement.peer)
        else { return false }
        peers[index].advertisementCount -= 1
        forgetPlaces(of: advertisement)
        peers[index].isWithdrawn = peers[index].advertisementCount == 0
        if peers[index].isWithdrawn, !peers[index].isMember { handle(.withdrawn, at: index) }
        return true
    }

    /// Forgets the places of an advertisement that changed or was withdrawn, except those that others still have.
    private mutating func forgetPlaces(of former: MeshAdvertisement) {
        let id = former.announcement.peer
        let current = advertisements.values.filter { $0.announcement.peer == id }.flatMap(
            \.addresses
        )
        for address in former.addresses where !current.contains(address) {
            update(id) { $0.forget(address) }
        }
    }
}

// MARK: - Gossip

extension Membership {
    /// Records what a linked peer says about itself or another; returns whether that changes anything.
    mutating func heard(
        _ record: GossipMessage.Record,
        from reporter: MeshPeerID,
        at now: Duration
    ) -> Bool {
        let id = record.announcement.peer
        let isOwnWord = id == reporter
        let age = Duration.seconds(Int(record.age))
        let isWelcome = isOwnWord || age < MeshTiming.memory && record.condition == .running
        guard
            let index = place(of: id)
                ?? (isWelcome ? insert(id, at: now, reportedBy: isOwnWord ? nil : reporter) : nil)
        else { return false }
        if peers[index].isLinked, !isOwnWord {
            peers[index].noteContest(record)
            return false
        }
        if peers[index].reporter != reporter { peers[index].reporter = nil }
        peers[index].heardAt = max(peers[index].heardAt, now - age)
        for address in record.addresses { peers[index].note(address, isAdvertised: isOwnWord) }
        let isNew = peers[index].note(record.announcement, isFromPeerItself: isOwnWord)
        if isNew {
            isGraphChanged = true
            touch(index, by: reporter)
        }
        guard record.condition != .running else { return isNew }
        isGraphChanged = true
        peers[index].noteDeparture(
            record.announcement.counter,
            isGoodbye: isOwnWord || record.condition == .left
        )
        return true
    }

    private mutating func touch(_ index: Int, by changer: MeshPeerID?) {
        changes.append(ids[index])
        peers[index].change = changes.lastNumber
        peers[index].changedBy = changer
        guard changes.isLong(for: peers.count) else { return }
        let current = self
        changes.keep { number, peer in
            current.place(of: peer).map { current.peers[$0].change == number } ?? false
        }
    }

    /// The number of the last change.
    var changeCount: UInt64 { changes.lastNumber }

    /// The places of the peers that have changed after a change, in the order of their last changes.
    func places(changedAfter told: UInt64) -> [Int] {
        var places: [Int] = []
        for change in changes.entries(after: told) {
            guard let place = place(of: change.peer), peers[place].change == change.number else {
                continue
            }
            places.append(place)
        }
        return places.reversed()
    }

    /// The state of a peer according to gossip.
    mutating func record(of place: Int, at now: Duration) -> EncodedRecord? {
        peers[place].record(at: now)
    }
}

// MARK: - Links

extension Membership {
    /// Records that a link to a peer was opened.
    mutating func linked(_ id: MeshPeerID, at now: Duration) {
        guard let index = place(of: id) ?? insert(id, at: now) else { return }
        isGraphChanged = true
        peers[index].isLinked = true
        peers[index].reporter = nil
        peers[index].refuteDeparture()
        peers[index].heardAt = now
        if !peers[index].isMember { becomesMember(index) }
        handle(.reached, at: index)
    }

    /// Records that there is no link to a peer any more.
    mutating func unlinked(_ id: MeshPeerID) {
        guard let index = place(of: id) else { return }
        isGraphChanged = true
        peers[index].isLinked = false
    }

    /// Records that a call to a peer failed.
    mutating func failed(_ id: MeshPeerID, at address: MeshAddress?, _ now: Duration) {
        guard let index = place(of: id) else { return }
        if let address { peers[index].fail(address, at: now, random: random) }
        handle(.unanswered(at: now), at: index)
    }

    /// Recomputes the members, and forgets peers that have not been reported for a long time.
    mutating func update(at now: Duration) {
        if isGraphChanged {
            findMembers(at: now)
        } else {
            for index in strangers { updateStranger(index, at: now) }
        }
        updatedAt = now
        let forgotten = strangers.filter { peers[$0].isForgotten(at: now) }.map { ids[$0] }
        for id in forgotten { remove(id) }
    }

    private mutating func findMembers(at now: Duration) {
        generation += 1
        strangers = []
        memberCount = 0
        let reached = reached()
        for index in peers.indices {
            if reached[index] {
                memberCount += 1
                if !peers[index].isMember { becomesMember(index) }
                handle(.reached, at: index)
            } else {
                if peers[index].isMember {
                    // As long as it was a member, it was known to run.
                    peers[index].heardAt = max(peers[index].heardAt, updatedAt)
                    peers[index].outsideSince = now
                }
                strangers.append(index)
                updateStranger(index, at: now)
            }
        }
        isGraphChanged = false
    }

    /// Records which peers the plan contains.
    mutating func want(_ links: [PlannedLink], at now: Duration) {
        for index in peers.indices where peers[index].wantedSince != nil {
            if !links.contains(where: { $0.peer == ids[index] }) { peers[index].wantedSince = nil }
        }
        for link in links {
            guard let index = place(of: link.peer), peers[index].wantedSince == nil else {
                continue
            }
            peers[index].wantedSince = now
        }
    }

    /// How many members have a lower pair hash with a stranger than this peer: they call it first.
    mutating func rank(toCall index: Int) -> Int {
        if let known = peers[index].rank, known.generation == generation { return known.count }
        var count = 0
        for other in peers.indices where peers[other].isMember {
            if ids[other].pairHash(with: ids[index]) < peers[index].pairHash { count += 1 }
        }
        peers[index].rank = (generation, count)
        return count
    }

    private mutating func updateStranger(_ index: Int, at now: Duration) {
        handle(.dropped(at: now), at: index)
        if peers[index].isWithdrawn { handle(.withdrawn, at: index) }
        if peers[index].departure != nil { handle(.departed, at: index) }
        // It cannot be called, or has been while it still was a member.
        if peers[index].places.isEmpty || peers[index].failureCount > 0 {
            handle(.unanswered(at: now), at: index)
        }
    }

    /// Failures from before no longer matter, and others may not know the peer yet.
    private mutating func becomesMember(_ index: Int) {
        peers[index].outsideSince = nil
        peers[index].forgive()
        touch(index, by: peers[index].changedBy)
    }

    private mutating func handle(_ event: PeerPresence.Event, at index: Int) {
        for effect in peers[index].handle(event) {
            switch effect {
            case .report:
                reports.append((peers[index].id, peers[index].presence.isOnline))
            case .gossip: touch(index, by: nil)
            }
        }
    }
}

// MARK: - Room

extension Membership {
    /// Adds a peer; `nil` if there is no room.
    private mutating func insert(
        _ id: MeshPeerID,
        at now: Duration,
        reportedBy reporter: MeshPeerID? = nil
    ) -> Int? {
        if let reporter, peers.count >= MeshLimits.reportedPeerCount {
            let reported = peers.indices.filter {
                peers[$0].reporter == reporter && !peers[$0].isMember
            }
            if reported.count >= MeshLimits.reportedPeerCount { removeOne(of: reported) }
        }
        if peers.count >= MeshLimits.peerCount {
            removeOne(of: peers.indices.filter { !peers[$0].isMember && !peers[$0].isLinked })
        }
        guard peers.count < MeshLimits.peerCount else { return nil }
        isGraphChanged = true
        let place = firstPlace(from: id)
        var peer = KnownPeer(id, own: own, at: now)
        peer.reporter = reporter
        peers.insert(peer, at: place)
        ids.insert(id, at: place)
        return place
    }

    private mutating func removeOne(of places: [Int]) {
        guard !places.isEmpty else { return }
        let draw = random.bytes(4).reduce(0) { $0 << 8 | Int($1) }
        remove(ids[places[draw % places.count]])
    }

    private mutating func remove(_ id: MeshPeerID) {
        guard let index = place(of: id) else { return }
        if peers[index].presence.isOnline { reports.append((id, isOnline: false)) }
        isGraphChanged = true
        peers.remove(at: index)
        ids.remove(at: index)
    }
}
