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
struct Membership: Sendable {
    /// The peers in the order of the ring.
    private(set) var peers: [KnownPeer] = []
    /// Changes that gossip reports.
    private(set) var changeCount: UInt64 = 0
    /// Peers that went online or offline since the last `takeReports()`.
    private var reports: [(MeshPeerID, isOnline: Bool)] = []
    private var sightings: [[UInt8]: MeshSighting] = [:]
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
    private func place(of id: MeshPeerID) -> Int? {
        let place = peers.partitioningIndex { $0.id >= id }
        return place < peers.count && peers[place].id == id ? place : nil
    }

    /// The first peer whose ID begins with the prefix: the peers are ordered, so it is found by halving.
    func peer(_ prefix: MeshPeerPrefix) -> MeshPeerID? { place(of: prefix).map { peers[$0].id } }

    private func place(of prefix: MeshPeerPrefix) -> Int? {
        let place = peers.partitioningIndex { $0.id.prefix.bits >= prefix.bits }
        return place < peers.count && peers[place].id.prefix == prefix ? place : nil
    }

    /// Whether each peer is reached over links and neighbour lists, leaving out the link to `skipped`.
    private func reached(without skipped: MeshPeerID? = nil) -> [Bool] {
        var reached = peers.map { $0.isLinked && $0.id != skipped }
        var frontier = reached.indices.filter { reached[$0] }
        while let index = frontier.popLast() {
            for prefix in peers[index].announcement?.neighbours ?? [] {
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

extension [KnownPeer] {
    /// The first index for which the condition holds, if it holds for all that follow.
    fileprivate func partitioningIndex(where condition: (KnownPeer) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

// MARK: - Advertisements

extension Membership {
    /// Records an advertisement, or a change of one; returns whether that changes anything.
    mutating func found(_ sighting: MeshSighting, at now: Duration) -> Bool {
        let id = sighting.announcement.peer
        let former = sightings[sighting.name]
        guard former != sighting, id != own,
            former != nil || sightings.count < MeshLimits.sightingCount
        else { return false }
        if let former, former.announcement.peer != id { _ = lost(former.name) }
        sightings[sighting.name] = sighting
        guard let index = place(of: id) ?? insert(id, at: now) else { return false }
        if former?.announcement.peer != id { peers[index].advertisementCount += 1 }
        if let former, former.addresses != sighting.addresses { forgetPlaces(of: former) }
        for address in sighting.addresses.prefix(MeshLimits.addressCount) {
            peers[index].note(address, isAdvertised: true)
        }
        peers[index].isWithdrawn = false
        peers[index].reporter = nil
        peers[index].heardAt = now
        if !peers[index].isLinked,
            peers[index].note(sighting.announcement, isFromPeerItself: false)
        {
            touch(index, by: nil)
        }
        handle(.advertised, at: index)
        return true
    }

    /// Records that an advertisement was withdrawn; returns whether that changes anything.
    mutating func lost(_ name: [UInt8]) -> Bool {
        guard let sighting = sightings.removeValue(forKey: name),
            let index = place(of: sighting.announcement.peer)
        else { return false }
        peers[index].advertisementCount -= 1
        forgetPlaces(of: sighting)
        peers[index].isWithdrawn = peers[index].advertisementCount == 0
        if peers[index].isWithdrawn, !peers[index].isMember { handle(.withdrawn, at: index) }
        return true
    }

    /// Forgets the places of an advertisement that changed or was withdrawn, except those that others still have.
    private mutating func forgetPlaces(of former: MeshSighting) {
        let id = former.announcement.peer
        let current = sightings.values.filter { $0.announcement.peer == id }.flatMap(\.addresses)
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
        if isNew { touch(index, by: reporter) }
        guard record.condition != .running else { return isNew }
        peers[index].noteDeparture(
            record.announcement.counter,
            isGoodbye: isOwnWord || record.condition == .left
        )
        return true
    }

    private mutating func touch(_ index: Int, by changer: MeshPeerID?) {
        changeCount += 1
        peers[index].change = changeCount
        peers[index].changedBy = changer
    }
}

// MARK: - Links

extension Membership {
    /// Records that a link to a peer was opened.
    mutating func linked(_ id: MeshPeerID, at now: Duration) {
        guard let index = place(of: id) ?? insert(id, at: now) else { return }
        peers[index].isLinked = true
        peers[index].reporter = nil
        peers[index].refuteDeparture()
        peers[index].heardAt = now
        if !peers[index].isMember { becomesMember(index) }
        handle(.reached, at: index)
    }

    /// Records that a call to a peer failed.
    mutating func failed(_ id: MeshPeerID, at address: MeshAddress?, _ now: Duration) {
        guard let index = place(of: id) else { return }
        if let address { peers[index].fail(address, at: now, random: random) }
        handle(.unanswered(at: now), at: index)
    }

    /// Finds out who is a member now, and forgets who has not been heard of for long.
    mutating func update(at now: Duration) {
        for (index, isReached) in reached().enumerated() {
            if isReached {
                if !peers[index].isMember { becomesMember(index) }
                peers[index].heardAt = now
                handle(.reached, at: index)
            } else {
                if peers[index].isMember { peers[index].outsideSince = now }
                handle(.dropped(at: now), at: index)
                if peers[index].isWithdrawn { handle(.withdrawn, at: index) }
                if peers[index].departure != nil { handle(.departed, at: index) }
                // It cannot be called, or has been while it still was a member.
                if peers[index].places.isEmpty || peers[index].failureCount > 0 {
                    handle(.unanswered(at: now), at: index)
                }
            }
        }
        for peer in peers where peer.isForgotten(at: now) { remove(peer.id) }
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
        if let reporter {
            let reported = peers.filter { $0.reporter == reporter && !$0.isMember }
            if reported.count >= MeshLimits.reportedPeerCount { removeOne(of: reported) }
        }
        if peers.count >= MeshLimits.peerCount {
            removeOne(of: peers.filter { !$0.isMember && !$0.isLinked })
        }
        guard peers.count < MeshLimits.peerCount else { return nil }
        let place = peers.partitioningIndex { $0.id >= id }
        var peer = KnownPeer(id, own: own, at: now)
        peer.reporter = reporter
        peers.insert(peer, at: place)
        return place
    }

    private mutating func removeOne(of strangers: [KnownPeer]) {
        guard !strangers.isEmpty else { return }
        let draw = random.bytes(4).reduce(0) { $0 << 8 | Int($1) }
        remove(strangers[draw % strangers.count].id)
    }

    private mutating func remove(_ id: MeshPeerID) {
        guard let index = place(of: id) else { return }
        if peers[index].presence.isOnline { reports.append((id, isOnline: false)) }
        peers.remove(at: index)
    }
}
